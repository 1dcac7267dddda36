//! Slow movement of a series, and its scatter around it, by running medians.

use crate::describe::{MAD_TO_SD, mean};

/// Length below which a series has one level, its mean: a median of so few values is too imprecise.
const MEAN_BELOW: usize = 6;

/// Length below which a series has one level, its median.
const MEDIAN_BELOW: usize = 14;

/// Maximum width of the running median, in values. A disturbance shorter than half of this is an outlier, a longer one
/// is drift.
pub const WINDOW: usize = 25;

/// Width of the running median for a series of `n` values: a third of it, between 7 and [`WINDOW`]. A narrow window
/// follows a step in the middle of a short block, which a wide one would smear.
pub fn window(n: usize) -> usize {
    match n {
        n if n < MEDIAN_BELOW => n.max(1),
        n => (n / 3).clamp(7, WINDOW) | 1,
    }
}

/// Width of the window for the local scatter, in values. The scatter is small only if half of the window is quiet.
pub const SCATTER_WINDOW: usize = 64;

/// The slow movement of blocks of values in chronological order: the mean of each block if the longest has a handful of
/// values, otherwise a running median (Tukey 1977, "Exploratory Data Analysis", chapter 7). The median continues from
/// block to block, since it would miss a step at its ends.
pub fn trend(blocks: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
    if longest < MEAN_BELOW {
        return blocks.iter().map(|block| vec![mean(block).unwrap_or(0.0); block.len()]).collect();
    }
    let mut medians = running_median(&blocks.concat(), window(longest)).into_iter();
    blocks.iter().map(|block| medians.by_ref().take(block.len()).collect()).collect()
}

/// Number of parameters that [`trend`] takes out of `n` values, with regard to the residual variance. The mean takes
/// one. A median of w values follows each value by only 1/w and has π/2 times the variance of a mean: the residual
/// loses 2/w and gains π/(2w).
pub fn trend_parameters(n: usize) -> f64 {
    match n {
        n if n < MEAN_BELOW => 1.0,
        n => (2.0 - std::f64::consts::FRAC_PI_2) * n as f64 / window(n) as f64,
    }
}

/// Variance of [`trend`] due to noise, over the variance of the values, in blocks of `n`: π/(2w) for a median of w
/// values. Residuals do not show this variance, because the trend followed the noise, but every mean of other values at
/// the same times includes it. Means of blocks cancel in differences within a block, hence zero for short blocks.
pub fn trend_noise(n: usize) -> f64 {
    if n < MEAN_BELOW { 0.0 } else { std::f64::consts::FRAC_PI_2 / window(n) as f64 }
}

/// Median of the `window` values around each place; at the ends, of the first and of the last `window` values.
pub fn running_median(values: &[f64], window: usize) -> Vec<f64> {
    let window = window.clamp(1, values.len().max(1));
    let Some(first) = values.get(..window) else { return Vec::new() };
    let mut inside = crate::describe::sorted(first);
    let mut medians = vec![middle(&inside)];
    for (&leaves, &enters) in values.iter().zip(&values[window..]) {
        let out = inside.partition_point(|value| value.total_cmp(&leaves).is_lt());
        inside.remove(out);
        let place = inside.partition_point(|value| value.total_cmp(&enters).is_lt());
        inside.insert(place, enters);
        medians.push(middle(&inside));
    }
    let place = |index: usize| index.saturating_sub(window / 2).min(medians.len() - 1);
    (0..values.len()).map(|index| medians[place(index)]).collect()
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { 0.5 * (sorted[half - 1] + sorted[half]) }
}

/// Local standard deviation of residuals in chronological order, by the median of their magnitudes over
/// [`SCATTER_WINDOW`] values. If more than half of these are zero, the mean magnitude of all residuals is used, or one
/// if all residuals are zero, so that division is possible.
pub fn scatter(residuals: &[f64]) -> Vec<f64> {
    let magnitudes: Vec<f64> = residuals.iter().map(|value| value.abs()).collect();
    let whole = mean(&magnitudes).filter(|&mean| mean > 0.0).unwrap_or(1.0);
    let local = running_median(&magnitudes, SCATTER_WINDOW);
    local.into_iter().map(|value| if value > 0.0 { MAD_TO_SD * value } else { whole }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_median_of_a_small_case() {
        let values = [5.0, 1.0, 4.0, 2.0, 9.0];
        assert_eq!(running_median(&values, 3), [4.0, 4.0, 2.0, 4.0, 4.0]);
        assert_eq!(running_median(&values, 9), [4.0; 5]);
        assert!(running_median(&[], 3).is_empty());
    }

    #[test]
    fn a_step_stays_and_a_spike_goes() {
        let mut values: Vec<f64> = (0..200).map(|i| if i < 100 { 0.0 } else { 1.0 }).collect();
        values[40] = 50.0;
        let trend = trend(&[values[..97].to_vec(), values[97..].to_vec()]);
        assert_eq!((trend[0][40], trend[0][96], trend[1][2], trend[1][3]), (0.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn short_blocks_have_one_level() {
        assert_eq!(trend(&[vec![1.0, 3.0], vec![5.0]]), [vec![2.0, 2.0], vec![5.0]]);
        assert_eq!(trend(&[vec![0.0, 0.0, 0.0, 1.0, 1.0, 90.0, 0.0]]), [[0.0; 7]]);
    }

    #[test]
    fn scatter_follows_the_noise() {
        let values: Vec<f64> =
            (0..400).map(|i| (if i < 200 { 1.0 } else { 10.0 }) * [1.0, -1.0][i % 2]).collect();
        let scatter = scatter(&values);
        assert!((scatter[50] - MAD_TO_SD).abs() < 1e-9 && (scatter[350] - 10.0 * MAD_TO_SD).abs() < 1e-9);
        assert_eq!(super::scatter(&[0.0; 5]), [1.0; 5]);
    }
}
