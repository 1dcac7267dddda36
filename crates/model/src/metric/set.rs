//! Sets of metrics. All samples of an experiment share one set, so that a sample is little more than its values.

use std::sync::{Arc, LazyLock};

use crate::Metric;

/// Metrics in the order in which the values of a sample are stored, without duplicates.
#[derive(Debug, Default)]
pub struct MetricSet {
    metrics: Vec<Metric>,
    /// Position of each metric in `metrics`, by its number in this process; [`ABSENT`] for metrics outside of the set.
    places: Vec<u16>,
}

const ABSENT: u16 = u16::MAX;

impl MetricSet {
    /// Creates a set with the metrics in the given order; repeated metrics are left out.
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Arc<MetricSet> {
        let mut set = MetricSet::default();
        metrics.into_iter().for_each(|metric| set.push(metric));
        Arc::new(set)
    }

    pub fn built_in() -> Arc<MetricSet> {
        static BUILT_IN: LazyLock<Arc<MetricSet>> =
            LazyLock::new(|| MetricSet::new(Metric::BUILT_IN.iter().copied()));
        Arc::clone(&BUILT_IN)
    }

    fn push(&mut self, metric: Metric) {
        if self.place(metric).is_some() {
            return;
        }
        if self.places.len() <= metric.number() {
            self.places.resize(metric.number() + 1, ABSENT);
        }
        self.places[metric.number()] = self.metrics.len() as u16;
        self.metrics.push(metric);
    }

    /// Position of the value of a metric; `None` if the metric is not in the set.
    pub fn place(&self, metric: Metric) -> Option<usize> {
        self.places.get(metric.number()).filter(|&&place| place != ABSENT).map(|&place| place.into())
    }

    pub fn len(&self) -> usize {
        self.metrics.len()
    }

    pub fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Metric> + '_ {
        self.metrics.iter().copied()
    }
}
