//! The JSON of `--export-json` in the form of hyperfine 2 (schema version 2): measurements with units, and summaries of
//! them. Each result also contains the fields of hyperfine 1, which existing scripts read.
//!
//! Specification: <https://docs.rs/crate/hyperfine/2.0.0-alpha.1/source/src/export/json.rs>; seconds and bytes.

use std::collections::BTreeMap;
use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Metric, Sample, Summary, Unit};
use serde::Serialize;

use super::{Timed, hyperfine, timed};
use crate::samples::{ByCommand, is_analysed, summary};
use crate::{Format, ReportError};

/// Metrics that hyperfine 2 knows, with hyperfine's names for them.
const METRICS: [(Metric, &str); 5] = [
    (Metric::WALL, PRIMARY),
    (Metric::CPU, "time_cpu"),
    (Metric::USER, "time_user"),
    (Metric::SYSTEM, "time_system"),
    (Metric::PEAK_MEMORY, "memory_peak_resident"),
];

const PRIMARY: &str = "time_wall_clock";

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    metadata: Metadata<'a>,
    primary_metric: &'static str,
    results: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    fauxplat_version: &'a str,
    start_time: &'a str,
    platform: Platform<'a>,
}

#[derive(Serialize)]
struct Platform<'a> {
    os: &'static str,
    architecture: &'a str,
}

#[derive(Serialize)]
struct Entry<'a> {
    /// Fields of version 1. In them `command` is the given name, since scripts use it as a label.
    #[serde(flatten)]
    version_1: hyperfine::Entry<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    measurements: Vec<Measurement>,
    summary: BTreeMap<&'static str, Statistics>,
}

#[derive(Serialize)]
struct Measurement {
    #[serde(flatten)]
    quantities: BTreeMap<&'static str, Quantity>,
    /// Exit status of the run; `null` if a signal ended it.
    exit_code: Option<i32>,
}

#[derive(Serialize)]
struct Quantity {
    value: f64,
    unit: &'static str,
}

#[derive(Serialize)]
struct Statistics {
    unit: &'static str,
    count: usize,
    mean: f64,
    /// Standard deviation of the runs; `null` for a single run.
    stddev: Option<f64>,
    median: f64,
    min: f64,
    max: f64,
}

/// Writes a result for each command that has at least one analysed run.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let samples = ByCommand::new(record);
    let commands = timed(record, Format::HyperfineJson2.name())?;
    let header = record.header;
    let document = Document {
        schema_version: 2,
        metadata: Metadata {
            fauxplat_version: &header.fauxplat_version,
            start_time: &header.started,
            platform: Platform { os: "Linux", architecture: &header.machine.architecture },
        },
        primary_metric: PRIMARY,
        results: commands.iter().map(|command| Entry::of(record, &samples, command)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    Ok(out.write_all(b"\n")?)
}

impl<'a> Entry<'a> {
    fn of(record: &Record<'a>, samples: &ByCommand<'a>, timed: &Timed<'a>) -> Self {
        let command = &record.commands[timed.index];
        let counts = |run: &&Sample| is_analysed(run, command) && run.get(Metric::WALL).is_some();
        let summaries = METRICS
            .iter()
            .filter_map(|(metric, word)| Some((*word, Statistics::of(summary(timed.findings, *metric)?))));
        Entry {
            version_1: hyperfine::Entry::of(record, samples, timed),
            name: (command.name != command.command).then_some(&command.name),
            measurements: samples
                .of(timed.index)
                .filter(counts)
                .map(|run| Measurement::of(run, timed))
                .collect(),
            summary: summaries.collect(),
        }
    }
}

/// The number of a metric's stored units in its base unit, and the name of the base unit.
fn base(metric: Metric) -> (f64, &'static str) {
    match metric.unit() {
        Unit::Nanos => (1e9, "second"),
        _ => (1.0, "byte"),
    }
}

impl Measurement {
    /// The measurement of one run. A metric with bounds among its readings is omitted from all runs.
    fn of(run: &Sample, timed: &Timed) -> Self {
        let is_bounded = |metric: Metric| timed.findings.bounded.iter().any(|it| it.metric == metric);
        let quantity = |&(metric, word): &(Metric, &'static str)| {
            let (scale, unit) = base(metric);
            let value = run.get(metric).filter(|_| !is_bounded(metric))?;
            Some((word, Quantity { value: value as f64 / scale, unit }))
        };
        let quantities = METRICS.iter().filter_map(quantity).collect();
        Measurement { quantities, exit_code: hyperfine::exit_code(run) }
    }
}

impl Statistics {
    fn of(summary: &Summary) -> Self {
        let (scale, unit) = base(summary.metric);
        Statistics {
            unit,
            count: summary.n,
            mean: summary.mean / scale,
            stddev: (summary.n > 1).then_some(summary.sd / scale),
            median: summary.median / scale,
            min: summary.min / scale,
            max: summary.max / scale,
        }
    }
}
