//! Location and spread of a sample: median, quantiles, median absolute deviation, mean, standard deviation.

/// Factor that makes the median absolute deviation estimate the standard deviation of normal data: 1/Φ⁻¹(3/4).
pub const MAD_TO_SD: f64 = 1.4826;

/// Arithmetic mean; `None` for an empty slice.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Unbiased sample variance (divisor n − 1); zero for fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    let (Some(centre), true) = (mean(values), values.len() > 1) else { return 0.0 };
    values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Sample standard deviation (divisor n − 1); zero for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// A copy of the values in ascending order, by [`f64::total_cmp`]: NaN sorts to the ends.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_unstable_by(f64::total_cmp);
    copy
}

/// Median; the mean of the two middle values if their number is even. `None` for an empty slice.
pub fn median(values: &[f64]) -> Option<f64> {
    median_in_place(&mut values.to_vec())
}

/// Median of a buffer, which is reordered; selection in linear time. `None` for an empty slice.
pub fn median_in_place(values: &mut [f64]) -> Option<f64> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let (below, &mut middle, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return Some(middle);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(middle);
    Some(lower + (middle - lower) / 2.0)
}

/// Quantile of values in ascending order by linear interpolation between order statistics, type 7 of Hyndman and Fan
/// (1996), "Sample Quantiles in Statistical Packages". `probability` is clamped to 0..=1. `None` for an empty slice.
pub fn quantile_sorted(sorted: &[f64], probability: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = probability.clamp(0.0, 1.0) * last as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

/// Median absolute deviation from the median, unscaled. `None` for an empty slice.
pub fn mad(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let mut distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median_in_place(&mut distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_values() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        assert_eq!(median(&values), Some(3.5));
        assert_eq!(median(&values[..7]), Some(3.0));
        assert_eq!(mad(&values), Some(2.0));
        assert_eq!(mean(&values), Some(3.875));
        assert!((variance(&values) - 7.553_571_428_571_429).abs() < 1e-12);
        let sorted = sorted(&values);
        assert_eq!(quantile_sorted(&sorted, 0.25), Some(1.75));
        assert_eq!(quantile_sorted(&sorted, 1.0), Some(9.0));
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert_eq!(median(&[]), None);
        assert_eq!(mad(&[]), None);
        assert_eq!(quantile_sorted(&[], 0.5), None);
        assert_eq!(variance(&[7.0]), 0.0);
    }
}
