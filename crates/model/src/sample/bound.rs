//! The relation of the number of a reading to the true value: the value itself, a bound of it, or a part of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Metric;

/// How the number of a reading relates to the true value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    #[default]
    Value,
    /// The value is the number or less.
    AtMost,
    /// The value is the number or more.
    AtLeast,
    /// The number covers the command's first thread alone.
    FirstThread,
}

impl Bound {
    const ALL: [Bound; 4] = [Bound::Value, Bound::AtMost, Bound::AtLeast, Bound::FirstThread];

    /// Whether the number bounds the value on one side only.
    pub fn is_open(self) -> bool {
        matches!(self, Bound::AtMost | Bound::AtLeast)
    }

    /// Sign before the number in reports: `<`, `>` or nothing.
    pub fn sign(self) -> &'static str {
        match self {
            Bound::AtMost => "<",
            Bound::AtLeast => ">",
            Bound::Value | Bound::FirstThread => "",
        }
    }
}

/// The number of a reading, and how it relates to the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub bound: Bound,
    pub number: u64,
}

impl Told {
    /// The number; `None` if it is a bound of the value.
    pub fn value(self) -> Option<u64> {
        (!self.bound.is_open()).then_some(self.number)
    }
}

impl Told {
    /// Reads a number, or an object that states a bound, from a document; `None` for anything else.
    pub fn of_json(value: &serde_json::Value) -> Option<Told> {
        let words = [("at_most", Bound::AtMost), ("at_least", Bound::AtLeast)];
        let bound = |(word, bound)| Some(Told { bound, number: value.get(word)?.as_u64()? });
        let plain = value.as_u64().map(|number| Told { bound: Bound::Value, number });
        plain.or_else(|| words.into_iter().find_map(bound))
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::Value => self.number.fmt(f),
            bound => write!(f, "{bound:?}({})", self.number),
        }
    }
}

impl Serialize for Told {
    /// Writes a number, or an object with the kind of bound: `{"at_most": 3481600}`. A number of the first thread is
    /// written like a value, since the document's sources tell what it covers.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.bound {
            Bound::Value | Bound::FirstThread => serializer.serialize_u64(self.number),
            Bound::AtMost => serializer.collect_map([("at_most", self.number)]),
            Bound::AtLeast => serializer.collect_map([("at_least", self.number)]),
        }
    }
}

/// The [`Bound`] of each reading of a run: two bits for each built-in metric, in the order of the metrics. Zero if all
/// numbers are values.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds(u32);

impl Bounds {
    /// The bits in the form in which a store keeps them.
    pub fn bits(self) -> u32 {
        self.0
    }

    pub fn from_bits(bits: u32) -> Self {
        Bounds(bits)
    }

    pub(super) fn of(self, metric: Metric) -> Bound {
        match metric.is_built_in() {
            true => Bound::ALL[(self.0 >> place(metric) & 3) as usize],
            false => Bound::Value,
        }
    }

    pub(super) fn set(&mut self, metric: Metric, bound: Bound) {
        if metric.is_built_in() {
            self.0 = self.0 & !(3 << place(metric)) | (bound as u32) << place(metric);
        }
    }
}

fn place(metric: Metric) -> usize {
    2 * metric.number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_with_a_column_has_two_bits() {
        let highest = Metric::BUILT_IN.len() - 1;
        assert!(2 * highest + 2 <= u32::BITS as usize);
        let mut bounds = Bounds::default();
        for &metric in Metric::BUILT_IN {
            bounds.set(metric, Bound::FirstThread);
            assert_eq!(bounds.of(metric), Bound::FirstThread);
            bounds.set(metric, Bound::AtLeast);
            assert_eq!(bounds.of(metric), Bound::AtLeast);
        }
    }
}
