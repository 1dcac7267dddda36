//! Who does not belong to a group: robust distances, and thresholds that grow with the group.
//!
//! Values are logarithms or differences in which more is worse: only the slow side of a group is judged.

use crate::describe::{MAD_TO_SD, median, median_in_place, quantile_sorted, sorted};
use crate::distribution::{normal_upper_quantile, t_upper_quantile};

/// The efficiency of the median absolute deviation at the normal distribution: with n values it knows the spread about
/// as well as a standard deviation of so many times n (Rousseeuw and Croux 1993, "Alternatives to the Median Absolute
/// Deviation").
const MAD_EFFICIENCY: f64 = 0.37;

/// Centre and spread of a group, of which nearly half may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Robust {
    /// The median.
    pub centre: f64,
    /// 1.4826 times the median absolute deviation.
    pub spread: f64,
    /// The same of the values above the median alone, if that is more: the slow side where it is the wider one.
    pub slow_side: f64,
}

/// Centre and spread; `None` for no values.
pub fn robust(values: &[f64]) -> Option<Robust> {
    let centre = median(values)?;
    let mut all: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let mut above: Vec<f64> =
        values.iter().filter(|&&value| value >= centre).map(|value| value - centre).collect();
    let spread = MAD_TO_SD * median_in_place(&mut all)?;
    let slow_side = spread.max(MAD_TO_SD * median_in_place(&mut above)?);
    Some(Robust { centre, spread, slow_side })
}

/// The z beyond which one of `count` values is out of line, so that a group without anybody who is has `flags` of them
/// beyond it on average.
///
/// It is the point that `flags / count` of a normal distribution exceeds, read off Student's t since the spread is
/// known from `count` values only: 3.6 for 500 values and 4.3 for 10,000 at 0.1 flags. Infinite for fewer than three
/// values.
pub fn threshold(count: usize, flags: f64) -> f64 {
    if count < 3 {
        return f64::INFINITY;
    }
    t_upper_quantile(flags / count as f64, MAD_EFFICIENCY * (count - 1) as f64)
}

/// Where the slow side of a group is read for the weight of its tail, unless fewer than [`TAIL_VALUES`] lie beyond.
const TAIL_SHARE: f64 = 0.025;
const TAIL_VALUES: f64 = 2.5;

/// What is believed of tails before any value is seen, and how firmly.
const TAIL_PRIOR: (f64, f64) = (0.15, 0.1);

/// The heaviest tail that is believed: Student's t with two and a half degrees of freedom.
const TAIL_MAX: f64 = 0.4;

/// The upper quartile of the normal distribution, where spread is measured.
const QUARTILE: f64 = 0.674_49;

/// How heavy the slow tail of a group is: one over the degrees of freedom of the Student's t that reaches as far; 0 for
/// a normal one.
///
/// `distances` are from the centre, in spreads. They are read where 2.5 % of the values lie beyond (a few odd
/// machines are further out and do not count), and what is read is drawn towards what is believed beforehand by how
/// little so many values can tell. `noise` is what of the spread is normal noise of the values themselves, as a ratio
/// of standard deviations: the tail is that of what is left.
pub fn tail_weight(distances: &[f64], noise: f64) -> f64 {
    let n = distances.len() as f64;
    let share = TAIL_SHARE.max(TAIL_VALUES / n);
    let (prior, doubt) = TAIL_PRIOR;
    let seen = quantile_sorted(&sorted(distances), 1.0 - share).filter(|&seen| seen > 0.0 && share < 0.2);
    let Some(seen) = seen else { return prior };
    let z = normal_upper_quantile(share);
    let left = (1.0 - noise * noise).max(0.1);
    let without_noise = ((seen * seen - noise * noise * z * z).max(0.0) / left).sqrt();
    let weight = weight_of(without_noise / QUARTILE, share);
    let slope = (reach(0.1, share) / reach(0.0, share)).ln() / 0.1;
    let error = relative_error(share, z, n) / slope;
    let trust = doubt.powi(2) / (doubt.powi(2) + error.powi(2));
    trust * weight + (1.0 - trust) * prior
}

/// How far a tail of that weight reaches at a probability, over its upper quartile.
fn reach(weight: f64, probability: f64) -> f64 {
    match weight > 1e-3 {
        true => t_upper_quantile(probability, 1.0 / weight) / t_upper_quantile(0.25, 1.0 / weight),
        false => normal_upper_quantile(probability) / QUARTILE,
    }
}

/// The weight with which a tail reaches so far; none is below a normal one.
fn weight_of(ratio: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, TAIL_MAX);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if reach(middle, probability) < ratio { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Standard error of the ratio between the upper quantile at `z` and that at the quartile, for normal values (the
/// asymptotic covariance of two quantiles: David and Nagaraja, "Order Statistics", section 10.3).
fn relative_error(share: f64, z: f64, n: f64) -> f64 {
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (far, near) = (density(z) * z, density(QUARTILE) * QUARTILE);
    let variance = share * (1.0 - share) / (far * far) + 0.1875 / (near * near) - 1.5 * share / (far * near);
    (variance.max(0.0) / n).sqrt()
}

/// The threshold of [`threshold`] for a group with a tail of that weight.
pub fn heavier(count: usize, flags: f64, weight: f64) -> f64 {
    let probability = (flags / count.max(1) as f64).min(0.25);
    threshold(count, flags) * reach(weight, probability) / reach(0.0, probability)
}

/// Critical values of Dixon's r10, (highest − next) / (highest − lowest), for 3 to 7 values: exceeded by the highest of
/// normal values in 2.5 % of groups (Rorabacher 1991, "Statistical Treatment for Rejection of Deviant Values").
const DIXON: [f64; 5] = [0.970, 0.829, 0.710, 0.625, 0.568];

/// Whether the highest of a few values is out of line with the others by Dixon's test; `None` for fewer than three or
/// more than seven values, or where all are equal.
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
    fn the_slow_side_is_measured_where_it_is_wider() {
        let found = robust(&[0.0, 1.0, 2.0, 12.0, 22.0]).unwrap();
        assert_eq!(found.centre, 2.0);
        assert!((found.spread - MAD_TO_SD * 2.0).abs() < 1e-12, "{found:?}");
        assert!((found.slow_side - MAD_TO_SD * 10.0).abs() < 1e-12, "{found:?}");
        assert_eq!(robust(&[]), None);
    }

    /// Normal values, or those of Student's t with five degrees of freedom, in spreads.
    fn drawn(heavy: bool, noise: f64, draw: &mut Draw) -> Vec<f64> {
        let value =
            |draw: &mut Draw| draw.normal() / if heavy { (draw.chi_square(5.0) / 5.0).sqrt() } else { 1.0 };
        let values: Vec<f64> = (0..5000).map(|_| value(draw) + noise * draw.normal()).collect();
        let scale = robust(&values).unwrap();
        values.iter().map(|value| (value - scale.centre) / scale.spread).collect()
    }

    #[test]
    fn heavy_tails_are_seen_where_there_are_many_values() {
        let mut draw = Draw::new(3, 0);
        let (light, heavy) =
            (tail_weight(&drawn(false, 0.0, &mut draw), 0.0), tail_weight(&drawn(true, 0.0, &mut draw), 0.0));
        assert!(light < 0.1 && (0.12..0.28).contains(&heavy), "{light} {heavy}");
        assert!(heavier(5000, 0.1, heavy) > 1.5 * heavier(5000, 0.1, light));
        assert!((heavier(500, 0.1, 0.0) - threshold(500, 0.1)).abs() < 1e-9);
        // Noise that is known does not hide the tail.
        let noisy = drawn(true, 1.0, &mut draw);
        assert!(tail_weight(&noisy, 0.68) > tail_weight(&noisy, 0.0));
    }

    #[test]
    fn five_values_tell_nothing_of_tails() {
        assert_eq!(tail_weight(&[0.0, 1.0, -1.0, 0.5, 9.0], 0.0), TAIL_PRIOR.0);
        assert_eq!(tail_weight(&[0.0; 50], 0.0), TAIL_PRIOR.0);
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
