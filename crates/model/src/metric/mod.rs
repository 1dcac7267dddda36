//! What is read of each run. A metric is a handle to what is known of it, so that it is as cheap to pass on as a number
//! and a new one needs no change to any stage.

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

/// How many metrics a process may know beside those that are built in. They are never forgotten, and documents name
/// them too.
pub const OPEN_MAX: usize = 4096;
/// The longest title, field or source of a metric.
pub(crate) const TEXT_MAX: usize = 400;

/// From this likeness on (Jaro and Winkler's, 1 for the same) a name may be meant for another.
const NEAR: f64 = 0.8;

/// What is known of a metric, and its number in this process: those that are built in come first.
#[derive(Debug)]
struct Interned {
    number: u16,
    spec: MetricSpec,
}

/// One quantity that is read of every run. The whole process tree is meant unless [`crate::Sources`] or the metric's
/// own [`Coverage`] says otherwise. Two are equal if their ids are.
#[derive(Clone, Copy)]
pub struct Metric(&'static Interned);

impl Metric {
    /// Makes a metric known. The same id gives the same metric; what is said last of it stands.
    ///
    /// # Errors
    /// [`MetricError`]: it is one that is built in, its texts are too long, or there are too many.
    pub fn open(spec: MetricSpec) -> Result<Metric, MetricError> {
        open::intern(spec)
    }

    /// The metric of an id: one that is built in, one that is known, or else one of which nothing but the id is known.
    ///
    /// # Errors
    /// [`MetricError::BadId`], [`MetricError::TooMany`].
    pub fn from_id(id: &str) -> Result<Metric, MetricError> {
        match Metric::from_name(id) {
            Some(metric) => Ok(metric),
            None => open::intern_unknown(id.to_owned().try_into()?),
        }
    }

    /// Finds a metric that is built in, or known, by the word that the command line uses (`sys` is accepted for
    /// `system`).
    pub fn from_name(name: &str) -> Option<Metric> {
        built_in(if name == "sys" { "system" } else { name }).or_else(|| open::find(name))
    }

    /// The built-in metric whose word is nearest to a name that is none, if one is near.
    pub fn near(name: &str) -> Option<&'static str> {
        let likeness = |metric: &Metric| strsim::jaro_winkler(name, metric.name());
        let best = Metric::BUILT_IN.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
        (likeness(best) >= NEAR).then(|| best.name())
    }

    /// The metric whose field in documents this is: one that is built in, or an open one by the id in the field and the
    /// unit behind it.
    pub fn from_field(field: &str) -> Option<Metric> {
        let built_in = Metric::BUILT_IN.iter().copied().find(|metric| metric.field() == field);
        built_in.or_else(|| open::of_field(field))
    }

    /// All that is known of it.
    pub fn spec(self) -> &'static MetricSpec {
        &self.0.spec
    }

    /// The word that the command line uses: `peak-memory`.
    pub fn name(self) -> &'static str {
        self.spec().id.as_str()
    }

    /// The region of a program of which it is.
    pub fn region(self) -> Option<&'static str> {
        self.name().split_once(':')?.0.strip_prefix(MetricSpec::REGION)
    }

    /// The field name in documents, with its unit: `peak_memory_bytes`.
    pub fn field(self) -> &'static str {
        &self.spec().field
    }

    /// What a person calls it: `peak memory`.
    pub fn title(self) -> &'static str {
        &self.spec().title
    }

    /// The unit of the stored number.
    pub fn unit(self) -> Unit {
        self.spec().unit
    }

    /// Whether more of it is better, as of a rate; of most else less is.
    pub fn more_is_better(self) -> bool {
        self.spec().better == Better::More
    }

    /// Whether it is one of [`Metric::BUILT_IN`].
    pub fn is_built_in(self) -> bool {
        self.number() < Metric::BUILT_IN.len()
    }

    /// Its number in this process. Those that are built in have the numbers of their columns.
    fn number(self) -> usize {
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
    /// Those that are built in come first, in the order of their columns; then the others, in the order of their ids.
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
