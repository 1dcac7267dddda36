//! Reads a baseline from fauxplat's JSON record of `run` or `compare`.

use std::collections::BTreeSet;
use std::fmt;

use fauxplat_model::{IgnoredFailures, MachineFacts, Metric, Phase, Readings, Sources};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{BaselineSeries, SourceFormat, complete, parse};
use crate::ReportError;

const EXPECTED: &str =
    "a record of `fauxplat run` or `fauxplat compare`: each of `commands` needs `name` and `runs`";

#[derive(Deserialize)]
struct Document {
    started: Option<String>,
    /// Facts of the machine as unparsed JSON, so that facts of a different version are no reason to refuse the runs.
    machine: Option<serde_json::Value>,
    sources: Option<serde_json::Value>,
    commands: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default)]
    condition: Condition,
    runs: Vec<Run>,
}

#[derive(Default, Deserialize)]
struct Condition {
    #[serde(default)]
    ignore_failure: IgnoredFailures,
}

/// A run of the record. Only its readings are stored, without a map of all fields, to save memory: a file may hold a
/// hundred thousand runs.
struct Run {
    phase: Phase,
    exit_status: i32,
    readings: Vec<(Metric, f64)>,
}

impl Run {
    fn get(&self, metric: Metric) -> Option<f64> {
        self.readings.iter().find(|(it, _)| *it == metric).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RunVisitor)
    }
}

/// A reading in a record: a value, or a bound, whose number is not used.
#[derive(Deserialize)]
#[serde(untagged)]
enum Figure {
    Value(f64),
    Bound(IgnoredAny),
}

struct RunVisitor;

impl<'de> Visitor<'de> for RunVisitor {
    type Value = Run;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run with `phase`, `exit_status` and metrics such as `wall_ns`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Run, A::Error> {
        let (mut phase, mut exit_status) = (None, None);
        let mut readings = Vec::new();
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match (key.as_ref(), Metric::from_field(&key)) {
                (_, Some(metric)) => {
                    let value = match map.next_value::<Option<Figure>>()? {
                        Some(Figure::Value(value)) => Some(value),
                        Some(Figure::Bound(_)) | None => None,
                    };
                    readings.extend(value.map(|value| (metric, value)));
                }
                ("phase", None) => phase = Some(map.next_value()?),
                ("exit_status", None) => exit_status = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let missing = <A::Error as serde::de::Error>::missing_field;
        Ok(Run {
            phase: phase.ok_or_else(|| missing("phase"))?,
            exit_status: exit_status.ok_or_else(|| missing("exit_status"))?,
            readings,
        })
    }
}

pub(super) fn read(text: &str) -> Result<Vec<BaselineSeries>, ReportError> {
    let Document { started, machine, sources, commands } = parse(text, EXPECTED)?;
    let sources = sources.and_then(|sources| serde_json::from_value(sources).ok());
    let sources: Sources = sources.unwrap_or_default();
    let machine: Option<MachineFacts> = machine.and_then(|facts| serde_json::from_value(facts).ok());
    let series = |entry: Entry| BaselineSeries {
        values: entry.values(&sources),
        name: entry.name,
        format: SourceFormat::Fauxplat,
        when: started.clone(),
        machine: machine.clone(),
    };
    Ok(commands.into_iter().map(series).collect())
}

impl Entry {
    fn values(&self, sources: &Sources) -> Vec<(Metric, Vec<f64>)> {
        let analysed = |run: &&Run| {
            run.phase == Phase::Measured && (run.exit_status == 0 || self.condition.ignore_failure.any())
        };
        // Earlier versions of fauxplat wrote a number where this version writes a bound.
        let is_value = |metric: Metric, number: f64| {
            let mut readings = Readings::from([(metric, number as u64)]);
            sources.mark(&mut readings);
            readings.get(metric).is_some()
        };
        let value = |run: &Run, metric: Metric| run.get(metric).filter(|&number| is_value(metric, number));
        let column =
            |metric: Metric| self.runs.iter().filter(analysed).map(|run| value(run, metric)).collect();
        let metrics: BTreeSet<Metric> =
            self.runs.iter().flat_map(|run| &run.readings).map(|(metric, _)| *metric).collect();
        complete(metrics.into_iter().map(|metric| (metric, column(metric))))
    }
}
