//! Kinds of numbers that a reading can have: the value itself, a bound of the value, or a part of the value.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Metric;

/// Kind of the number of a reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    #[default]
    Value,
    /// The value is this or less.
    AtMost,
    /// The value is this or more.
    AtLeast,
    /// The value of the command's first thread alone.
    FirstThread,
}

impl Bound {
    const ALL: [Bound; 4] = [Bound::Value, Bound::AtMost, Bound::AtLeast, Bound::FirstThread];

    /// Whether the number bounds the value on one side only.
    pub fn is_open(self) -> bool {
        matches!(self, Bound::AtMost | Bound::AtLeast)
    }

    /// Sign before such a number, such as `<`.
    pub fn sign(self) -> &'static str {
        match self {
            Bound::AtMost => "<",
            Bound::AtLeast => ">",
            Bound::Value | Bound::FirstThread => "",
        }
    }
}

/// A number with its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub bound: Bound,
    pub number: u64,
}

impl Told {
    /// The number, unless it is a bound.
    pub fn value(self) -> Option<u64> {
        (!self.bound.is_open()).then_some(self.number)
    }
}

impl Told {
    /// Parses a number, or an object that states a bound, from a document. Anything else is no reading.
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
    /// A number, or the word of its bound with the number: `{"at_most": 3481600}`. A first-thread value is written as a
    /// number; the sources of the document say what it covers.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.bound {
            Bound::Value | Bound::FirstThread => serializer.serialize_u64(self.number),
            Bound::AtMost => serializer.collect_map([("at_most", self.number)]),
            Bound::AtLeast => serializer.collect_map([("at_least", self.number)]),
        }
    }
}

/// Kinds of the numbers of a run: two bits for each built-in metric, in the order of their columns. Zero means that all
/// numbers are values.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds(u32);

impl Bounds {
    /// The bits that a store holds.
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
