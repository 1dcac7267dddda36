//! The bias-corrected and accelerated bootstrap of the winsorised mean.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::describe::{mean, quantile_sorted};
use crate::distribution::{normal_upper_quantile, normal_upper_tail};
use crate::randomise::below;
use crate::winsor::winsorised_mean;

/// Number of resamples. A 95 % interval needs about 2000; the ends of a 99 % interval lie further out, so twice as many
/// are drawn.
pub const RESAMPLES: usize = 4000;

/// Maximum number of groups of values that are left out in turn for the jackknife, so that a long series stays cheap.
const JACKKNIFE_GROUPS: usize = 128;

/// BCa interval of the winsorised mean over clusters at `level` (0.01 for 99 %); `None` for no values.
///
/// Efron 1987, "Better Bootstrap Confidence Intervals". Whole clusters are drawn, so `values` must have one number per
/// cluster. For fewer than four values, or if all values are equal, the ends are the smallest and largest value.
pub fn bca_interval(values: &[f64], level: f64, seed: u64) -> Option<(f64, f64)> {
    let low = values.iter().copied().min_by(f64::total_cmp)?;
    let high = values.iter().copied().max_by(f64::total_cmp)?;
    if values.len() < 4 || low == high {
        return Some((low, high));
    }
    let estimate = winsorised_mean(values);
    let replicates = replicates(values, seed);
    let bias = bias(&replicates, estimate);
    let acceleration = acceleration(values);
    let end = |tail: f64| {
        let z = bias - normal_upper_quantile(tail);
        let corrected = bias + z / (1.0 - acceleration * z);
        quantile_sorted(&replicates, 1.0 - normal_upper_tail(corrected))
    };
    Some((end(level / 2.0)?, end(1.0 - level / 2.0)?))
}

/// The winsorised mean of each resample, in ascending order.
fn replicates(values: &[f64], seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut resample = vec![0.0; values.len()];
    let mut draw = || {
        resample.iter_mut().for_each(|place| *place = values[below(&mut random, values.len())]);
        winsorised_mean(&resample)
    };
    let mut replicates: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    replicates.sort_unstable_by(f64::total_cmp);
    replicates
}

/// Median bias in normal units, from the share of resamples below the estimate (ties count half).
fn bias(replicates: &[f64], estimate: f64) -> f64 {
    let below = replicates.partition_point(|&value| value < estimate);
    let not_above = replicates.partition_point(|&value| value <= estimate);
    let share = (below + not_above) as f64 / 2.0 / replicates.len() as f64;
    let edge = 0.5 / replicates.len() as f64;
    -normal_upper_quantile(share.clamp(edge, 1.0 - edge))
}

/// The acceleration of Efron (1987): a sixth of the skewness of the jackknife values.
fn acceleration(values: &[f64]) -> f64 {
    let length = values.len().div_ceil(JACKKNIFE_GROUPS);
    let left_out: Vec<f64> = (0..values.len())
        .step_by(length)
        .map(|start| {
            winsorised_mean(&[&values[..start], &values[values.len().min(start + length)..]].concat())
        })
        .collect();
    let centre = mean(&left_out).unwrap_or(0.0);
    let moment = |power: i32| left_out.iter().map(|value| (centre - value).powi(power)).sum::<f64>();
    let spread = moment(2);
    if spread > 0.0 { moment(3) / (6.0 * spread.powf(1.5)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_normal_interval_on_symmetric_data() {
        let values: Vec<f64> =
            (0..100).map(|i| normal_upper_quantile((f64::from(i) + 0.5) / 100.0)).collect();
        let (low, high) = bca_interval(&values, 0.05, 1).unwrap();
        assert!((low + 0.196).abs() < 0.02 && (high - 0.196).abs() < 0.02, "{low} {high}");
        assert_eq!(bca_interval(&values, 0.05, 1), bca_interval(&values, 0.05, 1));
    }

    #[test]
    fn leans_to_the_long_side_of_skewed_data() {
        let values: Vec<f64> = (0..40).map(|i| (f64::from(i) / 12.0).exp()).collect();
        let centre = winsorised_mean(&values);
        let (low, high) = bca_interval(&values, 0.05, 1).unwrap();
        assert!(high - centre > centre - low, "{low} {centre} {high}");
    }

    #[test]
    fn degenerate_data() {
        assert_eq!(bca_interval(&[], 0.05, 1), None);
        assert_eq!(bca_interval(&[2.0; 50], 0.05, 1), Some((2.0, 2.0)));
        assert_eq!(bca_interval(&[1.0, 3.0], 0.05, 1), Some((1.0, 3.0)));
    }
}
