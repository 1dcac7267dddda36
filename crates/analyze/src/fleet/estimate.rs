//! An estimate with its interval, on a logarithmic scale.

use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::winsor::location;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) at: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) error: f64,
}

impl Estimate {
    /// From a mean, its standard error and its degrees of freedom, at a level such as 0.05.
    pub(super) fn new(at: f64, error: f64, df: f64, level: f64) -> Self {
        // Without a degree of freedom, an observed error of zero does not mean that the error is zero.
        let half = if df > 0.0 { t_upper_quantile(level / 2.0, df) * error } else { f64::INFINITY };
        Estimate { at, low: at - half, high: at + half, error }
    }

    /// The mean of values with outliers pulled in; `None` for fewer than two values.
    pub(super) fn of(values: &[f64], level: f64) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let found = location(values);
        Some(Estimate::new(found.estimate, found.se, found.df, level))
    }

    /// The difference of two such means; `None` for fewer than two values on either side.
    pub(super) fn difference(of: &[f64], from: &[f64], level: f64) -> Option<Self> {
        let (a, b) = (Estimate::of(of, level)?, Estimate::of(from, level)?);
        let error = a.error.hypot(b.error);
        let df = of.len().min(from.len()) as f64 - 1.0;
        Some(Estimate::new(a.at - b.at, error, df, level))
    }

    /// Estimate and interval as ratios. `sign` is −1 if the sign of the logarithm was turned.
    pub(super) fn ratios(self, sign: f64) -> [f64; 3] {
        let [one, other] = [(sign * self.low).exp(), (sign * self.high).exp()];
        [(sign * self.at).exp(), one.min(other), one.max(other)]
    }
}

/// The number if it is finite, since JSON has no other numbers.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
