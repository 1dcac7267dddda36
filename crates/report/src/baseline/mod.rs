//! Earlier results of fauxplat or of another tool, read back as series of numbers.

mod fauxplat;
mod hyperfine;
mod pyperf;
mod record;

pub use record::{RecordedRuns, read_record};

use fauxplat_model::{MachineFacts, Metric};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::ReportError;

/// Maximum size of a baseline's file in bytes: about half a million runs of fauxplat. The worst text of this length
/// becomes about 2 GiB of numbers.
pub const BASELINE_BYTES_MAX: usize = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFormat {
    /// fauxplat's JSON record of `run` or `compare`.
    Fauxplat,
    /// hyperfine's `--export-json`, version 1 or 2.
    Hyperfine,
    /// pyperf's JSON.
    Pyperf,
}

impl SourceFormat {
    pub fn name(self) -> &'static str {
        match self {
            SourceFormat::Fauxplat => "fauxplat JSON",
            SourceFormat::Hyperfine => "hyperfine JSON",
            SourceFormat::Pyperf => "pyperf JSON",
        }
    }
}

/// Values of one command that were measured at another time.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineSeries {
    /// Name of the command in the file.
    pub name: String,
    /// Values of each metric in the metric's unit (nanoseconds, bytes, events), in the order of the file. No list of
    /// values is empty.
    pub values: Vec<(Metric, Vec<f64>)>,
    pub format: SourceFormat,
    /// Time of the measurement as it stands in the file (RFC 3339, or a date and time); `None` if the file has none.
    pub when: Option<String>,
    /// Machine of the measurement; `None` unless the file has all facts that distinguish machines.
    pub machine: Option<MachineFacts>,
}

impl BaselineSeries {
    pub fn get(&self, metric: Metric) -> Option<&[f64]> {
        self.values.iter().find(|(it, _)| *it == metric).map(|(_, values)| values.as_slice())
    }
}

/// The fields by which the kind of a file is recognised. Their contents are ignored.
#[derive(Deserialize)]
struct Probe {
    schema: Option<String>,
    results: Option<IgnoredAny>,
    benchmarks: Option<IgnoredAny>,
}

/// Reads results of fauxplat, hyperfine (both versions of its JSON) or pyperf, whose kind is recognised by its fields.
///
/// # Errors
///
/// Fails for broken JSON and unexpected shapes, with line, column and the expected shape.
pub fn read_baseline(text: &str) -> Result<Vec<BaselineSeries>, ReportError> {
    let (series, format) = match kind(text)? {
        SourceFormat::Fauxplat => (fauxplat::read(text)?, SourceFormat::Fauxplat),
        SourceFormat::Hyperfine => (hyperfine::read(text)?, SourceFormat::Hyperfine),
        SourceFormat::Pyperf => (pyperf::read(text)?, SourceFormat::Pyperf),
    };
    let series: Vec<_> = series.into_iter().filter(|it| !it.values.is_empty()).collect();
    match series.is_empty() {
        true => Err(ReportError::BaselineEmpty { format: format.name() }),
        false => Ok(series),
    }
}

fn kind(text: &str) -> Result<SourceFormat, ReportError> {
    let unknown = |found: String| Err(ReportError::BaselineKind { found });
    let probe: Probe = match serde_json::from_str(text) {
        Ok(probe) => probe,
        Err(error) if error.is_data() => return unknown(format!("found {error}")),
        Err(error) => return Err(syntax(&error)),
    };
    match probe {
        Probe { schema: Some(schema), .. } => match schema.as_str() {
            "fauxplat.run/2" | "fauxplat.compare/2" => Ok(SourceFormat::Fauxplat),
            "fauxplat.run/1" | "fauxplat.compare/1" => Ok(SourceFormat::Fauxplat),
            other => unknown(format!("found schema {other:?}")),
        },
        Probe { results: Some(_), .. } => Ok(SourceFormat::Hyperfine),
        Probe { benchmarks: Some(_), .. } => Ok(SourceFormat::Pyperf),
        _ => unknown("found an object with none of these fields".to_owned()),
    }
}

fn parse<T: DeserializeOwned>(text: &str, expected: &'static str) -> Result<T, ReportError> {
    serde_json::from_str(text).map_err(|error: serde_json::Error| match error.is_data() {
        true => ReportError::BaselineShape {
            expected,
            line: error.line(),
            column: error.column(),
            message: message(&error),
        },
        false => syntax(&error),
    })
}

fn syntax(error: &serde_json::Error) -> ReportError {
    ReportError::BaselineSyntax { line: error.line(), column: error.column(), message: message(error) }
}

/// The message of the JSON parser without the location, which the error states separately.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The message quotes words of the file, which may contain line breaks, so these are replaced.
    text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).replace('\n', " ")
}

/// Leaves out metrics without a usable value for every run, and metrics without runs. A negative time, or a time that
/// is too large for a number of nanoseconds, would spoil every figure that is compared with it.
fn complete(columns: impl IntoIterator<Item = (Metric, Option<Vec<f64>>)>) -> Vec<(Metric, Vec<f64>)> {
    let is_possible = |value: &f64| value.is_finite() && *value >= 0.0;
    let is_usable = |values: &Vec<f64>| !values.is_empty() && values.iter().all(is_possible);
    let filled = |(metric, values): (Metric, Option<Vec<f64>>)| Some((metric, values.filter(is_usable)?));
    columns.into_iter().filter_map(filled).collect()
}
