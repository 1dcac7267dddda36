//! The input of github-action-benchmark with `tool: customSmallerIsBetter`.
//!
//! Specification: <https://github.com/benchmark-action/github-action-benchmark#examples>. Units are fixed, since the
//! action compares the bare numbers of two commits.

use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Comparison, Metric, Summary, Unit};
use serde::Serialize;

use super::{Timed, gated, timed};
use crate::samples::summary;
use crate::words::spaced;
use crate::{Format, ReportError, verdict};

/// The metrics that are exported for the action's charts.
const METRICS: [Metric; 3] = [Metric::WALL, Metric::CPU, Metric::PEAK_MEMORY];

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let commands = timed(record, Format::GithubActionBenchmark.name())?;
    let entries: Vec<Entry> = commands.iter().flat_map(|command| entries_of(record, command)).collect();
    serde_json::to_writer_pretty(&mut *out, &entries)?;
    Ok(out.write_all(b"\n")?)
}

fn entries_of(record: &Record, command: &Timed) -> Vec<Entry> {
    let entry = |metric| Some((metric, Entry::of(&command.name, summary(command.findings, metric)?)));
    let mut entries: Vec<(Metric, Entry)> = METRICS.into_iter().filter_map(entry).collect();
    for comparison in gated(record, command.index) {
        let own = entries.iter().position(|(metric, _)| *metric == comparison.metric);
        match (own, gate_words(comparison)) {
            (Some(at), Some(words)) => entries[at].1.extra.push_str(&format!("; {words}")),
            (None, Some(words)) => elsewhere(&mut entries, comparison.metric, &words),
            (_, None) => {}
        }
    }
    entries.into_iter().map(|(_, entry)| entry).collect()
}

/// Adds the answer of a gate about a metric without an entry of its own to the first entry of the command: a rate, of
/// which more is better, has no place in these charts, and its gate may be the one that failed.
fn elsewhere(entries: &mut [(Metric, Entry)], metric: Metric, words: &str) {
    if let Some((_, first)) = entries.first_mut() {
        first.extra.push_str(&format!("; {}: {words}", metric.title()));
    }
}

fn gate_words(comparison: &Comparison) -> Option<String> {
    verdict::gate(comparison).map(|words| spaced(&words))
}

impl Entry {
    fn of(name: &str, summary: &Summary) -> Self {
        let (scale, unit) = match summary.metric.unit() {
            Unit::Nanos => (1e6, "ms"),
            Unit::Bytes => (1_048_576.0, "MiB"),
            Unit::Count => (1.0, "events"),
            Unit::Millionth => (1e6, "printed"),
            Unit::MicroPerSecond => (1e6, "events/s"),
        };
        let ends = summary.interval();
        Entry {
            name: format!("{}: {}", name, summary.metric.title()),
            unit,
            value: summary.median / scale,
            range: ends.map(|[low, high]| format!("± {:.6}", (high - low) / 2.0 / scale)),
            extra: format!(
                "median of {} runs{}",
                summary.n,
                if ends.is_some() { " with its 95 % interval" } else { "" }
            ),
        }
    }
}
