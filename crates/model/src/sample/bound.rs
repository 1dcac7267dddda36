//! Kinds of numbers that a reading can have: the value itself, a bound of the value, or a part of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Readings, Source, Sources};
use crate::Metric;

/// Kind of the number of a reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The value.
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

    /// Whether the number says on one side alone where the value lies.
    pub fn is_open(self) -> bool {
        matches!(self, Bound::AtMost | Bound::AtLeast)
    }

    /// Sign before such a number: `<`.
    pub fn sign(self) -> &'static str {
        match self {
            Bound::AtMost => "<",
            Bound::AtLeast => ">",
            Bound::Value | Bound::FirstThread => "",
        }
    }
}

/// A number with what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Kind of the number.
    pub bound: Bound,
    /// The number.
    pub number: u64,
}

impl Told {
    /// The number, unless it is a bound.
    pub fn value(self) -> Option<u64> {
        (!self.bound.is_open()).then_some(self.number)
    }
}

impl Told {
    /// Reads a number, or a bound as an object, from a document. Anything else is no reading.
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
    /// A number, or the word of its bound with the number: `{"at_most": 3481600}`. A part is a number: the sources of the
    /// document say what it covers.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.bound {
            Bound::Value | Bound::FirstThread => serializer.serialize_u64(self.number),
            Bound::AtMost => serializer.collect_map([("at_most", self.number)]),
            Bound::AtLeast => serializer.collect_map([("at_least", self.number)]),
        }
    }
}

/// Kinds of the numbers of a run: two bits for each metric that is built in, in the order of their columns. Zero is a run of
/// values.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds(u32);

impl Bounds {
    /// As a store keeps them.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Kinds from the bits of a store.
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

/// The kernel counts the pages of a process on each CPU for itself, so that a reading of the spawner's own size is off by some
/// of these batches. That much above the floor a reading is still called a bound, which is true of any reading.
const FLOOR_SLACK_BYTES: u64 = 256 << 10;

impl Sources {
    /// Marks the readings of a run that are not the whole of what they are of, where the source cannot give that.
    pub fn mark(&self, readings: &mut Readings) {
        let is_floor = |peak: u64| peak <= self.peak_memory_floor_bytes.saturating_add(FLOOR_SLACK_BYTES);
        let peak = readings.told(Metric::PEAK_MEMORY).map(|told| told.number);
        if self.peak_memory == Source::Rusage
            && self.peak_memory_floor_bytes > 0
            && peak.is_some_and(is_floor)
        {
            readings.set_bound(Metric::PEAK_MEMORY, Bound::AtMost);
        }
        for (metric, source) in [(Metric::RUN_DELAY, self.run_delay), (Metric::MIGRATIONS, self.migrations)] {
            if source == Source::FirstThread && readings.told(metric).is_some() {
                readings.set_bound(metric, Bound::FirstThread);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: u64 = 3 << 20;

    fn of_a_user() -> Sources {
        Sources {
            cpu_time: Source::Rusage,
            peak_memory: Source::Rusage,
            peak_memory_floor_bytes: FLOOR,
            run_delay: Source::FirstThread,
            migrations: Source::FirstThread,
            ..Sources::default()
        }
    }

    fn marked(sources: &Sources, peak: u64) -> Readings {
        let pairs = [(Metric::WALL, 7), (Metric::PEAK_MEMORY, peak), (Metric::MIGRATIONS, 2)];
        let mut readings = Readings::from(pairs);
        sources.mark(&mut readings);
        readings
    }

    #[test]
    fn a_reading_at_the_floor_is_a_bound_and_no_value() {
        for peak in [FLOOR - 1, FLOOR, FLOOR + FLOOR_SLACK_BYTES] {
            let readings = marked(&of_a_user(), peak);
            assert_eq!(readings.get(Metric::PEAK_MEMORY), None, "{peak}");
            let told = readings.told(Metric::PEAK_MEMORY).unwrap();
            assert_eq!((told.bound, told.number), (Bound::AtMost, peak));
            assert_eq!(serde_json::to_string(&told).unwrap(), format!("{{\"at_most\":{peak}}}"));
            assert_eq!(Told::of_json(&serde_json::to_value(told).unwrap()), Some(told));
        }
        assert_eq!(marked(&of_a_user(), 2 * FLOOR).get(Metric::PEAK_MEMORY), Some(2 * FLOOR));
        let root = Sources { peak_memory: Source::Taskstats, ..of_a_user() };
        assert_eq!(marked(&root, 1).get(Metric::PEAK_MEMORY), Some(1));
    }

    #[test]
    fn a_part_is_a_value_that_says_so() {
        let told = marked(&of_a_user(), 1).told(Metric::MIGRATIONS).unwrap();
        assert_eq!((told.bound, told.value()), (Bound::FirstThread, Some(2)));
        assert_eq!(marked(&of_a_user(), 1).told(Metric::RUN_DELAY), None);
    }

    #[test]
    fn bounds_are_kept_beside_values_and_leave_with_them() {
        let mut readings = marked(&of_a_user(), 5);
        let bits = readings.bounds().bits();
        let mut again =
            Readings::from([(Metric::WALL, 7), (Metric::PEAK_MEMORY, 5), (Metric::MIGRATIONS, 2)]);
        assert_ne!(again, readings);
        again.set_bounds(Bounds::from_bits(bits));
        assert_eq!(again, readings);
        readings.set(Metric::PEAK_MEMORY, Some(5));
        assert_eq!(readings.get(Metric::PEAK_MEMORY), Some(5));
        let open = Metric::from_id("simulated:cycles").unwrap();
        readings.set(open, Some(9));
        readings.set_bound(open, Bound::AtMost);
        assert_eq!(readings.get(open), Some(9));
    }

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
