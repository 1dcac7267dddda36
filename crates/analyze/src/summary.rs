//! Location and spread of each metric of each command.

use crate::analysed::counts;
use crate::derived::derived;
use fauxplat_model::{Metric, Phase, RunFindings, Sample, Summary, metrics_of};
use fauxplat_stats::describe::{
    MAD_TO_SD, mad, mean, median, median_interval_sorted, quantile_sorted, sorted, standard_deviation,
};

/// Confidence of the interval of the median in every summary.
const CONFIDENCE: f64 = 0.95;

/// Readings this many scaled median absolute deviations above the median are counted as outliers.
const OUTLIER_FENCE: f64 = 3.0;

/// The readings of one metric of one command, in the order in which they were taken and in the metric's unit.
pub(crate) fn readings(samples: &[Sample], command: u16, metric: Metric, ignore_failure: bool) -> Vec<f64> {
    let ours = samples.iter().filter(|sample| sample.command == command && counts(sample, ignore_failure));
    ours.filter_map(|sample| sample.get(metric)).map(|value| value as f64).collect()
}

/// Summary of one metric over the measured runs of one command; `None` if it was never read.
///
/// Failed runs are left out unless `ignore_failure`: a program that stops early is not a fast program.
pub fn summarize(samples: &[Sample], command: u16, metric: Metric, ignore_failure: bool) -> Option<Summary> {
    summarize_values(&readings(samples, command, metric, ignore_failure), metric)
}

/// Summary of readings that come from elsewhere, in the unit of the metric; `None` if there are none.
pub fn summarize_values(values: &[f64], metric: Metric) -> Option<Summary> {
    let rising = sorted(values);
    let middle = median(values)?;
    let (low, high) = median_interval_sorted(&rising, CONFIDENCE)?;
    let fence = middle + OUTLIER_FENCE * MAD_TO_SD * mad(values)?;
    let percentile = |probability| quantile_sorted(&rising, probability).unwrap_or(middle);
    Some(Summary {
        metric,
        n: values.len(),
        median: middle,
        mean: mean(values)?,
        low,
        high,
        sd: standard_deviation(values),
        min: rising[0],
        max: rising[rising.len() - 1],
        percentiles: [0.05, 0.25, 0.75, 0.95].map(percentile),
        p99: Some(percentile(0.99)),
        outliers: values.iter().filter(|&&value| value > fence).count(),
    })
}

/// Findings about each of `commands` commands by itself. Failed runs are counted in any case.
pub fn run_findings(samples: &[Sample], commands: usize, ignore_failure: bool) -> Vec<RunFindings> {
    (0..commands as u16).map(|command| findings_of(samples, command, ignore_failure)).collect()
}

fn findings_of(samples: &[Sample], command: u16, ignore_failure: bool) -> RunFindings {
    let ours =
        || samples.iter().filter(|sample| sample.command == command && sample.phase == Phase::Measured);
    RunFindings {
        summaries: metrics_of(samples)
            .into_iter()
            .filter_map(|metric| summarize(samples, command, metric, ignore_failure))
            .collect(),
        derived: derived(samples, command, ignore_failure).0,
        failures: ours().filter(|sample| !sample.outcome.is_success()).count(),
        runs_with_left_behind: ours().filter(|sample| sample.left_behind > 0).count(),
        tree: Vec::new(),
        rates: Vec::new(),
        series: Vec::new(),
        against_first: None,
    }
}
