//! The winsorised mean with a standard error that accounts for the winsorising.

use crate::describe::{MAD_TO_SD, mean, median, median_in_place, variance};

/// Minimum number of values for which outliers are winsorised. With fewer, the median absolute deviation is too
/// uncertain to identify outliers.
pub const WINSORISE_FROM: usize = 12;

/// Values further than this many scaled median absolute deviations from the median are winsorised to that distance.
///
/// On simulated noise and at the same error rate, a true difference of 1 % takes 10 to 13 % fewer pairs than with a
/// fence of 3 if one run in ten or twenty has a spike, and 2 % more if the noise is normal. Tighter fences gain little
/// more and begin to estimate a mode if there are two.
pub const FENCE: f64 = 2.0;

/// Maximum share of the values that is winsorised. If more lie outside, the data have several modes rather than
/// outliers, and the fence widens until this share is left outside.
pub const SHARE_MAX: f64 = 0.25;

/// A location estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// Number of values, winsorised ones included.
    pub n: usize,
    /// The winsorised mean, in the unit of the values.
    pub estimate: f64,
    /// Standard error; infinite for fewer than two values.
    pub se: f64,
    /// Degrees of freedom of the standard error.
    pub df: f64,
    /// Number of values that were winsorised.
    pub clipped: usize,
}

impl Location {
    /// Standard deviation that would give a mean of `n` plain values the same standard error.
    pub fn sd(&self) -> f64 {
        self.se * (self.n as f64).sqrt()
    }

    /// The t statistic against zero; zero if the estimate is zero.
    pub fn t(&self) -> f64 {
        if self.estimate == 0.0 { 0.0 } else { self.estimate / self.se }
    }
}

/// The values with outliers winsorised to median ± 2 · 1.4826 · MAD, and the number of outliers. Fewer than
/// [`WINSORISE_FROM`] values, and values of which more than half are equal, are not changed.
pub fn winsorise(values: &[f64]) -> (Vec<f64>, usize) {
    let Some((low, high)) = fences(values) else { return (values.to_vec(), 0) };
    let clipped = values.iter().filter(|&&value| value < low || value > high).count();
    (values.iter().map(|value| value.clamp(low, high)).collect(), clipped)
}

/// The bounds to which values are winsorised; `None` for fewer than [`WINSORISE_FROM`] values, and if more than half
/// are equal.
fn fences(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < WINSORISE_FROM {
        return None;
    }
    let centre = median(values)?;
    let mut distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let spread = median_in_place(&mut distances)?;
    let kept = values.len() - (values.len() as f64 * SHARE_MAX) as usize;
    let (_, &mut widest, _) = distances.select_nth_unstable_by(kept - 1, f64::total_cmp);
    let reach = (FENCE * MAD_TO_SD * spread).max(widest);
    (spread > 0.0).then_some((centre - reach, centre + reach))
}

/// The winsorised mean only, for resampling; zero for no values.
pub fn winsorised_mean(values: &[f64]) -> f64 {
    match fences(values) {
        Some((low, high)) => {
            values.iter().map(|value| value.clamp(low, high)).sum::<f64>() / values.len() as f64
        }
        None => mean(values).unwrap_or(0.0),
    }
}

/// The winsorised mean with its standard error.
///
/// The standard deviation of the winsorised values alone understates the error, because the fence moves with the data:
/// a sample that happens to lie high winsorises its outliers to a higher place. Dividing by the share of unchanged
/// values corrects this, with as many degrees of freedom as unchanged values, minus one (Tukey and McLaughlin 1963;
/// Yuen 1974, "The two-sample trimmed t for unequal population variances"; the same factor is the mean derivative in
/// the variance of Huber's M-estimator, Huber 1981, section 6.4).
pub fn location(values: &[f64]) -> Location {
    let n = values.len();
    let (pulled, clipped) = winsorise(values);
    let left_alone = (n - clipped) as f64;
    let se = match n {
        0 | 1 => f64::INFINITY,
        _ => (variance(&pulled) / n as f64).sqrt() * n as f64 / left_alone,
    };
    Location { n, estimate: mean(&pulled).unwrap_or(0.0), se, df: (left_alone - 1.0).max(0.0), clipped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_spike_is_pulled_in_and_paid_for() {
        let mut values: Vec<f64> = (0..20).map(|i| f64::from(i % 5) - 2.0).collect();
        let clean = location(&values);
        assert_eq!((clean.clipped, clean.df), (0, 19.0));
        values[0] = 1000.0;
        let spiky = location(&values);
        assert_eq!((spiky.clipped, spiky.df), (1, 18.0));
        assert!(spiky.estimate < 1.0 && spiky.se < 2.0 * clean.se && spiky.se > clean.se);
    }

    #[test]
    fn two_modes_are_not_outliers() {
        // Half of the values sit at zero, a quarter at each side: the fence must not cut the sides off.
        let values: Vec<f64> = (0..40).map(|i| [0.0, -5.0, 0.0, 5.0][i % 4] + 0.001 * i as f64).collect();
        assert_eq!(location(&values).clipped, 0);
    }

    #[test]
    fn equal_values_and_tiny_samples_give_no_nonsense() {
        assert_eq!(location(&[]).se, f64::INFINITY);
        assert_eq!(location(&[4.0]).se, f64::INFINITY);
        let equal = location(&[0.5; 30]);
        assert_eq!((equal.estimate, equal.se, equal.t()), (0.5, 0.0, f64::INFINITY));
        assert_eq!(location(&[0.0; 30]).t(), 0.0);
        let mut mostly = vec![0.0; 30];
        mostly[3] = 1.0;
        assert_eq!(location(&mostly).clipped, 0);
        assert!(location(&mostly).se > 0.0);
    }

    proptest! {
        #[test]
        fn mirroring_the_data_mirrors_the_estimate(values in proptest::collection::vec(-1e3f64..1e3, 2..60)) {
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            let (here, there) = (location(&values), location(&mirrored));
            prop_assert!((here.estimate + there.estimate).abs() < 1e-9);
            prop_assert!((here.se - there.se).abs() < 1e-9);
        }
    }
}
