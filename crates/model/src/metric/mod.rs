//! Metrics: quantities that are read of runs. A metric is a handle to its specification that is as cheap to copy as a
//! number, and a new metric needs no change of the code that stores, analyses or reports it.

mod built_in;
mod open;
mod set;
mod spec;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use built_in::find as built_in;
pub use set::MetricSet;
pub use spec::{Better, Coverage, MetricError, MetricId, MetricSpec, Unit, check_region};

/// Maximum number of metrics beside the built-in ones that a process can register. The number is bounded because
/// metrics are never freed and documents can name new ones.
pub const OPEN_MAX: usize = 4096;
/// Greatest length in bytes of the title, field or source of a metric.
pub(crate) const TEXT_MAX: usize = 400;

/// Least similarity (Jaro and Winkler, 1 for equal words) at which a name is suggested for an unknown one.
const NEAR: f64 = 0.8;

/// A specification with the number that identifies the metric in this process. Built-in metrics have the first numbers.
#[derive(Debug)]
struct Interned {
    number: u16,
    spec: MetricSpec,
}

/// A quantity that is read of every run. Readings cover the whole process tree unless [`crate::Sources`] or the
/// metric's own [`Coverage`] says otherwise. Metrics with equal ids are equal.
#[derive(Clone, Copy)]
pub struct Metric(&'static Interned);

impl Metric {
    /// Registers a metric. Repeated registration of an id returns the same metric with the last specification.
    ///
    /// # Errors
    /// Returns a [`MetricError`] if the metric is built in, its texts are too long, or there are too many metrics.
    pub fn open(spec: MetricSpec) -> Result<Metric, MetricError> {
        open::intern(spec)
    }

    /// Finds the metric with an id: built-in, registered, or else registered now with a guessed specification.
    ///
    /// # Errors
    /// Returns [`MetricError::BadId`] for an invalid id, and [`MetricError::TooMany`] beyond [`OPEN_MAX`] metrics.
    pub fn from_id(id: &str) -> Result<Metric, MetricError> {
        match Metric::from_name(id) {
            Some(metric) => Ok(metric),
            None => open::intern_unknown(id.to_owned().try_into()?),
        }
    }

    /// Finds a built-in or registered metric by its word on the command line (`sys` is accepted for `system`).
    pub fn from_name(name: &str) -> Option<Metric> {
        built_in(if name == "sys" { "system" } else { name }).or_else(|| open::find(name))
    }

    /// The built-in metric whose word is most similar to an unknown name, if one is similar enough.
    pub fn near(name: &str) -> Option<&'static str> {
        let likeness = |metric: &Metric| strsim::jaro_winkler(name, metric.name());
        let best = Metric::BUILT_IN.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
        (likeness(best) >= NEAR).then(|| best.name())
    }

    /// Finds the metric of a field in documents: a built-in one, or another one by the id and the unit suffix of the
    /// field.
    pub fn from_field(field: &str) -> Option<Metric> {
        let built_in = Metric::BUILT_IN.iter().copied().find(|metric| metric.field() == field);
        built_in.or_else(|| open::of_field(field))
    }

    pub fn spec(self) -> &'static MetricSpec {
        &self.0.spec
    }

    /// The word of the metric on the command line, such as `peak-memory`.
    pub fn name(self) -> &'static str {
        self.spec().id.as_str()
    }

    /// The region of a program that the metric covers; `None` for metrics of whole runs.
    pub fn region(self) -> Option<&'static str> {
        self.name().split_once(':')?.0.strip_prefix(MetricSpec::REGION)
    }

    /// The field name in documents, which ends with the unit: `peak_memory_bytes`.
    pub fn field(self) -> &'static str {
        &self.spec().field
    }

    /// Name of the metric in reports, such as `peak memory`.
    pub fn title(self) -> &'static str {
        &self.spec().title
    }

    pub fn unit(self) -> Unit {
        self.spec().unit
    }

    /// Whether more is better, as for a rate. For most metrics less is better.
    pub fn more_is_better(self) -> bool {
        self.spec().better == Better::More
    }

    pub fn is_built_in(self) -> bool {
        self.number() < Metric::BUILT_IN.len()
    }

    /// Number of the metric in this process; for built-in metrics, that of the column in the store.
    pub(crate) fn number(self) -> usize {
        self.0.number.into()
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Metric {}

impl Hash for Metric {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl Ord for Metric {
    /// Built-in metrics come first, in the order of their columns; then the others, by id.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |metric: &Metric| match metric.is_built_in() {
            true => (metric.number(), ""),
            false => (usize::MAX, metric.name()),
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Metric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({})", self.name())
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Metric::from_id(&id).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
