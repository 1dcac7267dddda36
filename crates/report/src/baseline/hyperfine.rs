//! Reads a baseline from hyperfine's `--export-json`: `times` in seconds (version 1), or a list of measurements
//! (version 2).

use fauxplat_model::Metric;
use serde::Deserialize;

use super::{BaselineSeries, SourceFormat, complete, parse};
use crate::ReportError;

const EXPECTED: &str = "hyperfine JSON: each of `results` needs `command` and either `times` (version 1) or \
                        `measurements` (version 2)";

#[derive(Deserialize)]
struct Document {
    metadata: Option<Metadata>,
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Metadata {
    start_time: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "RawEntry")]
struct Entry {
    name: String,
    runs: Runs,
}

/// An entry of `results` in either version. An untagged enum would lose the location of an error.
#[derive(Deserialize)]
struct RawEntry {
    command: String,
    name: Option<String>,
    times: Option<Vec<f64>>,
    memory_usage_byte: Option<Vec<f64>>,
    /// Exit code of each run; `null` for a run that a signal ended.
    exit_codes: Option<Vec<Option<i32>>>,
    measurements: Option<Vec<Measurement>>,
}

enum Runs {
    Version2 { measurements: Vec<Measurement> },
    Version1 { times: Vec<f64>, memory_usage_byte: Option<Vec<f64>> },
}

#[derive(Deserialize)]
struct Measurement {
    time_wall_clock: Quantity,
    time_cpu: Option<Quantity>,
    time_user: Option<Quantity>,
    time_system: Option<Quantity>,
    memory_peak_resident: Option<Quantity>,
    /// Exit code of the run; `None` if the file has no such field, `Some(None)` for a run that a signal ended.
    #[serde(default, deserialize_with = "present")]
    exit_code: Option<Option<i32>>,
}

/// Distinguishes a field that is `null` (`Some(None)`) from a missing field (`None`).
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<i32>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// A value in the base unit of its quantity: seconds or bytes.
#[derive(Deserialize)]
struct Quantity {
    value: f64,
}

pub(super) fn read(text: &str) -> Result<Vec<BaselineSeries>, ReportError> {
    let document: Document = parse(text, EXPECTED)?;
    let when = document.metadata.and_then(|metadata| metadata.start_time);
    let series = |entry: Entry| BaselineSeries {
        name: entry.name,
        values: entry.runs.into_values(),
        format: SourceFormat::Hyperfine,
        when: when.clone(),
        machine: None,
    };
    Ok(document.results.into_iter().map(series).collect())
}

impl TryFrom<RawEntry> for Entry {
    type Error = &'static str;

    fn try_from(raw: RawEntry) -> Result<Self, Self::Error> {
        let runs = match (raw.times, raw.measurements) {
            (_, Some(mut measurements)) => {
                measurements.retain(|it| it.exit_code.is_none_or(|code| code == Some(0)));
                Runs::Version2 { measurements }
            }
            (Some(times), None) => {
                let codes = raw.exit_codes.filter(|codes| codes.len() == times.len());
                let memory = raw.memory_usage_byte.filter(|bytes| bytes.len() == times.len());
                Runs::Version1 {
                    times: successful(times, codes.as_deref()),
                    memory_usage_byte: memory.map(|bytes| successful(bytes, codes.as_deref())),
                }
            }
            (None, None) => return Err("neither `times` nor `measurements`"),
        };
        Ok(Entry { name: raw.name.unwrap_or(raw.command), runs })
    }
}

/// The values of successful runs, by the exit code of each if the file has them. The duration of a failed run says
/// nothing about the command.
fn successful(values: Vec<f64>, codes: Option<&[Option<i32>]>) -> Vec<f64> {
    let ended_well = |run: usize| codes.is_none_or(|codes| codes[run] == Some(0));
    values.into_iter().enumerate().filter(|(run, _)| ended_well(*run)).map(|(_, value)| value).collect()
}

impl Runs {
    fn into_values(self) -> Vec<(Metric, Vec<f64>)> {
        match self {
            Runs::Version1 { times, memory_usage_byte } => {
                let wall = times.into_iter().map(|seconds| seconds * 1e9).collect();
                complete([(Metric::WALL, Some(wall)), (Metric::PEAK_MEMORY, memory_usage_byte)])
            }
            Runs::Version2 { measurements } => {
                let column = |scale: f64, quantity: fn(&Measurement) -> Option<&Quantity>| {
                    measurements.iter().map(|it| Some(quantity(it)?.value * scale)).collect()
                };
                complete([
                    (Metric::WALL, column(1e9, |it| Some(&it.time_wall_clock))),
                    (Metric::USER, column(1e9, |it| it.time_user.as_ref())),
                    (Metric::SYSTEM, column(1e9, |it| it.time_system.as_ref())),
                    (Metric::CPU, column(1e9, |it| it.time_cpu.as_ref())),
                    (Metric::PEAK_MEMORY, column(1.0, |it| it.memory_peak_resident.as_ref())),
                ])
            }
        }
    }
}
