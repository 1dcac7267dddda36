//! Medians of readings.

use fauxplat_model::{Metric, Sample};

pub(crate) fn median(values: impl IntoIterator<Item = u64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().map(|value| value as f64).collect();
    fauxplat_stats::describe::median(&values)
}

/// Median of a metric over a command's runs, warm-up runs included; `None` without readings.
pub(crate) fn median_of(samples: &[Sample], command: u16, metric: Metric) -> Option<f64> {
    let ours = samples.iter().filter(|sample| sample.command == command);
    median(ours.filter_map(|sample| sample.get(metric)))
}
