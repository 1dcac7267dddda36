//! Who does not belong to a group: robust distances, and thresholds that grow with the group.
//!
//! Values are logarithms or differences in which more is worse: only the slow side of a group is judged.

use crate::describe::{MAD_TO_SD, median, median_in_place, quantile_sorted, sorted};
use crate::distribution::{normal_upper_quantile, t_upper_quantile};

/// The efficiency of the median absolute deviation at the normal distribution: with n values it knows the spread about as
/// well as a standard deviation of so many times n (Rousseeuw and Croux 1993, "Alternatives to the Median Absolute
/// Deviation").
const MAD_EFFICIENCY: f64 = 0.37;

/// Centre and spread of a group, of which nearly half may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Robust {
    /// The median.
    pub centre: f64,
    /// 1.4826 times the median absolute deviation, of all values or of those above the median, whichever is more: a
    /// group whose slow side is the wider one is measured by that side.
    pub spread: f64,
}

/// Centre and spread; `None` for no values.
pub fn robust(values: &[f64]) -> Option<Robust> {
    let centre = median(values)?;
    let mut all: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let mut above: Vec<f64> =
        values.iter().filter(|&&value| value >= centre).map(|value| value - centre).collect();
    let wider = median_in_place(&mut all)?.max(median_in_place(&mut above)?);
    Some(Robust { centre, spread: MAD_TO_SD * wider })
}

/// The z beyond which one of `count` values is out of line, so that a group without anybody who is has `flags` of them
/// beyond it on average.
///
/// It is the point that `flags / count` of a normal distribution exceeds, read off Student's t since the spread is known
/// from `count` values only: 3.6 for 500 values and 4.3 for 10,000 at 0.1 flags. Infinite for fewer than three values.
pub fn threshold(count: usize, flags: f64) -> f64 {
    if count < 3 {
        return f64::INFINITY;
    }
    t_upper_quantile(flags / count as f64, MAD_EFFICIENCY * (count - 1) as f64)
}

/// Where the slow side of a group is read for the weight of its tail, unless fewer than [`TAIL_VALUES`] lie beyond.
const TAIL_SHARE: f64 = 0.025;
const TAIL_VALUES: f64 = 2.5;

/// What is believed of tails before any value is seen: the weight of a logistic distribution, give or take as much.
const TAIL_PRIOR: (f64, f64) = (0.05, 0.06);

/// How much heavier the slow tail of a group is than a normal one: Tukey's h, in which a normal z becomes z·exp(h·z²/2).
///
/// It is read where 2.5 % of the values lie beyond (a few odd machines are further out and do not count), and drawn
/// towards what is believed beforehand by how little so many values can tell. Never below zero.
pub fn tail_weight(distances: &[f64]) -> f64 {
    let n = distances.len() as f64;
    let share = TAIL_SHARE.max(TAIL_VALUES / n);
    let (prior, doubt) = TAIL_PRIOR;
    let z = if share < 0.2 { normal_upper_quantile(share) } else { return prior };
    let Some(seen) = quantile_sorted(&sorted(distances), 1.0 - share).filter(|&seen| seen > 0.0) else {
        return prior;
    };
    let reach = 0.5 * (z * z - QUARTILE * QUARTILE);
    let weight = (seen / z).ln() / reach;
    let error = relative_error(share, z, n) / reach;
    let trust = doubt.powi(2) / (doubt.powi(2) + error.powi(2));
    (trust * weight + (1.0 - trust) * prior).max(0.0)
}

/// The upper quartile of the normal distribution, where spread is measured.
const QUARTILE: f64 = 0.674_49;

/// Standard error of the ratio between the upper quantile at `z` and that at the quartile, for normal values (the
/// asymptotic covariance of two quantiles: David and Nagaraja, "Order Statistics", section 10.3).
fn relative_error(share: f64, z: f64, n: f64) -> f64 {
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (far, near) = (density(z) * z, density(QUARTILE) * QUARTILE);
    let variance = share * (1.0 - share) / (far * far) + 0.1875 / (near * near) - 1.5 * share / (far * near);
    (variance.max(0.0) / n).sqrt()
}

/// A threshold for a group with a tail of that weight.
pub fn heavier(threshold: f64, weight: f64) -> f64 {
    threshold * (0.5 * weight * (threshold * threshold - QUARTILE * QUARTILE).max(0.0)).exp()
}

/// Critical values of Dixon's r10, (highest − next) / (highest − lowest), for 3 to 7 values: exceeded by the highest of
/// normal values in 2.5 % of groups (Rorabacher 1991, "Statistical Treatment for Rejection of Deviant Values").
const DIXON: [f64; 5] = [0.970, 0.829, 0.710, 0.625, 0.568];

/// Whether the highest of a few values is out of line with the others by Dixon's test; `None` for fewer than three or more
/// than seven values, or where all are equal.
pub fn dixon_highest(values: &[f64]) -> Option<bool> {
    let critical = *DIXON.get(values.len().checked_sub(3)?)?;
    let sorted = sorted(values);
    let (lowest, next, highest) = (sorted[0], sorted[sorted.len() - 2], sorted[sorted.len() - 1]);
    (highest > lowest).then(|| (highest - next) / (highest - lowest) > critical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn thresholds_grow_with_the_group() {
        for (count, least, most) in [(20, 3.3, 3.7), (500, 3.5, 3.65), (10_000, 4.2, 4.35)] {
            let found = threshold(count, 0.1);
            assert!((least..=most).contains(&found), "{count}: {found}");
        }
        assert_eq!(threshold(2, 0.1), f64::INFINITY);
    }

    #[test]
    fn the_wider_side_measures() {
        let found = robust(&[0.0, 1.0, 2.0, 12.0, 22.0]).unwrap();
        assert_eq!(found.centre, 2.0);
        assert!((found.spread - MAD_TO_SD * 10.0).abs() < 1e-12, "{found:?}");
        assert_eq!(robust(&[]), None);
    }

    #[test]
    fn heavy_tails_are_seen_where_there_are_many_values() {
        let mut draw = Draw::new(3, 0);
        let mut weight_of = |heavy: bool| {
            let mut values: Vec<f64> = (0..5000)
                .map(|_| draw.normal() / if heavy { (draw.chi_square(5.0) / 5.0).sqrt() } else { 1.0 })
                .collect();
            let scale = robust(&values).unwrap();
            values.iter_mut().for_each(|value| *value = (*value - scale.centre) / scale.spread);
            tail_weight(&values)
        };
        let (light, heavy) = (weight_of(false), weight_of(true));
        assert!(light < 0.03 && heavy > 0.07, "{light} {heavy}");
        assert!(heavier(4.0, heavy) > 1.5 * heavier(4.0, light));
    }

    #[test]
    fn five_values_tell_nothing_of_tails() {
        assert_eq!(tail_weight(&[0.0, 1.0, -1.0, 0.5, 9.0]), TAIL_PRIOR.0);
        assert!(heavier(3.0, 0.0) == 3.0);
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
