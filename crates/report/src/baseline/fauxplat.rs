//! fauxplat's own record of `run` or `compare`.

use std::fmt;

use fauxplat_model::{Metric, Phase};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{BaselineSeries, SourceFormat, complete, parse};
use crate::ReportError;

const EXPECTED: &str =
    "a record of `fauxplat run` or `fauxplat compare`: each of `commands` needs `name` and `runs`";

#[derive(Deserialize)]
struct Document {
    started: Option<String>,
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
    ignore_failure: bool,
}

/// A run without a map of its fields: a hundred thousand of them shall stay small.
struct Run {
    phase: Phase,
    exit_status: i32,
    readings: [Option<f64>; Metric::COUNT],
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RunVisitor)
    }
}

struct RunVisitor;

impl<'de> Visitor<'de> for RunVisitor {
    type Value = Run;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run with `phase`, `exit_status` and metrics such as `wall_ns`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Run, A::Error> {
        let (mut phase, mut exit_status) = (None, None);
        let mut readings = [None; Metric::COUNT];
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let metric = Metric::ALL.into_iter().find(|metric| metric.field() == key);
            match (key.as_ref(), metric) {
                (_, Some(metric)) => readings[metric as usize] = map.next_value()?,
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
    let Document { started, commands } = parse(text, EXPECTED)?;
    let series = |entry: Entry| BaselineSeries {
        values: entry.values(),
        name: entry.name,
        format: SourceFormat::Fauxplat,
        when: started.clone(),
    };
    Ok(commands.into_iter().map(series).collect())
}

impl Entry {
    /// The metrics that were measured in every analysed run.
    fn values(&self) -> Vec<(Metric, Vec<f64>)> {
        let analysed = |run: &&Run| {
            run.phase == Phase::Measured && (run.exit_status == 0 || self.condition.ignore_failure)
        };
        let column = |metric: Metric| {
            self.runs.iter().filter(analysed).map(|run| run.readings[metric as usize]).collect()
        };
        complete(Metric::ALL.map(|metric| (metric, column(metric))))
    }
}
