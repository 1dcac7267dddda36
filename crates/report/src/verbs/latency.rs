//! The report of `latency`: percentiles as they were seen and with what was missed, and what took the CPU away.

use fauxplat_model::{LatencyFindings, LatencyTest, Metric, Percentiles, Policy};
use serde::Serialize;

use crate::grid::{Grid, Tone};
use crate::parts::{Bars, Part};
use crate::words::{counted, percent, quantity};

pub(crate) fn parts(found: &LatencyFindings) -> Vec<Part> {
    let mut parts = vec![Part::Sentence(Tone::Title, answer(found)), Part::Table(table(found))];
    parts.extend(distributions(found).map(Part::Bars));
    let missed: u64 = found.tests.iter().map(|test| test.missed).sum();
    if missed > 0 {
        parts.push(Part::Sentence(Tone::Doubt, stalls(found, missed)));
    }
    for test in found.tests.iter().filter(|test| !test.causes.is_empty()) {
        parts.push(Part::plain(format!(
            "Noise on CPU {} at {}: {} of the time was lost to",
            test.cpu,
            test.policy,
            percent(test.lost_share.unwrap_or(0.0))
        )));
        parts.push(Part::Table(causes(test)));
    }
    parts
}

pub(crate) fn answer(found: &LatencyFindings) -> String {
    let worst = found.tests.iter().max_by_key(|test| test.corrected.p99_ns);
    let Some(worst) = worst else { return "Nothing was measured.".to_owned() };
    let best = found.tests.iter().min_by_key(|test| test.corrected.p99_ns).unwrap_or(worst);
    match found.tests.len() {
        1 => format!(
            "{}: half within {}, 99 % within {}",
            place(worst),
            time(worst.raw.p50_ns),
            time(worst.corrected.p99_ns)
        ),
        all => format!(
            "{}: 99 % within {} ({}) to {} ({})",
            counted(all, "test", "tests"),
            time(best.corrected.p99_ns),
            place(best),
            time(worst.corrected.p99_ns),
            place(worst)
        ),
    }
}

pub(crate) fn time(ns: u64) -> String {
    quantity(Metric::WALL, ns as f64)
}

/// A test in words: what, where and how.
pub(crate) fn place(test: &LatencyTest) -> String {
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
    // Where there is no room, the count goes first, and a column that says nothing before any other.
    let nothing_missed = found.tests.iter().all(|test| test.missed == 0);
    let dispensable: &[usize] = if nothing_missed { &[9, 10, 6, 8, 5] } else { &[10, 6, 5] };
    let mut grid = Grid::new(&header, dispensable);
    for test in &found.tests {
        let raw = &test.raw;
        let peer = test.peer.map_or(String::new(), |peer| format!(" to {peer}"));
        let mut cells = vec![test.name.clone(), format!("{}{peer}", test.cpu), policy(test)];
        cells.extend([raw.p50_ns, raw.p99_ns, raw.p999_ns, raw.p99999_ns, raw.max_ns].map(time));
        cells.extend([test.missed.to_string(), time(test.corrected.p99_ns), test.count.to_string()]);
        grid.push(if test.missed > 0 { Tone::Doubt } else { Tone::Plain }, cells);
    }
    grid
}

/// Columns of a drawn distribution.
const COLUMNS: usize = 48;
/// More distributions than this are no picture.
const DRAWN_MAX: usize = 18;
/// Fewer activations than this are better read in the table.
const COUNT_MIN: u64 = 20;

/// The distributions on one logarithmic axis. Of messages the round trip stands for both ways.
fn distributions(found: &LatencyFindings) -> Option<Bars> {
    let is_way = |name: &str| name.ends_with(" there") || name.ends_with(" back");
    let drawn: Vec<&LatencyTest> =
        found.tests.iter().filter(|test| test.count >= COUNT_MIN && !is_way(&test.name)).collect();
    let low = drawn.iter().map(|test| test.corrected.min_ns.max(1)).min()?;
    let high = drawn.iter().map(|test| test.corrected.max_ns).max()?;
    if drawn.len() > DRAWN_MAX || high <= low {
        return None;
    }
    let (from, to) = ((low as f64).ln(), (high as f64).ln());
    let series = |test: &&LatencyTest| (place(test), columns(&test.corrected, from, to));
    Some(Bars {
        title: "distribution: time and height are logarithmic, what was missed is in it".to_owned(),
        series: drawn.iter().map(series).collect(),
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

fn stalls(found: &LatencyFindings, missed: u64) -> String {
    let due: u64 = found.tests.iter().map(|test| test.count + test.missed).sum();
    format!(
        "{missed} of {due} activations came due while the test itself was stalled. They are not in the percentiles as seen; \
         with them, each late by what was left of its stall, the last column is what somebody would have waited."
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

/// One row of a spreadsheet.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    name: &'a str,
    policy: Policy,
    cpu: u32,
    peer: Option<u32>,
    interval_ns: Option<u64>,
    slack_ns: Option<u64>,
    count: u64,
    missed: u64,
    min_ns: u64,
    mean_ns: f64,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    p999_ns: u64,
    p9999_ns: u64,
    p99999_ns: u64,
    max_ns: u64,
    corrected_p50_ns: u64,
    corrected_p99_ns: u64,
    corrected_p999_ns: u64,
    corrected_p99999_ns: u64,
    lost_share: Option<f64>,
}

/// The row of a test.
pub(crate) fn row(test: &LatencyTest) -> Row<'_> {
    let (raw, corrected) = (&test.raw, &test.corrected);
    Row {
        name: &test.name,
        policy: test.policy,
        cpu: test.cpu.0,
        peer: test.peer.map(|peer| peer.0),
        interval_ns: test.interval_ns,
        slack_ns: test.slack_ns,
        count: test.count,
        missed: test.missed,
        min_ns: raw.min_ns,
        mean_ns: raw.mean_ns,
        p50_ns: raw.p50_ns,
        p90_ns: raw.p90_ns,
        p99_ns: raw.p99_ns,
        p999_ns: raw.p999_ns,
        p9999_ns: raw.p9999_ns,
        p99999_ns: raw.p99999_ns,
        max_ns: raw.max_ns,
        corrected_p50_ns: corrected.p50_ns,
        corrected_p99_ns: corrected.p99_ns,
        corrected_p999_ns: corrected.p999_ns,
        corrected_p99999_ns: corrected.p99999_ns,
        lost_share: test.lost_share,
    }
}
