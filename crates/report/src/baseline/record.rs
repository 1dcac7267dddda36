//! Reads fauxplat's JSON record of interleaved runs, with all readings of each run.

use fauxplat_model::{Command, MachineFacts, Metric, Outcome, Phase, Readings, Sample, Sources, Told};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::ReportError;

#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRuns {
    pub commands: Vec<Command>,
    pub samples: Vec<Sample>,
    /// Machine of the runs; `None` unless the file has all facts that this version knows.
    pub machine: Option<MachineFacts>,
    /// Names of the kinds of disturbance (strata) under which a calibration was made; empty for other documents.
    pub strata: Vec<String>,
    /// Whether some copies of a calibration did extra work, to measure how often differences are found.
    pub has_power: bool,
}

#[derive(Deserialize)]
struct Document {
    machine: Option<Value>,
    /// Sources of the readings as unparsed JSON, like the machine. If they cannot be interpreted, no reading counts as
    /// a bound because of them.
    sources: Option<Value>,
    commands: Vec<Entry>,
    #[serde(default)]
    strata: Vec<Stratum>,
    #[serde(default)]
    power: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Stratum {
    name: String,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(flatten)]
    command: Command,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    trial: u32,
    block: u32,
    position: u16,
    phase: Phase,
    started_ns: u64,
    outcome: Outcome,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Run {
    fn sample(self, command: u16, sources: &Sources) -> Sample {
        let reading =
            |(field, value): (&String, &Value)| Some((Metric::from_field(field)?, Told::of_json(value)?));
        let mut readings = Readings::none();
        for (metric, told) in self.others.iter().filter_map(reading) {
            readings.set(metric, Some(told.number));
            readings.set_bound(metric, told.bound);
        }
        sources.mark(&mut readings);
        Sample {
            trial: self.trial,
            block: self.block,
            command,
            position: self.position,
            phase: self.phase,
            outcome: self.outcome,
            started_ns: self.started_ns,
            ..Sample::of(readings)
        }
    }
}

/// Reads a document of `aa` or `compare` with its runs.
///
/// # Errors
/// Fails for broken JSON and unexpected shapes, with line and column.
pub fn read_record(text: &str) -> Result<RecordedRuns, ReportError> {
    let document: Document = serde_json::from_str(text).map_err(ReportError::NoRuns)?;
    let mut found = RecordedRuns {
        commands: Vec::new(),
        samples: Vec::new(),
        machine: document.machine.and_then(|facts| serde_json::from_value(facts).ok()),
        strata: document.strata.into_iter().map(|stratum| stratum.name).collect(),
        has_power: !document.power.is_empty(),
    };
    let sources = document.sources.and_then(|sources| serde_json::from_value(sources).ok());
    let sources: Sources = sources.unwrap_or_default();
    for (number, entry) in (0..).zip(document.commands) {
        found.commands.push(entry.command);
        found.samples.extend(entry.runs.into_iter().map(|run| run.sample(number, &sources)));
    }
    found.samples.sort_by_key(|sample| sample.trial);
    Ok(found)
}
