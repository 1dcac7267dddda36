//! Outliers of a group: robust distances, and thresholds that grow with the size of the group.
//!
//! Values are logarithms or differences in which more is worse; only the slow side of a group is judged.

use crate::describe::{MAD_TO_SD, median, median_in_place, sorted};
use crate::distribution::t_upper_quantile;

/// Efficiency of the median absolute deviation at the normal distribution: the spread of n values is as precise as the
/// standard deviation of n times this many values (Rousseeuw and Croux 1993, "Alternatives to the Median Absolute
/// Deviation").
pub(crate) const MAD_EFFICIENCY: f64 = 0.37;

/// Robust centre and spread of a group, of which nearly half may be outliers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Robust {
    /// Median of the group.
    pub centre: f64,
    /// Median absolute deviation of the group times 1.4826, which estimates the standard deviation of normal values.
    pub spread: f64,
}

/// Robust centre and spread of the values; `None` for no values.
pub fn robust(values: &[f64]) -> Option<Robust> {
    let centre = median(values)?;
    let mut all: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let spread = MAD_TO_SD * median_in_place(&mut all)?;
    Some(Robust { centre, spread })
}

/// The z above which a value of a group of `count` is an outlier, chosen so that a group without outliers has `flags`
/// values beyond it on average. Infinite for fewer than three values.
pub fn threshold(count: usize, flags: f64) -> f64 {
    if count < 3 {
        return f64::INFINITY;
    }
    t_upper_quantile(flags / count as f64, MAD_EFFICIENCY * (count - 1) as f64)
}

/// Critical values of Dixon's r10, (highest − next) / (highest − lowest), for 3 to 7 values: the highest of normal
/// values exceeds them in 2.5 % of groups (Rorabacher 1991, "Statistical Treatment for Rejection of Deviant Values").
const DIXON: [f64; 5] = [0.970, 0.829, 0.710, 0.625, 0.568];

/// Whether the highest of a few values is out of line with the others by Dixon's test; `None` for fewer than three or
/// more than seven values, or if all are equal.
pub fn dixon_highest(values: &[f64]) -> Option<bool> {
    let critical = *DIXON.get(values.len().checked_sub(3)?)?;
    let sorted = sorted(values);
    let (lowest, next, highest) = (sorted[0], sorted[sorted.len() - 2], sorted[sorted.len() - 1]);
    (highest > lowest).then(|| (highest - next) / (highest - lowest) > critical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_grow_with_the_group() {
        for (count, least, most) in [(20, 3.3, 3.7), (500, 3.5, 3.65), (10_000, 4.2, 4.35)] {
            let found = threshold(count, 0.1);
            assert!((least..=most).contains(&found), "{count}: {found}");
        }
        assert_eq!(threshold(2, 0.1), f64::INFINITY);
    }

    #[test]
    fn centre_and_spread_are_those_of_most() {
        let found = robust(&[0.0, 1.0, 2.0, 12.0, 22.0]).unwrap();
        assert_eq!(found.centre, 2.0);
        assert!((found.spread - MAD_TO_SD * 2.0).abs() < 1e-12, "{found:?}");
        assert_eq!(robust(&[]), None);
    }

    #[test]
    fn the_published_example_of_dixon() {
        // Dean and Dixon 1951: 40.02, 40.12, 40.16, 40.18, 40.18, 40.20 has Q = 0.556 for the lowest, below 0.625.
        let turned = [40.02, 40.12, 40.16, 40.18, 40.18, 40.20].map(|value: f64| -value);
        assert_eq!(dixon_highest(&turned), Some(false));
        assert_eq!(dixon_highest(&[1.0, 1.001, 1.1]), Some(true));
        assert_eq!(dixon_highest(&[1.0, 1.0, 1.0]), None);
        assert_eq!(dixon_highest(&[1.0, 2.0]), None);
    }
}
