//! Decides when the median of a metric is known precisely enough to stop measuring.

use fauxplat_model::{Metric, Sample};
use fauxplat_stats::describe::{quantile_sorted, sorted};
use fauxplat_stats::order::median_interval;
use fauxplat_stats::series::dependence_inflation;

use crate::summary::readings;

/// Minimum number of runs before the interval is checked. A 99 % interval by order statistics needs at least eight.
const RUNS_MIN: usize = 12;

/// Confidence of the interval that must be narrow. It exceeds the 95 % of the report: measuring stops at the first
/// interval that *looks* narrow, and such an interval is too narrow on average.
const CONFIDENCE: f64 = 0.99;

/// Whether the median of a metric is known to within ± `ratio` of itself (0.01 for 1 %).
///
/// The interval is by order statistics, widened for autocorrelation between neighbours and between batches, since the
/// drift of a machine makes the plain interval too narrow; changes slower than the session cannot be seen. The interval
/// is checked only after 12, 15, 18, 22, 27, … runs, a fifth more each time, since every check is a chance to stop at
/// an interval that is narrow by luck. After other numbers of runs the answer is no.
pub fn precise_enough(
    samples: &[Sample],
    command: u16,
    metric: Metric,
    ratio: f64,
    ignore_failure: bool,
) -> bool {
    let values = readings(samples, command, metric, ignore_failure);
    is_look(values.len()) && is_narrow(&values, ratio)
}

/// Whether the interval is checked after this many runs.
fn is_look(runs: usize) -> bool {
    std::iter::successors(Some(RUNS_MIN), |look| Some((look * 6).div_ceil(5).max(look + 1)))
        .find(|&look| look >= runs)
        .is_some_and(|look| look == runs)
}

/// Whether both ends of the interval of the median are within `ratio` of the median.
fn is_narrow(values: &[f64], ratio: f64) -> bool {
    let rising = sorted(values);
    let ends = median_interval(&rising, CONFIDENCE);
    let (Some([low, high]), Some(middle)) = (ends, quantile_sorted(&rising, 0.5)) else { return false };
    let widening = dependence_inflation(&ranks(values, &rising));
    (middle - low).max(high - middle) * widening <= ratio * middle.abs()
}

/// Rank of each of `values` among the ascending values `rising`. With ranks, a single huge reading does not hide the
/// correlation of all others.
fn ranks(values: &[f64], rising: &[f64]) -> Vec<f64> {
    values.iter().map(|value| rising.partition_point(|other| other < value) as f64).collect()
}
