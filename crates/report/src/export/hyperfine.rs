//! The JSON of hyperfine 1 (`--export-json`), which more tools can read than that of version 2.
//!
//! Specification: <https://docs.rs/crate/hyperfine/1.20.0/source/src/benchmark/benchmark_result.rs>; times in seconds.

use std::collections::BTreeMap;
use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Metric, Sample};
use serde::Serialize;

use super::{Timed, timed};
use crate::samples::{ByCommand, is_analysed, summary};
use crate::{Format, ReportError};

#[derive(Serialize)]
struct Document<'a> {
    results: Vec<Entry<'a>>,
}

/// Result of a command in version 1 of the JSON. That of version 2 contains these fields as well, since most scripts
/// read only them.
#[derive(Serialize)]
pub(super) struct Entry<'a> {
    command: &'a str,
    mean: f64,
    /// Standard deviation of the times; `null` for a single run, as in hyperfine.
    stddev: Option<f64>,
    median: f64,
    user: f64,
    system: f64,
    min: f64,
    max: f64,
    times: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_usage_byte: Option<Vec<u64>>,
    /// Exit status of each run; `null` for a run that a signal ended.
    exit_codes: Vec<Option<i32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<&'a str, &'a str>,
}

/// Writes a result for each command that has at least one analysed run.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let samples = ByCommand::new(record);
    let commands = timed(record, Format::HyperfineJson.name())?;
    let results = commands.iter().map(|command| Entry::of(record, &samples, command)).collect();
    serde_json::to_writer_pretty(&mut *out, &Document { results })?;
    Ok(out.write_all(b"\n")?)
}

impl<'a> Entry<'a> {
    pub(super) fn of(record: &Record<'a>, samples: &ByCommand<'a>, timed: &Timed<'a>) -> Self {
        let command = &record.commands[timed.index];
        let has_wall = |sample: &&Sample| is_analysed(sample, command) && sample.get(Metric::WALL).is_some();
        let runs: Vec<&Sample> = samples.of(timed.index).filter(has_wall).collect();
        let mean = |metric| summary(timed.findings, metric).map_or(0.0, |summary| summary.mean / 1e9);
        let wall = timed.wall;
        Entry {
            command: &command.name,
            mean: wall.mean / 1e9,
            stddev: (wall.n > 1).then_some(wall.sd / 1e9),
            median: wall.median / 1e9,
            user: mean(Metric::USER),
            system: mean(Metric::SYSTEM),
            min: wall.min / 1e9,
            max: wall.max / 1e9,
            times: runs.iter().filter_map(|run| run.get(Metric::WALL)).map(|ns| ns as f64 / 1e9).collect(),
            memory_usage_byte: runs.iter().map(|run| run.get(Metric::PEAK_MEMORY)).collect(),
            exit_codes: runs.iter().map(|run| exit_code(run)).collect(),
            parameters: command
                .parameters
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect(),
        }
    }
}

/// The exit status of a run; `None` if a signal or the time limit ended it.
pub(super) fn exit_code(run: &Sample) -> Option<i32> {
    match run.outcome {
        fauxplat_model::Outcome::Exited(status) => Some(status.into()),
        _ => None,
    }
}
