//! Drawings of counters along a run, or during the watch of a process.

use fauxplat_model::{CounterSeries, Metric, Unit, WatchedProcess};
use fauxplat_units::Nanos;

use crate::parts::spans::named;
use crate::parts::{Across, Grid, Line, Part, Piece, Point, Rank, Series, Tone, Values};
use crate::words::{counted, quantity, significant, visible};

/// A drawing for each counter with a count above zero, and the names of the other counters.
pub(super) fn pieces(all: &[CounterSeries], of: &str) -> Vec<Piece> {
    let (idle, busy): (Vec<&CounterSeries>, Vec<&CounterSeries>) =
        all.iter().partition(|it| total(it) == Some(0));
    let mut pieces: Vec<Piece> =
        busy.into_iter().filter_map(|it| drawn(it, of)).map(|it| Piece::new(Part::Series(it))).collect();
    if !idle.is_empty() {
        let names: Vec<&str> = idle.iter().map(|it| it.metric.title()).collect();
        pieces.push(Piece::said(Tone::Faint, format!("zero in every interval: {}", names.join(", "))));
    }
    pieces
}

/// The report of a watched process: totals and rates first.
pub(super) fn watched(found: &WatchedProcess) -> Vec<Piece> {
    let took = Nanos(found.elapsed_ns);
    let threads = counted(found.threads, "thread", "threads");
    let end = if found.has_ended { "; then it ended" } else { "" };
    let said = format!("Process {} ({}), {threads}, watched for {took}{end}.", found.pid, named(&found.name));
    let mut grid = Grid::new(&["counter", "in all", "per second", "least", "most"], &[4, 3]);
    for one in &found.series {
        let most = |pick: fn(f64, f64) -> f64| {
            let punctual = whole_intervals(one).filter(Interval::is_punctual);
            punctual.map(|interval| interval.count).reduce(pick)
        };
        let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| quantity(one.metric, value));
        let total = total(one).map(|it| it as f64);
        let per_s = total.map(|total| total / (found.elapsed_ns.max(1) as f64 / 1e9));
        let rate = match one.metric.unit() {
            Unit::Count => per_s.map_or("–".to_owned(), significant),
            _ => shown(per_s),
        };
        let cells = vec![
            one.metric.title().to_owned(),
            shown(total),
            rate,
            shown(most(f64::min)),
            shown(most(f64::max)),
        ];
        grid.push(Tone::Plain, cells);
    }
    let mut pieces = vec![Piece::answer(Tone::Title, said), Piece::table(grid)];
    pieces.push(Piece::said(Tone::Faint, said_of_extremes(&found.series)).joined());
    pieces.extend(self::pieces(&found.series, &visible(&found.name)));
    let missing = |it: &String| Piece::sentence(Rank::Warning, Tone::Doubt, it.as_str());
    pieces.extend(found.not_counted.iter().map(missing));
    pieces
}

/// Sum of a counter over all intervals; `None` if it never counted.
fn total(series: &CounterSeries) -> Option<u64> {
    series.counts.iter().flatten().copied().reduce(u64::saturating_add)
}

/// The count of a counter from one reading to the next, as a rate.
struct Interval {
    /// Time of the reading at the end of the interval, in seconds.
    until_s: f64,
    /// Length of the interval as a multiple of the length that was requested.
    times: f64,
    /// Count in the requested length of time, at the rate of this interval.
    count: f64,
}

impl Interval {
    /// Whether the interval is about as long as requested. A longer interval shows only an average rate, which hides
    /// extremes.
    fn is_punctual(&self) -> bool {
        self.times <= 1.5
    }
}

/// The intervals that are at least about as long as requested. The last interval of a series may be shorter.
fn whole_intervals(series: &CounterSeries) -> impl Iterator<Item = Interval> {
    let starts = [0].into_iter().chain(series.until_ns.iter().copied());
    let all = starts.zip(&series.until_ns).zip(&series.counts);
    let every = series.every_ns.max(1) as f64;
    all.filter_map(move |((from, &until), count)| {
        let times = until.saturating_sub(from) as f64 / every;
        let count = (*count)? as f64 / times;
        (times >= 0.9).then_some(Interval { until_s: until as f64 / 1e9, times, count })
    })
}

/// Sentence that explains the columns *least* and *most*, with the number of intervals that are excluded from them.
fn said_of_extremes(all: &[CounterSeries]) -> String {
    let Some(one) = all.first() else { return String::new() };
    let said = format!("least and most: in an interval of {}", Nanos(one.every_ns));
    let late = all.iter().map(|it| whole_intervals(it).filter(|it| !it.is_punctual()).count()).max();
    match late {
        None | Some(0) => said,
        Some(late) => {
            let of = one.until_ns.len();
            format!(
                "{said}; {late} of {of} intervals are left out: they took longer, since the counters were read late"
            )
        }
    }
}

fn drawn(series: &CounterSeries, of: &str) -> Option<Series> {
    let metric: Metric = series.metric;
    let every = Nanos(series.every_ns);
    let point = |Interval { until_s, count, .. }| Point {
        x: until_s,
        median: count,
        low: count,
        high: count,
        hint: format!("{until_s:.3} s: {}", quantity(metric, count)),
        weight: 0,
    };
    let points: Vec<Point> = whole_intervals(series).map(point).collect();
    let title = format!("{}: {} in each {every}", visible(of), metric.title());
    (points.len() >= 2).then(|| Series {
        description: title.clone(),
        caption: title.clone(),
        title,
        values: Values::Metric(metric),
        across: Across { label: "seconds since the watch began".to_owned(), names: None },
        lines: vec![Line { name: String::new(), points, is_drawn_through: true }],
        rules: Vec::new(),
        is_zoom: false,
    })
}

/// Writes a row for each interval and counter, for spreadsheets.
pub(super) fn rows(
    all: &[CounterSeries],
    out: &mut csv::Writer<impl std::io::Write>,
) -> Result<(), csv::Error> {
    out.write_record(["until_s", "counter", "count"])?;
    let intervals = all.iter().map(|it| it.until_ns.len()).max().unwrap_or(0);
    for at in 0..intervals {
        for one in all {
            let (Some(until), Some(count)) = (one.until_ns.get(at), one.counts.get(at)) else { continue };
            let count = count.map_or_else(String::new, |count| count.to_string());
            out.write_record([&format!("{:.6}", *until as f64 / 1e9), one.metric.name(), &count])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_was_overslept_has_a_rate_and_no_part_in_least_and_most() {
        let series = CounterSeries {
            metric: Metric::WALL,
            every_ns: 1000,
            // Intervals of the requested length, one of fourfold length, one without a count, and a remainder.
            until_ns: vec![1000, 5000, 6000, 6100],
            counts: vec![Some(10), Some(80), None, Some(7)],
        };
        let found: Vec<(f64, bool)> =
            whole_intervals(&series).map(|it| (it.count, it.is_punctual())).collect();
        assert_eq!(found, [(10.0, true), (20.0, false)]);
        let said = said_of_extremes(&[series]);
        assert!(said.contains("1 of 4 intervals are left out"), "{said}");
    }
}
