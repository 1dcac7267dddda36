//! The report of `latency`: percentiles as they were seen and with what was missed, and what took the CPU away.

use fauxplat_model::{LatencyFindings, LatencyTest, Metric, Policy};

use crate::grid::{Grid, Tone};
use crate::parts::Part;
use crate::words::{counted, percent, quantity};

pub(crate) fn parts(found: &LatencyFindings) -> Vec<Part> {
    let mut parts = vec![Part::Sentence(Tone::Title, answer(found)), Part::Table(table(found))];
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

fn answer(found: &LatencyFindings) -> String {
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

fn time(ns: u64) -> String {
    quantity(Metric::Wall, ns as f64)
}

fn place(test: &LatencyTest) -> String {
    let at = match test.peer {
        Some(peer) => format!("CPU {} to {peer}", test.cpu),
        None => format!("CPU {}", test.cpu),
    };
    let slack = test.slack_ns.filter(|_| test.policy == Policy::Other);
    let slack = slack.map_or(String::new(), |ns| format!(", slack {}", time(ns)));
    format!("{}, {at}, {}{slack}", test.name, test.policy)
}

fn table(found: &LatencyFindings) -> Grid {
    let header = ["test", "count", "missed", "p50", "p99", "p99.9", "p99.999", "max", "p99 with missed"];
    let mut grid = Grid::new(&header, &[6, 1, 5]);
    for test in &found.tests {
        let raw = &test.raw;
        let mut cells = vec![place(test), test.count.to_string(), test.missed.to_string()];
        cells.extend([raw.p50_ns, raw.p99_ns, raw.p999_ns, raw.p99999_ns, raw.max_ns].map(time));
        cells.push(time(test.corrected.p99_ns));
        grid.push(if test.missed > 0 { Tone::Doubt } else { Tone::Plain }, cells);
    }
    grid
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
