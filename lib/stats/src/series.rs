//! Statistics of the chronological order of a series.

use crate::describe::{mean, standard_deviation, variance};

/// Lag-1 autocorrelation, −1 to 1; zero for fewer than three values or a constant series (Box, Jenkins and Reinsel,
/// "Time Series Analysis", section 2.1).
pub fn autocorrelation(values: &[f64]) -> f64 {
    let (Some(centre), true) = (mean(values), values.len() > 2) else { return 0.0 };
    let total: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let lagged: f64 = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    if total > 0.0 { (lagged / total).clamp(-1.0, 1.0) } else { 0.0 }
}

/// Factor by which the standard error of a mean grows if neighbours are correlated as in a first-order autoregressive
/// series: √((1 + ρ) / (1 − ρ)). `rho` is clamped to 0 … 0.95, so negative correlation does not reduce the error.
pub fn autocorrelation_inflation(rho: f64) -> f64 {
    let rho = rho.clamp(0.0, 0.95);
    ((1.0 + rho) / (1.0 - rho)).sqrt()
}

/// Variance of slow movement within a series: the variance between means of batches of ⌊√n⌋ values beyond that of
/// independent values (method of batch means, Law and Kelton). Zero for fewer than nine values.
pub fn drift_variance(values: &[f64]) -> f64 {
    if values.len() < 9 {
        return 0.0;
    }
    let length = (values.len() as f64).sqrt() as usize;
    let batches: Vec<f64> = values.chunks_exact(length).filter_map(mean).collect();
    let within: Vec<f64> = values.chunks_exact(length).map(variance).collect();
    (variance(&batches) - mean(&within).unwrap_or(0.0) / length as f64).max(0.0)
}

/// Factor by which the standard error of a mean grows through correlation at any distance: the largest of the factors
/// from neighbours and from means of batches of ⌊√n⌋ values and of a sixth of the series, and at least 1. Long batches
/// detect slow drift, at the price of a factor that is sometimes above 1 by chance.
pub fn dependence_inflation(values: &[f64]) -> f64 {
    let neighbours = autocorrelation_inflation(autocorrelation(values));
    let lengths = [(values.len() as f64).sqrt() as usize, values.len() / 6];
    lengths.map(|length| batch_inflation(values, length)).into_iter().fold(neighbours, f64::max)
}

/// Standard deviation of the means of batches over that of independent values.
fn batch_inflation(values: &[f64], length: usize) -> f64 {
    let total = variance(values);
    if length < 3 || total <= 0.0 {
        return 1.0;
    }
    let batches: Vec<f64> = values.chunks_exact(length).filter_map(mean).collect();
    (length as f64 * variance(&batches) / total).sqrt()
}

/// Least-squares slope of `y` against `x`, and the share of the variance of `y` that it explains, adjusted for its
/// degree of freedom and at least 0. Zeros if either series is constant or has fewer than three values.
pub fn slope(x: &[f64], y: &[f64]) -> (f64, f64) {
    let n = x.len().min(y.len());
    let (Some(x_mean), Some(y_mean), true) = (mean(&x[..n]), mean(&y[..n]), n > 2) else { return (0.0, 0.0) };
    let xx: f64 = x[..n].iter().map(|v| (v - x_mean).powi(2)).sum();
    let yy: f64 = y[..n].iter().map(|v| (v - y_mean).powi(2)).sum();
    let xy: f64 = x.iter().zip(y).map(|(a, b)| (a - x_mean) * (b - y_mean)).sum();
    if xx <= 0.0 || yy <= 0.0 {
        return (0.0, 0.0);
    }
    let plain = xy * xy / (xx * yy);
    let adjusted = 1.0 - (1.0 - plain) * (n - 1) as f64 / (n - 2) as f64;
    (xy / xx, adjusted.max(0.0))
}

/// Standard error of the mean; infinite for fewer than two values.
pub fn standard_error(values: &[f64]) -> f64 {
    match values.len() {
        0 | 1 => f64::INFINITY,
        n => standard_deviation(values) / (n as f64).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours() {
        let saw: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        assert!(autocorrelation(&saw) < -0.9);
        let steps: Vec<f64> = (0..40).map(|i| f64::from(i / 10)).collect();
        assert!(autocorrelation(&steps) > 0.8);
        assert_eq!(autocorrelation(&[1.0; 9]), 0.0);
        assert_eq!(autocorrelation(&[]), 0.0);
        assert_eq!(autocorrelation_inflation(-0.5), 1.0);
        assert!((autocorrelation_inflation(0.6) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn steps_are_drift_and_a_saw_is_not() {
        let saw: Vec<f64> = (0..64).map(|i| f64::from(i % 2)).collect();
        assert_eq!(drift_variance(&saw), 0.0);
        let steps: Vec<f64> = (0..64).map(|i| f64::from(i / 32) + f64::from(i % 2) * 0.1).collect();
        assert!((drift_variance(&steps) - 0.285).abs() < 0.01);
    }

    #[test]
    fn batches_see_slow_movement_that_neighbours_hide() {
        // A slow step under a fast saw: neighbours are hardly correlated, batches are.
        let mixed: Vec<f64> = (0..64).map(|i| f64::from(i / 32) + 2.0 * f64::from(i % 2)).collect();
        assert_eq!(autocorrelation_inflation(autocorrelation(&mixed)), 1.0);
        assert!(dependence_inflation(&mixed) > 1.2, "{}", dependence_inflation(&mixed));
        let saw: Vec<f64> = (0..64).map(|i| f64::from(i % 2)).collect();
        assert_eq!(dependence_inflation(&saw), 1.0);
    }

    #[test]
    fn a_straight_line_explains_itself() {
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|v| 3.0 * v + 1.0).collect();
        let (slope, share) = slope(&x, &y);
        assert!((slope - 3.0).abs() < 1e-12 && (share - 1.0).abs() < 1e-12);
    }
}
