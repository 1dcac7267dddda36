//! Two modes of a sample: their centres, the valley between them, and whether the valley is deeper than by chance.

use crate::describe::{MAD_TO_SD, mad, median};
use crate::distribution::binomial_half_cdf;

/// Two separate modes, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Centre of the lower mode.
    pub low: f64,
    /// Centre of the upper mode.
    pub high: f64,
    /// Boundary of the modes: values above it belong to the upper mode.
    pub cut: f64,
}

/// Minimum share of the values that makes a mode. A rarer group is a tail.
const SHARE_MIN: f64 = 0.05;

/// Minimum number of values in a mode.
const VALUES_MIN: usize = 8;

/// Probability that a false valley is accepted at a given place.
const BY_CHANCE: f64 = 1e-4;

/// Minimum distance of two cleanly separated normal modes: √2 times their distance over the root of the sum of both
/// variances (Ashman, Bird and Zepf 1994, "Detecting bimodality in astronomical datasets").
const APART: f64 = 2.0;

/// Number of initial cuts, at even shares of the values.
const FIRST_CUTS: usize = 19;

/// Maximum number of steps in which a cut is moved to the boundary of two modes.
const STEPS_MAX: usize = 20;

impl Modes {
    /// The two modes of values, given by a split whose sides are both narrow compared with their distance; `None` if
    /// there is no such split. The valley may still be due to chance; see [`Modes::is_shown_by`].
    pub fn of(values: &[f64]) -> Option<Modes> {
        let mut rising = values.to_vec();
        rising.sort_by(f64::total_cmp);
        let first = |part: usize| rising.get(part * rising.len() / (FIRST_CUTS + 1)).copied();
        let splits = (1..=FIRST_CUTS).filter_map(first).filter_map(|cut| settled(&rising, cut));
        let (modes, apart) = splits.max_by(|one, other| one.1.total_cmp(&other.1))?;
        (apart > APART).then_some(modes)
    }

    /// Whether fewer values lie near the cut than near either centre, beyond chance. In a unimodal distribution, each
    /// point between two others has at least the smaller of their densities, so no unimodal shape has a valley.
    pub fn is_shown_by(&self, values: &[f64]) -> bool {
        let half = 0.5 * (self.cut - self.low).min(self.high - self.cut);
        let about = |centre: f64| values.iter().filter(|&&value| (value - centre).abs() < half).count();
        let (peak, valley) = (about(self.low).min(about(self.high)), about(self.cut));
        peak > valley && binomial_half_cdf(peak + valley, valley) <= BY_CHANCE
    }
}

/// The modes on either side of a cut that is moved until it lies at their boundary, and their distance in the measure
/// of [`APART`]. Medians and absolute deviations are used, since single outliers make no mode.
fn settled(rising: &[f64], mut cut: f64) -> Option<(Modes, f64)> {
    let least = ((SHARE_MIN * rising.len() as f64) as usize).max(VALUES_MIN);
    let mut found = None;
    for _ in 0..STEPS_MAX {
        let at = rising.partition_point(|&value| value <= cut);
        if at < least || rising.len() - at < least {
            return None;
        }
        let (below, above) = rising.split_at(at);
        let (low, high) = (median(below)?, median(above)?);
        // Counts with ties have an absolute deviation of zero, but values between two counts do not exist: a mode
        // spreads at least over the distance of neighbouring values, and over rounding errors, lest the divisor be
        // zero.
        let floor = step(rising).min(0.25 * (high - low)).max(1e-9 * (high - low));
        let [sd_low, sd_high] = [mad(below)?, mad(above)?].map(|it| (MAD_TO_SD * it).max(floor));
        let next = (low * sd_high + high * sd_low) / (sd_low + sd_high);
        found = Some((Modes { low, high, cut: next }, 2f64.sqrt() * (high - low) / sd_low.hypot(sd_high)));
        if rising.partition_point(|&value| value <= next) == at {
            break;
        }
        cut = next;
    }
    found.filter(|(modes, apart)| modes.low < modes.cut && modes.cut < modes.high && apart.is_finite())
}

/// The smallest distance of two different values, where most values have an equal one; else zero.
fn step(rising: &[f64]) -> f64 {
    let apart = || rising.windows(2).map(|two| two[1] - two[0]).filter(|&apart| apart > 0.0);
    match 2 * apart().count() < rising.len() {
        true => apart().fold(f64::INFINITY, f64::min),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    fn drawn(seed: u64, count: usize, mut value: impl FnMut(&mut Draw) -> f64) -> Vec<f64> {
        let mut draw = Draw::new(seed, 7);
        (0..count).map(|_| value(&mut draw)).collect()
    }

    fn shown(values: &[f64]) -> Option<Modes> {
        Modes::of(values).filter(|modes| modes.is_shown_by(values))
    }

    #[test]
    fn two_modes_are_found_where_they_are() {
        for (share, count) in [(0.5, 100), (0.1, 200), (0.9, 200)] {
            let values = drawn(3, count, |draw| {
                0.02 * draw.normal() + if draw.uniform() < share { 0.262 } else { 0.0 }
            });
            let modes = shown(&values).expect("two modes");
            assert!(modes.low.abs() < 0.01 && (modes.high - 0.262).abs() < 0.01, "{modes:?}");
            assert!((0.06..0.2).contains(&modes.cut), "{modes:?}");
            let above = values.iter().filter(|&&value| value > modes.cut).count() as f64;
            let slow = values.iter().filter(|&&value| value > 0.131).count() as f64;
            assert!((above - slow).abs() < 1.0, "{above} {slow}");
        }
    }

    #[test]
    fn a_cut_between_counts_with_ties_lies_between_them() {
        for seed in 0..200 {
            let coins = |draw: &mut Draw| (0..3).filter(|_| draw.uniform() < 0.5).count();
            let values = drawn(seed, 64, |draw| {
                let least = if draw.below(2) == 0 { 47 } else { 71 };
                ((least + coins(draw)) as f64).ln()
            });
            let Some(modes) = Modes::of(&values) else { continue };
            let cut = modes.cut.exp();
            assert!((51.0..71.0).contains(&cut), "seed {seed}: {cut}");
        }
    }

    #[test]
    fn of_one_mode_no_shape_has_two() {
        type Shape = fn(&mut Draw) -> f64;
        let shapes: [(&str, Shape); 5] = [
            ("normal", |draw| draw.normal()),
            ("uniform", |draw| draw.uniform()),
            ("exponential", |draw| -draw.uniform().ln()),
            ("normal with spikes", |draw| {
                0.01 * draw.normal() + if draw.uniform() < 0.05 { -0.2 * draw.uniform().ln() } else { 0.0 }
            }),
            ("Cauchy", |draw| draw.normal() / draw.normal()),
        ];
        for (name, shape) in shapes {
            let wrong = (0..400u64).filter(|&seed| shown(&drawn(seed, 60 + seed as usize, shape)).is_some());
            // At 0.1 % each, more than four of 400 come once in two thousand times.
            assert!(wrong.count() <= 4, "{name}");
        }
    }

    #[test]
    fn too_few_values_and_values_without_spread_have_none() {
        assert_eq!(Modes::of(&[]), None);
        assert_eq!(Modes::of(&[1.0; 100]), None);
        assert_eq!(Modes::of(&[1.0, 2.0, 1.0, 2.0]), None);
        let two = [[1.0; 20], [2.0; 20]].concat();
        let modes = shown(&two).expect("two values are two modes");
        assert_eq!((modes.low, modes.high), (1.0, 2.0));
        // Six outliers in a hundred are a tail, not a mode.
        let mut tail = drawn(1, 94, |draw| draw.normal());
        tail.extend([30.0; 6]);
        assert_eq!(shown(&tail), None);
    }
}
