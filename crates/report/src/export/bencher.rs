//! Bencher Metric Format, the `json` adapter of Bencher.
//!
//! Specification: <https://bencher.dev/docs/reference/bencher-metric-format>. `latency` is a built-in measure of
//! Bencher, in nanoseconds; Bencher creates the other measures under the names of fauxplat's metrics.

use std::collections::BTreeMap;
use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Metric, Summary};
use serde::Serialize;

use super::{Timed, timed};
use crate::{Format, ReportError};

#[derive(Serialize)]
struct Measured {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// Writes the median of every metric of each command, with its 95 % interval.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let commands = timed(record, Format::BencherBmf.name())?;
    let benchmarks: BTreeMap<String, BTreeMap<String, Measured>> = commands.iter().map(benchmark).collect();
    serde_json::to_writer_pretty(&mut *out, &benchmarks)?;
    Ok(out.write_all(b"\n")?)
}

fn benchmark(command: &Timed) -> (String, BTreeMap<String, Measured>) {
    let name = command.name.clone();
    let measures = command.findings.summaries.iter();
    (name, measures.map(|summary| (measure(summary), Measured::of(summary))).collect())
}

/// Name of a metric as a measure of Bencher. Readings of the first thread alone are another measure than those of the
/// whole process tree.
fn measure(summary: &Summary) -> String {
    let metric = summary.metric;
    match summary.first_thread {
        _ if metric == Metric::WALL => "latency".to_owned(),
        true => format!("{}-first-thread", metric.name()),
        false => metric.name().to_owned(),
    }
}

impl Measured {
    fn of(summary: &Summary) -> Self {
        Measured { value: summary.median, lower_value: summary.low, upper_value: summary.high }
    }
}
