//! An estimated log ratio with its standard error and interval.

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
    /// Student's interval of a mean, from its standard error and degrees of freedom, at an error level such as 0.05.
    pub(super) fn new(at: f64, error: f64, df: f64, level: f64) -> Self {
        // Without a degree of freedom, a computed error of zero does not mean that the true error is zero.
        let half = if df > 0.0 { t_upper_quantile(level / 2.0, df) * error } else { f64::INFINITY };
        Estimate { at, low: at - half, high: at + half, error }
    }

    /// The winsorised mean of values; `None` for fewer than two values.
    pub(super) fn of(values: &[f64], level: f64) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let found = location(values);
        Some(Estimate::new(found.estimate, found.se, found.df, level))
    }

    /// The difference of two winsorised means; `None` for fewer than two values on either side.
    pub(super) fn difference(of: &[f64], from: &[f64], level: f64) -> Option<Self> {
        let (a, b) = (Estimate::of(of, level)?, Estimate::of(from, level)?);
        let error = a.error.hypot(b.error);
        let df = of.len().min(from.len()) as f64 - 1.0;
        Some(Estimate::new(a.at - b.at, error, df, level))
    }

    /// Estimate, lower and upper end of the interval, as ratios. `sign` is −1 if the sign of the logarithms was turned,
    /// otherwise 1.
    pub(super) fn ratios(self, sign: f64) -> [f64; 3] {
        let [one, other] = [(sign * self.low).exp(), (sign * self.high).exp()];
        [(sign * self.at).exp(), one.min(other), one.max(other)]
    }
}

/// The number, or `None` if it is infinite or NaN, which JSON cannot represent.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
