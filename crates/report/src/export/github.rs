//! The input of github-action-benchmark with `tool: customSmallerIsBetter`.
//!
//! Its shape: <https://github.com/benchmark-action/github-action-benchmark#examples>. Units are fixed, since the
//! action compares the bare numbers of two commits.

use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Metric, Summary, Unit};
use serde::Serialize;

use super::{Timed, timed};
use crate::samples::summary;
use crate::{Format, ReportError};

/// The metrics worth a chart.
const METRICS: [Metric; 3] = [Metric::WALL, Metric::CPU, Metric::PEAK_MEMORY];

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    range: String,
    extra: String,
}

/// Writes the median of each charted metric of each command.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let entries: Vec<Entry> =
        timed(record, Format::GithubActionBenchmark.name())?.iter().flat_map(entries_of).collect();
    serde_json::to_writer_pretty(&mut *out, &entries)?;
    Ok(out.write_all(b"\n")?)
}

fn entries_of(command: &Timed) -> Vec<Entry> {
    let entry = |metric| summary(command.findings, metric).map(|summary| Entry::of(&command.name, summary));
    METRICS.into_iter().filter_map(entry).collect()
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
        let half = (summary.high - summary.low) / 2.0 / scale;
        Entry {
            name: format!("{}: {}", name, summary.metric.title()),
            unit,
            value: summary.median / scale,
            range: format!("± {half:.6}"),
            extra: format!("median of {} runs with its 95 % interval", summary.n),
        }
    }
}
