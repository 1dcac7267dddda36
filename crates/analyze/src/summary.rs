//! Location and spread of each metric, and further findings about each command by itself.

use crate::analysed::counts;
use crate::derived::derived;
use fauxplat_model::{
    Bound, BoundedSummary, Metric, Phase, QuantileInterval, RunFindings, Sample, Summary, Told, metrics_of,
};
use fauxplat_stats::describe::{MAD_TO_SD, mad, mean, median, quantile_sorted, sorted, standard_deviation};
use fauxplat_stats::order::{median_interval, quantile_interval, readings_for};

const CONFIDENCE: f64 = 0.95;

/// A reading is an outlier if it lies more than this many scaled median absolute deviations above the median.
const OUTLIER_FENCE: f64 = 3.0;

/// The readings of one metric in the analysed runs of one command, in chronological order and in the metric's unit.
/// Empty if some of them are bounds, since the exact ones alone would be a biased selection.
pub(crate) fn readings(samples: &[Sample], command: u16, metric: Metric, ignore_failure: bool) -> Vec<f64> {
    let told = told(samples, command, metric, ignore_failure);
    let values: Option<Vec<f64>> = told.iter().map(|told| told.value().map(|value| value as f64)).collect();
    values.unwrap_or_default()
}

fn told(samples: &[Sample], command: u16, metric: Metric, ignore_failure: bool) -> Vec<Told> {
    let ours = samples.iter().filter(|sample| sample.command == command && counts(sample, ignore_failure));
    ours.filter_map(|sample| sample.told(metric)).collect()
}

/// Bounds of the median of a metric, if some of its readings are bounds. If these are all on one side, the median of
/// all readings is a bound of the true median. `None` if no reading is a bound.
fn bounded(samples: &[Sample], command: u16, metric: Metric, ignore_failure: bool) -> Option<BoundedSummary> {
    let told = told(samples, command, metric, ignore_failure);
    let numbers: Vec<f64> = told.iter().map(|told| told.number as f64).collect();
    let is = |bound: Bound| told.iter().any(|told| told.bound == bound);
    let middle = |unless: Bound| median(&numbers).filter(|_| !is(unless));
    (is(Bound::AtMost) || is(Bound::AtLeast)).then(|| BoundedSummary {
        metric,
        n: told.len(),
        bounds: told.iter().filter(|told| told.bound.is_open()).count(),
        at_most: middle(Bound::AtLeast),
        at_least: middle(Bound::AtMost),
    })
}

/// Summary of one metric over the measured runs of one command; `None` if the metric was never read, or if some
/// readings are bounds.
///
/// Failed runs are left out unless `ignore_failure`: a program that stops early is not a fast program.
pub fn summarize(samples: &[Sample], command: u16, metric: Metric, ignore_failure: bool) -> Option<Summary> {
    let summary = summarize_values(&readings(samples, command, metric, ignore_failure), metric)?;
    let is_part = |told: &Told| told.bound == Bound::FirstThread;
    let first_thread = told(samples, command, metric, ignore_failure).iter().any(is_part);
    Some(Summary { first_thread, ..summary })
}

/// Summary of `values`, readings from any source, in the unit of the metric; `None` if there are none.
pub fn summarize_values(values: &[f64], metric: Metric) -> Option<Summary> {
    let rising = sorted(values);
    let middle = median(values)?;
    let ends = median_interval(&rising, CONFIDENCE);
    let fence = middle + OUTLIER_FENCE * MAD_TO_SD * mad(values)?;
    let percentile = |probability| quantile_sorted(&rising, probability).unwrap_or(middle);
    Some(Summary {
        metric,
        n: values.len(),
        median: middle,
        mean: mean(values)?,
        low: ends.map(|ends| ends[0]),
        high: ends.map(|ends| ends[1]),
        sd: standard_deviation(values),
        min: rising[0],
        max: rising[rising.len() - 1],
        percentiles: [0.05, 0.25, 0.75, 0.95].map(percentile),
        p99: Some(percentile(0.99)),
        outliers: values.iter().filter(|&&value| value > fence).count(),
        first_thread: false,
        intervals: intervals(&rising),
    })
}

/// Intervals of the quantiles that a report shows. A quantile is left out if there are so few readings that it is just
/// the least or the largest.
fn intervals(rising: &[f64]) -> Vec<QuantileInterval> {
    let n = rising.len() as u64;
    let is_carried = |quantile: &f64| n >= readings_for(quantile.max(1.0 - quantile));
    let of = |quantile: f64| {
        let [low, high] = quantile_interval(rising, quantile, CONFIDENCE);
        QuantileInterval { quantile, low, high }
    };
    [0.05, 0.25, 0.75, 0.95, 0.99].into_iter().filter(is_carried).map(of).collect()
}

/// Findings about each of `commands` commands by itself. Failed runs are counted even if they are not analysed.
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
        bounded: metrics_of(samples)
            .into_iter()
            .filter_map(|metric| bounded(samples, command, metric, ignore_failure))
            .collect(),
        derived: derived(samples, command, ignore_failure).0,
        failures: ours().filter(|sample| !sample.outcome.is_success()).count(),
        runs_with_left_behind: ours().filter(|sample| sample.left_behind > 0).count(),
        level_changes: Vec::new(),
        tree: Vec::new(),
        rates: Vec::new(),
        series: Vec::new(),
        against_first: None,
    }
}
