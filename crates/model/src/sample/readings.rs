//! The readings of one run. All runs of an experiment share the list of their metrics.

use std::fmt;
use std::sync::Arc;

use super::bound::{Bound, Bounds, Told};
use crate::{Metric, MetricSet};

/// A measured number, or the absence of a measurement, in eight bytes, because there may be a hundred thousand samples.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Reading(u64);

impl Reading {
    /// Stands for a metric that was not measured, which is different from zero.
    pub const ABSENT: Reading = Reading(u64::MAX);

    /// A measured number. `u64::MAX` is never a real reading, since it represents absence.
    pub fn new(value: u64) -> Self {
        Reading(value)
    }

    /// The number; `None` if it was not measured.
    pub fn get(self) -> Option<u64> {
        (self != Reading::ABSENT).then_some(self.0)
    }
}

impl From<Option<u64>> for Reading {
    fn from(value: Option<u64>) -> Self {
        value.map_or(Reading::ABSENT, Reading)
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Times of a counter that was active only for a part of the run, because several counters share a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Time for which the counter should have counted, in nanoseconds.
    pub enabled_ns: u64,
    /// Time for which the counter did count, in nanoseconds.
    pub running_ns: u64,
}

/// Readings of one run, one for each metric of a set that other runs share.
#[derive(Clone)]
pub struct Readings {
    metrics: Arc<MetricSet>,
    /// The number of each metric in the order of `metrics`. If some counter was active only part of the time, the
    /// enabled times of all metrics follow, then their running times.
    words: Box<[Reading]>,
    bounds: Bounds,
}

impl Readings {
    /// Readings from values in the order of the metrics. Missing values count as [`Reading::ABSENT`].
    ///
    /// # Panics
    /// Panics if there are more values than metrics, which is a bug in the caller.
    pub fn new(metrics: Arc<MetricSet>, values: impl Into<Vec<Reading>>) -> Self {
        let mut values = values.into();
        assert!(values.len() <= metrics.len(), "{} readings of {} metrics", values.len(), metrics.len());
        values.resize(metrics.len(), Reading::ABSENT);
        Readings { metrics, words: values.into_boxed_slice(), bounds: Bounds::default() }
    }

    /// Readings from the numbers of the first `count` metrics in order, optionally followed by the enabled times and
    /// the running times of these metrics; [`Reading::ABSENT`] as a time stands for a metric that counted all the time.
    ///
    /// # Panics
    /// Panics as [`Readings::new`].
    pub fn with_parts(metrics: Arc<MetricSet>, count: usize, mut words: Vec<Reading>) -> Self {
        let parts = if words.len() > count { words.split_off(count) } else { Vec::new() };
        let mut readings = Readings::new(Arc::clone(&metrics), words);
        for (place, metric) in metrics.iter().take(count).enumerate() {
            let at = |index: usize| parts.get(index).and_then(|reading| reading.get());
            if let (Some(enabled_ns), Some(running_ns)) = (at(place), at(count + place)) {
                readings.set_counted(metric, Counted { enabled_ns, running_ns });
            }
        }
        readings
    }

    /// Readings of the built-in metrics, none of them measured.
    pub fn none() -> Self {
        Readings::new(MetricSet::built_in(), Vec::new())
    }

    /// Memory in bytes of the readings of this number of metrics, if no metric counted only part of the time.
    pub const fn bytes(metrics: usize) -> usize {
        metrics * size_of::<Reading>()
    }

    pub fn metrics(&self) -> &Arc<MetricSet> {
        &self.metrics
    }

    /// The value of a metric; `None` if it was not measured or is only a bound, which [`Readings::told`] returns.
    pub fn get(&self, metric: Metric) -> Option<u64> {
        self.told(metric)?.value()
    }

    /// The number of a metric's reading, and how it relates to the value; `None` if the metric was not measured.
    pub fn told(&self, metric: Metric) -> Option<Told> {
        let number = self.words[self.metrics.place(metric)?].get()?;
        Some(Told { bound: self.bounds.of(metric), number })
    }

    /// Sets how the number of a metric relates to the value. Has no effect on metrics that are not built in.
    pub fn set_bound(&mut self, metric: Metric, bound: Bound) {
        self.bounds.set(metric, bound);
    }

    /// How the number of each metric relates to the true value, in the form that a store contains.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    pub fn is_partial(&self) -> bool {
        self.words.len() > self.metrics.len()
    }

    /// Enabled and running time of a metric's counter; `None` if it counted all the time.
    pub fn counted(&self, metric: Metric) -> Option<Counted> {
        if !self.is_partial() {
            return None;
        }
        let (place, len) = (self.metrics.place(metric)?, self.metrics.len());
        let at = |index: usize| self.words.get(index).and_then(|reading| reading.get());
        Some(Counted { enabled_ns: at(len + place)?, running_ns: at(2 * len + place)? })
    }

    pub fn iter(&self) -> impl Iterator<Item = (Metric, Option<u64>)> + '_ {
        self.metrics.iter().map(|metric| (metric, self.get(metric)))
    }

    /// Sets the reading of a metric. If the shared set lacks the metric, this run gets a set of its own.
    pub fn set(&mut self, metric: Metric, value: Option<u64>) {
        self.bounds.set(metric, Bound::Value);
        let place = self.place(metric);
        self.words[place] = value.into();
    }

    pub fn set_counted(&mut self, metric: Metric, counted: Counted) {
        let (place, len) = (self.place(metric), self.metrics.len());
        if self.words.len() == len {
            self.resize(3 * len);
        }
        self.words[len + place] = Reading::new(counted.enabled_ns);
        self.words[2 * len + place] = Reading::new(counted.running_ns);
    }

    /// Position of a metric in `words`; adds the metric to the set if it is missing.
    fn place(&mut self, metric: Metric) -> usize {
        if let Some(place) = self.metrics.place(metric) {
            return place;
        }
        let counted: Vec<_> = self.metrics.iter().filter_map(|it| Some((it, self.counted(it)?))).collect();
        self.metrics = MetricSet::new(self.metrics.iter().chain([metric]));
        let len = self.metrics.len();
        self.resize(len - 1);
        self.resize(len);
        counted.into_iter().for_each(|(metric, counted)| self.set_counted(metric, counted));
        len - 1
    }

    fn resize(&mut self, words: usize) {
        let mut longer = std::mem::take(&mut self.words).into_vec();
        longer.resize(words, Reading::ABSENT);
        self.words = longer.into_boxed_slice();
    }
}

impl FromIterator<(Metric, u64)> for Readings {
    /// Readings of the built-in metrics and of those in `pairs`. Only those in `pairs` count as measured.
    fn from_iter<T: IntoIterator<Item = (Metric, u64)>>(pairs: T) -> Self {
        let mut readings = Readings::none();
        pairs.into_iter().for_each(|(metric, value)| readings.set(metric, Some(value)));
        readings
    }
}

impl<const N: usize> From<[(Metric, u64); N]> for Readings {
    fn from(pairs: [(Metric, u64); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl PartialEq for Readings {
    /// Whether two sets of readings are equal. A metric that is not in the set equals a metric that was not measured.
    fn eq(&self, other: &Self) -> bool {
        let within = |one: &Readings, other: &Readings| {
            one.metrics.iter().map(|metric| (metric, one.told(metric))).all(|(metric, value)| {
                value == other.told(metric) && one.counted(metric) == other.counted(metric)
            })
        };
        within(self, other) && within(other, self)
    }
}

impl fmt::Debug for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.metrics.iter().map(|metric| (metric.name(), self.told(metric)))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absence_is_not_zero() {
        assert_eq!(Reading::new(0).get(), Some(0));
        assert_eq!(Reading::ABSENT.get(), None);
        assert_eq!(Reading::from(None), Reading::ABSENT);
        let readings = Readings::from([(Metric::WALL, 0)]);
        assert_eq!((readings.get(Metric::WALL), readings.get(Metric::CPU)), (Some(0), None));
    }

    #[test]
    fn a_metric_that_comes_later_leaves_the_others_where_they_are() {
        let half = Counted { enabled_ns: 10, running_ns: 5 };
        let mut readings = Readings::from([(Metric::WALL, 7)]);
        let shared = Arc::clone(readings.metrics());
        readings.set_counted(Metric::WALL, half);
        let open = Metric::from_id("simulated:cycles").unwrap();
        readings.set(open, Some(9));
        assert_eq!((readings.get(Metric::WALL), readings.get(open)), (Some(7), Some(9)));
        assert_eq!((readings.counted(Metric::WALL), readings.counted(open)), (Some(half), None));
        assert_eq!(readings.get(Metric::RATE), None);
        assert_eq!(shared.place(open), None, "the set of the other runs is not touched");
    }

    #[test]
    fn readings_are_equal_if_the_same_was_measured() {
        let open = Metric::from_id("simulated:cycles").unwrap();
        let few = Readings::new(MetricSet::new([open, Metric::WALL]), [3, 4].map(Reading::new));
        let many = Readings::from([(Metric::WALL, 4), (open, 3)]);
        assert_eq!((&few, &many), (&many, &few));
        let mut counted = many.clone();
        counted.set_counted(open, Counted { enabled_ns: 2, running_ns: 1 });
        assert_ne!(many, counted);
        assert_ne!(few, Readings::from([(Metric::WALL, 4)]));
        assert_ne!(Readings::from([(Metric::WALL, 4)]), few);
    }
}
