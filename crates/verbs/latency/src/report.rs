//! The report of `latency`: percentiles as measured and corrected for missed activations, and the causes of noise.

use fauxplat_model::document::Record;
use fauxplat_model::{Condition, Metric, Policy};
use fauxplat_report::parts::{Curve, Grid, Histograms, Medium, Piece, Quantiles, Tone};
use fauxplat_report::say::{Scale, counted, percent, quantity};
use fauxplat_report::{Case, Format, OwnReport, Rows, worker_counts};
use serde::Deserialize;
use serde_json::{Error, Value};

use crate::findings::{LatencyFindings, LatencyTest, Percentiles, SCHEMA};

/// The report of the document of `latency`.
#[derive(Debug)]
pub struct LatencyReport;

impl OwnReport for LatencyReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Svg]
    }

    /// Merged documents, whose conditions may differ, have none of their own.
    fn has_condition(&self, record: &Record) -> bool {
        record.header.condition != Condition::default()
    }

    fn unfinished(&self) -> Option<Value> {
        serde_json::to_value(LatencyFindings::default()).ok()
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        Ok(pieces(&LatencyFindings::deserialize(document)?))
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = LatencyFindings::deserialize(document)?;
        Ok(Rows {
            headings: HEADINGS.map(str::to_owned).to_vec(),
            rows: found.tests.iter().map(|test| row(test).to_vec()).collect(),
        })
    }

    fn cases(&self, _: &Value) -> Result<Vec<Case>, Error> {
        Ok(Vec::new())
    }
}

fn pieces(found: &LatencyFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(Tone::Title, answer(found))];
    parts.extend(quantiles(found).map(Piece::quantiles));
    parts.push(Piece::table(table(found)));
    // On a page the curves of percentiles show the same information in more detail, so these distributions are for
    // other media.
    let drawn = distributions(found).map(Piece::histograms);
    parts.extend(drawn.map(|piece| piece.only(&[Medium::Terminal, Medium::Comment])));
    parts.extend(spreads(found).map(Piece::table));
    let missed: u64 = found.tests.iter().map(|test| test.missed).sum();
    if missed > 0 {
        parts.push(Piece::said(Tone::Doubt, stalls(found, missed)));
    }
    for test in found.tests.iter().filter(|test| !test.causes.is_empty()) {
        parts.push(Piece::plain(format!(
            "Noise on CPU {} at {}: {} of the time was lost to",
            test.cpu,
            test.policy,
            percent(test.lost_share.unwrap_or(0.0))
        )));
        parts.push(Piece::table(causes(test)));
    }
    parts.extend(worker_counts::pieces(&found.counts));
    parts
}

fn answer(found: &LatencyFindings) -> String {
    let (silent, timed): (Vec<&LatencyTest>, Vec<&LatencyTest>) =
        found.tests.iter().partition(|test| is_silent(test));
    let worst = timed.iter().max_by_key(|test| test.corrected.late());
    let said = match (worst, &silent[..]) {
        (None, []) => return "Nothing was measured.".to_owned(),
        (None, [only]) => return format!("{}: nothing arrived, so nothing was timed", place(only)),
        (None, all) => return format!("{}: nothing arrived, so nothing was timed", tests(all.len())),
        (Some(worst), _) => {
            let best = timed.iter().min_by_key(|test| test.corrected.late()).unwrap_or(worst);
            let both = [best, worst].map(|test| &test.corrected);
            match timed.len() {
                1 => {
                    format!("{}: half within {}, {}", place(worst), time(worst.raw.p50_ns), most(&both[1..]))
                }
                all => format!(
                    "{}: {} ({}) to {} ({})",
                    tests(all),
                    most(&both),
                    place(best),
                    time(worst.corrected.late()),
                    place(worst)
                ),
            }
        }
    };
    let unheard: Vec<String> = silent.iter().map(|test| place(test)).collect();
    if unheard.is_empty() { said } else { format!("{said}; nothing arrived at {}", unheard.join(" and at ")) }
}

fn tests(count: usize) -> String {
    counted(count, "test", "tests")
}

/// Whether a test waited in vain for any activation. A test of noise that found no gap is no such test: its CPU was
/// quiet.
fn is_silent(test: &LatencyTest) -> bool {
    test.count == 0 && test.missed == 0 && test.name != "noise"
}

/// How late most activations of the first test were, in words: `99 % within …`, or `all within …` if no test has a 99th
/// percentile. Where all activations are within a time, 99 % are within it, too.
fn most(of: &[&Percentiles]) -> String {
    let share = if of.iter().any(|it| it.p99_ns.is_some()) { "99 %" } else { "all" };
    format!("{share} within {}", of.first().map_or_else(String::new, |first| time(first.late())))
}

fn time_or_dash(ns: Option<u64>) -> String {
    ns.map_or_else(|| "–".to_owned(), time)
}

fn time(ns: u64) -> String {
    quantity(Metric::WALL, ns as f64)
}

/// Table of the mean and the standard deviation of the tests with GPIO lines, which the published method for such tests
/// requires; `None` if no lines were involved.
fn spreads(found: &LatencyFindings) -> Option<Grid> {
    let header = ["test", "CPUs", "policy", "mean", "standard deviation", "lines and what drives them"];
    let mut grid = Grid::new(&header, &[5]);
    for test in &found.tests {
        let Some(lines) = &test.lines else { continue };
        let [mean, sd] = [test.raw.mean_ns, test.raw.sd_ns].map(|ns| quantity(Metric::WALL, ns));
        let peer = test.peer.map_or(String::new(), |peer| format!(" to {peer}"));
        let cpus = format!("{}{peer}", test.cpu);
        grid.push(Tone::Plain, vec![test.name.clone(), cpus, policy(test), mean, sd, lines.clone()]);
    }
    found.tests.iter().any(|test| test.lines.is_some()).then_some(grid)
}

/// Description of a test: its name, CPUs and scheduling policy.
fn place(test: &LatencyTest) -> String {
    format!("{}, {}, {}", test.name, cpus(test), policy(test))
}

fn cpus(test: &LatencyTest) -> String {
    match test.peer {
        Some(peer) => format!("CPU {} to {peer}", test.cpu),
        None => format!("CPU {}", test.cpu),
    }
}

fn policy(test: &LatencyTest) -> String {
    let slack = test.slack_ns.filter(|_| test.policy == Policy::Other);
    let slack = slack.map_or(String::new(), |ns| format!(", slack {}", time(ns)));
    format!("{}{slack}", test.policy)
}

fn table(found: &LatencyFindings) -> Grid {
    let header = [
        "test",
        "CPUs",
        "policy",
        "p50",
        "p99",
        "p99.9",
        "p99.999",
        "max",
        "missed",
        "p99 with missed",
        "count",
    ];
    // The columns to leave out on a narrow page, the first ones first; columns that have no information here come
    // before the others.
    let nothing_missed = found.tests.iter().all(|test| test.missed == 0);
    let dispensable: &[usize] = if nothing_missed { &[9, 10, 6, 8, 5] } else { &[10, 6, 5] };
    let mut grid = Grid::new(&header, dispensable);
    for test in &found.tests {
        let raw = &test.raw;
        let peer = test.peer.map_or(String::new(), |peer| format!(" to {peer}"));
        let mut cells = vec![test.name.clone(), format!("{}{peer}", test.cpu), policy(test)];
        let shown = [Some(raw.p50_ns), raw.p99_ns, raw.p999_ns, raw.p99999_ns, Some(raw.max_ns)];
        cells.extend(shown.map(|ns| time_or_dash(ns.filter(|_| !is_silent(test)))));
        cells.extend([test.missed.to_string(), time_or_dash(test.corrected.p99_ns), test.count.to_string()]);
        grid.push(if test.missed > 0 { Tone::Doubt } else { Tone::Plain }, cells);
        if !raw.intervals.is_empty() {
            grid.push(Tone::Faint, intervals(test));
        }
    }
    grid
}

/// A row with the 95 % interval of each percentile, for the row below the percentiles. A dash stands for an end that no
/// activation bounds.
fn intervals(test: &LatencyTest) -> Vec<String> {
    let between = |of: &Percentiles, percentile: f64| {
        of.interval(percentile).map_or_else(String::new, |it| {
            let scale = Scale::of(Metric::WALL, it.high_ns.or(it.low_ns).unwrap_or(0) as f64);
            let end = |ns: Option<u64>| ns.map_or_else(|| "–".to_owned(), |ns| scale.number(ns as f64));
            format!("{} … {}", end(it.low_ns), end(it.high_ns))
        })
    };
    let mut cells = vec!["  95 % interval".to_owned(), String::new(), String::new()];
    cells.extend([50.0, 99.0, 99.9, 99.999].map(|percentile| between(&test.raw, percentile)));
    cells.extend([String::new(), String::new(), between(&test.corrected, 99.0), String::new()]);
    cells
}

/// Number of character columns of a drawn distribution.
const COLUMNS: usize = 48;
/// Maximum number of distributions in one drawing; more are not readable.
const DRAWN_MAX: usize = 18;
/// Minimum number of activations for a drawn distribution; with fewer, the table is easier to read.
const COUNT_MIN: u64 = 20;

/// Distributions of the tests' delays on one logarithmic axis. For messages the round trip represents both directions.
fn distributions(found: &LatencyFindings) -> Option<Histograms> {
    let is_way = |name: &str| name.ends_with(" there") || name.ends_with(" back");
    let drawn: Vec<&LatencyTest> =
        found.tests.iter().filter(|test| test.count >= COUNT_MIN && !is_way(&test.name)).collect();
    let low = drawn.iter().map(|test| test.corrected.min_ns.max(1)).min()?;
    let high = drawn.iter().map(|test| test.corrected.max_ns).max()?;
    if drawn.len() > DRAWN_MAX || high <= low {
        return None;
    }
    let (from, to) = ((low as f64).ln(), (high as f64).ln());
    Some(Histograms {
        title: "distribution: time and height are logarithmic, missed activations included".to_owned(),
        names: drawn.iter().map(|test| place(test)).collect(),
        counts: drawn.iter().map(|test| columns(&test.corrected, from, to)).collect(),
        ends: [time(low), time(high)],
    })
}

fn columns(of: &Percentiles, from: f64, to: f64) -> Vec<u64> {
    let mut columns = vec![0; COLUMNS];
    for &(late_ns, count) in &of.histogram {
        let share = ((late_ns.max(1) as f64).ln() - from) / (to - from);
        columns[(share * COLUMNS as f64).clamp(0.0, COLUMNS as f64 - 1.0) as usize] += count;
    }
    columns
}

fn quantiles(found: &LatencyFindings) -> Option<Quantiles> {
    let curve = |test: &LatencyTest| Curve {
        name: place(test),
        seen: points(&test.raw),
        corrected: (test.missed > 0).then(|| points(&test.corrected)),
    };
    let curves: Vec<Curve> = found.tests.iter().map(curve).collect();
    (!curves.is_empty()).then(|| Quantiles {
        title: "Latency by percentile".to_owned(),
        description: answer(found),
        curves,
        legend: "dashed: including activations that came due while the test was stalled",
    })
}

/// Points of a step curve, one for each occupied bin of a histogram: the logarithms of how rare a delay of at least
/// this size is (one in so many activations), and of the delay. The last activation is as rare as one in the number of
/// activations.
fn points(of: &Percentiles) -> Vec<(f64, f64)> {
    let all: u64 = of.histogram.iter().map(|bin| bin.1).sum();
    let mut before = 0;
    let mut points = Vec::new();
    for &(late_ns, count) in of.histogram.iter().filter(|bin| bin.1 > 0) {
        let rare = |earlier: u64| (all as f64 / (all - earlier) as f64).log10();
        let late = (late_ns.max(1) as f64).log10();
        points.push((rare(before), late));
        before += count;
        points.push((rare(before.min(all - 1)), late));
    }
    points
}

fn stalls(found: &LatencyFindings, missed: u64) -> String {
    let due: u64 = found.tests.iter().map(|test| test.count + test.missed).sum();
    format!(
        "{missed} of {due} activations came due while the test itself was stalled, and are missing from most percentiles. \
         The column p99 with missed includes them, each as late as the rest of its stall."
    )
}

fn causes(test: &LatencyTest) -> Grid {
    let mut grid = Grid::new(&["cause", "gaps", "mean gap", "share of the loss"], &[]);
    let all: u64 = test.causes.iter().map(|cause| cause.total_ns).sum();
    for cause in &test.causes {
        grid.push(
            Tone::Plain,
            vec![
                cause.cause.clone(),
                cause.count.to_string(),
                time(cause.total_ns / cause.count.max(1)),
                percent(cause.total_ns as f64 / all.max(1) as f64),
            ],
        );
    }
    grid
}

/// The headings of the rows for spreadsheets.
const HEADINGS: [&str; 31] = [
    "name",
    "policy",
    "cpu",
    "peer",
    "interval_ns",
    "slack_ns",
    "count",
    "missed",
    "min_ns",
    "mean_ns",
    "sd_ns",
    "p50_ns",
    "p90_ns",
    "p99_ns",
    "p999_ns",
    "p9999_ns",
    "p99999_ns",
    "max_ns",
    "corrected_p50_ns",
    "corrected_p99_ns",
    "corrected_p999_ns",
    "corrected_p99999_ns",
    "lost_share",
    "p50_low_ns",
    "p50_high_ns",
    "p99_low_ns",
    "p99_high_ns",
    "p999_low_ns",
    "p999_high_ns",
    "p99999_low_ns",
    "p99999_high_ns",
];

fn row(test: &LatencyTest) -> [String; HEADINGS.len()] {
    let (raw, corrected) = (&test.raw, &test.corrected);
    let number = |value: f64| Value::from(value).to_string();
    let some = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    let ends = |percentile: f64| {
        raw.interval(percentile).map_or([None; 2], |interval| [interval.low_ns, interval.high_ns]).map(some)
    };
    let [[p50_low, p50_high], [p99_low, p99_high], [p999_low, p999_high], [p99999_low, p99999_high]] =
        [50.0, 99.0, 99.9, 99.999].map(ends);
    [
        test.name.clone(),
        test.policy.to_string(),
        test.cpu.to_string(),
        some(test.peer.map(|peer| peer.0.into())),
        some(test.interval_ns),
        some(test.slack_ns),
        test.count.to_string(),
        test.missed.to_string(),
        raw.min_ns.to_string(),
        number(raw.mean_ns),
        number(raw.sd_ns),
        raw.p50_ns.to_string(),
        some(raw.p90_ns),
        some(raw.p99_ns),
        some(raw.p999_ns),
        some(raw.p9999_ns),
        some(raw.p99999_ns),
        raw.max_ns.to_string(),
        corrected.p50_ns.to_string(),
        some(corrected.p99_ns),
        some(corrected.p999_ns),
        some(corrected.p99999_ns),
        test.lost_share.map_or_else(String::new, number),
        p50_low,
        p50_high,
        p99_low,
        p99_high,
        p999_low,
        p999_high,
        p99999_low,
        p99999_high,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_and_ends_at_the_rarest() {
        let of = Percentiles {
            histogram: vec![(1000, 90), (10_000, 9), (1_000_000, 1)],
            ..Percentiles::default()
        };
        let points = points(&of);
        assert!(points.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 <= two[1].1), "{points:?}");
        assert_eq!((points[0], points[5]), ((0.0, 3.0), (2.0, 6.0)));
    }
}
