//! Bets on the sign of differences: evidence that is valid at every moment, however the next measurement was chosen.

use crate::describe::{MAD_TO_SD, median, median_in_place};

/// Stakes, given as the difference (in units of the usual spread) for which each stake is the best. Between two stakes
/// of this grid of factors of two, the evidence grows only a few per cent more slowly than with the best stake.
const STAKES: [f64; 5] = [0.15, 0.3, 0.6, 1.2, 2.4];

/// Maximum size of a difference in usual spreads; a larger one counts as this, so that one outlier costs a bet no more
/// than a few ordinary differences.
const FENCE: f64 = 2.0;

/// Number of earlier differences from which the usual spread is estimated. Before that, only the sign of a difference
/// counts.
const SPREAD_FROM: usize = 4;

/// The smallest spread, as a log ratio: equal differences do not show how the next one will vary.
const SPREAD_MIN: f64 = 1e-9;

/// Logarithm of the factor, ten, by which a mixture of five stakes on two sides may have less wealth than the best of
/// them.
const PRICE: f64 = std::f64::consts::LN_10;

/// Wealth of each stake after all bets on one centre, as logarithms, for the side above and the side below.
#[derive(Clone, Debug, Default, PartialEq)]
struct Wealth {
    above: [f64; STAKES.len()],
    below: [f64; STAKES.len()],
}

impl Wealth {
    /// Bets on a difference from the centre, in usual spreads.
    ///
    /// If the difference is as likely as its negative given all earlier ones, 1 + tanh(λx) has mean one for every stake
    /// λ. This factor is exp(λx) / cosh(λx), and so exceeds exp(λx − λ²x²/2) of the plain e-process for every x
    /// (Ramdas, Ruf, Larsson and Koolen 2020, "Admissible anytime-valid sequential inference must rely on nonnegative
    /// martingales"). If the centre of symmetry lies below, the mean for the side above is less than one.
    fn take(&mut self, x: f64) {
        for (at, stake) in STAKES.iter().enumerate() {
            // ln(1 + tanh(y)) = ln 2 − ln(1 + exp(−2y)), which avoids cancellation far below zero.
            let y = 2.0 * stake * x;
            let ln_2 = std::f64::consts::LN_2;
            self.above[at] += ln_2 - softplus(-y);
            self.below[at] += ln_2 - softplus(y);
        }
    }

    fn ln_above(&self) -> f64 {
        ln_mean_exp(&self.above)
    }

    fn ln_below(&self) -> f64 {
        ln_mean_exp(&self.below)
    }

    fn ln_either(&self) -> f64 {
        let (above, below) = (self.ln_above(), self.ln_below());
        ln_mean_exp(&[above, below])
    }
}

/// ln(1 + exp(y)).
fn softplus(y: f64) -> f64 {
    y.max(0.0) + (-y.abs()).exp().ln_1p()
}

fn ln_mean_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = values.iter().map(|value| (value - largest).exp()).sum();
    largest + (sum / values.len() as f64).ln()
}

/// Differences, and the evidence about their centre.
///
/// Each difference has to be as likely as its negative about the true centre, given all earlier differences and
/// everything that influenced the choice to measure it. Earlier results may therefore decide which benchmark is
/// measured again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bets {
    /// Each difference with the usual spread of the differences before it; zero while that is unknown.
    seen: Vec<(f64, f64)>,
    /// Centres whose evidence is tracked at every moment, with the bets on each.
    asked: Vec<(f64, Wealth)>,
}

impl Bets {
    /// Bets without any difference yet, which track the evidence about these centres.
    pub fn about(centres: &[f64]) -> Self {
        Bets { seen: Vec::new(), asked: centres.iter().map(|&centre| (centre, Wealth::default())).collect() }
    }

    /// Adds a difference.
    pub fn push(&mut self, d: f64) {
        let spread = self.usual_spread();
        self.asked.iter_mut().for_each(|(centre, wealth)| wealth.take(counted(d - *centre, spread)));
        self.seen.push((d, spread));
    }

    /// Number of differences that were added.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether there is no difference yet.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The differences, in the order in which they were added.
    pub fn values(&self) -> Vec<f64> {
        self.seen.iter().map(|&(d, _)| d).collect()
    }

    /// Spread by which the next difference is scaled; zero while too few differences are known.
    pub fn usual_spread(&self) -> f64 {
        if self.seen.len() < SPREAD_FROM {
            return 0.0;
        }
        let mut values = self.values();
        let Some(centre) = median(&values) else { return 0.0 };
        values.iter_mut().for_each(|d| *d = (*d - centre).abs());
        (MAD_TO_SD * median_in_place(&mut values).unwrap_or(0.0)).max(SPREAD_MIN)
    }

    /// Natural logarithm of the evidence that the true centre lies above the tracked centre with index `asked`, against
    /// *at or below*.
    pub fn ln_above(&self, asked: usize) -> f64 {
        self.asked[asked].1.ln_above()
    }

    /// Natural logarithm of the evidence that the true centre lies below the tracked centre with index `asked`, against
    /// *at or above*.
    pub fn ln_below(&self, asked: usize) -> f64 {
        self.asked[asked].1.ln_below()
    }

    /// Natural logarithm of the evidence that the true centre differs from the tracked centre with index `asked`.
    pub fn ln_either(&self, asked: usize) -> f64 {
        self.asked[asked].1.ln_either()
    }

    /// The confidence sequence at `level`: the centres against which the evidence is below 1/level. The ends are
    /// infinite while nothing is excluded.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        match median(&self.values()) {
            Some(centre) => (self.end(centre, -1.0, level), self.end(centre, 1.0, level)),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The end of the confidence sequence in one direction: the nearest excluded centre; infinite if none is excluded.
    fn end(&self, centre: f64, direction: f64, level: f64) -> f64 {
        let excluded = |distance: f64| {
            let mut wealth = Wealth::default();
            let theta = centre + direction * distance;
            self.seen.iter().for_each(|&(d, spread)| wealth.take(counted(d - theta, spread)));
            wealth.ln_either() >= -level.ln()
        };
        // Centres are log ratios: distances from a millionth to e⁸ are searched, beyond which an exact end does not
        // matter.
        let steps = std::iter::successors(Some(1e-6), |distance| Some(distance * 1.6)).take(34);
        let Some(mut outside) = steps.into_iter().find(|&distance| excluded(distance)) else {
            return direction * f64::INFINITY;
        };
        let mut inside = if outside <= 1e-6 { 0.0 } else { outside / 1.6 };
        for _ in 0..12 {
            let middle = 0.5 * (inside + outside);
            if excluded(middle) { outside = middle } else { inside = middle }
        }
        centre + direction * outside
    }
}

/// A distance from a centre in usual spreads, clamped to the fence; its sign alone while the spread is unknown.
fn counted(distance: f64, spread: f64) -> f64 {
    match distance {
        0.0 => 0.0,
        _ if spread == 0.0 => distance.signum(),
        _ => (distance / spread).clamp(-FENCE, FENCE),
    }
}

/// Expected number of further differences until the evidence is `1/level`, if the centre lies `distance` spreads away
/// and the present evidence is exp(`ln_now`). Infinite for distance zero.
pub fn differences_to(distance: f64, level: f64, ln_now: f64) -> f64 {
    let (growth, wanted) = (growth(distance), PRICE - level.ln() - ln_now.max(0.0));
    if growth > 0.0 { (wanted / growth).max(1.0) } else { f64::INFINITY }
}

/// Growth of the logarithm of the best stake's wealth by a difference of `distance` spreads: x²/2 for small distances, and
/// no bet wins more than its stake.
fn growth(distance: f64) -> f64 {
    let ln_2 = std::f64::consts::LN_2;
    ln_2 * -(-distance * distance / (2.0 * ln_2)).exp_m1()
}

/// The upper quantile of the standard normal distribution beyond which one value in ten lies.
const ONE_OF_TEN: f64 = 1.281_551_6;

/// Multiple of the differences seen up to which a number that suffices is told; more would rest on chance alone.
const TIMES_MAX: f64 = 20.0;

/// Number of differences within which a new series reaches the evidence `1/level` with a probability of nine in ten, where
/// `seen` differences lie `distance` spreads away on average. Infinite where these are too few to say.
///
/// After n differences of the mean m, the evidence of the best stake is n m²/2, which is enough from √n m ≥ √(2 w) on, with
/// the logarithm w that is wanted. The true distance scatters around the one seen with a variance of 1/`seen`, and m
/// around the true one with 1/n.
pub fn differences_that_suffice(distance: f64, level: f64, seen: usize) -> f64 {
    let (seen, pace) = (seen as f64, (2.0 * growth(distance)).sqrt());
    let wanted = (2.0 * (PRICE - level.ln())).sqrt();
    let is_enough = |n: &f64| n.sqrt() * pace - ONE_OF_TEN * (1.0 + n / seen).sqrt() >= wanted;
    let numbers = std::iter::successors(Some(1.1 * seen), |n| Some(1.1 * n));
    let suffices = numbers.take_while(|n| *n > 0.0 && *n <= TIMES_MAX * seen).find(is_enough);
    suffices.unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Share of series of noise around zero whose evidence ever reaches 1/level.
    fn false_alarms(noise: impl Fn(&mut Draw) -> f64, level: f64) -> f64 {
        let alarms = (0..2000u64).filter(|&seed| {
            let mut draw = Draw::new(seed, 3);
            let mut bets = Bets::about(&[0.0]);
            (0..120).any(|_| {
                let size = noise(&mut draw);
                bets.push(if draw.uniform() < 0.5 { size } else { -size });
                bets.ln_either(0) >= -level.ln()
            })
        });
        alarms.count() as f64 / 2000.0
    }

    #[test]
    fn the_level_holds_at_every_moment_for_any_symmetric_noise() {
        // Four standard errors of 5 % in 2000 are 2 points.
        for shape in 0..4 {
            let share = false_alarms(
                |draw| match shape {
                    0 => 0.01 * draw.normal(),
                    1 => 0.01 / draw.uniform(),
                    2 => {
                        if draw.uniform() < 0.1 {
                            2.0
                        } else {
                            1e-3 * draw.normal()
                        }
                    }
                    _ => 1.0,
                },
                0.05,
            );
            assert!(share <= 0.07, "shape {shape}: {share}");
        }
    }

    #[test]
    fn a_shift_is_found_and_its_interval_holds_it() {
        let mut draw = Draw::new(4, 1);
        let mut bets = Bets::about(&[0.0, 0.02]);
        (0..60).for_each(|_| bets.push(0.05 + 0.02 * draw.normal()));
        assert!(bets.ln_either(0) > 10.0 && bets.ln_above(1) > 5.0 && bets.ln_below(1) < 0.0);
        let (low, high) = bets.interval(0.01);
        assert!(low < 0.05 && 0.05 < high && low > 0.02 && high < 0.08, "{low} {high}");
        let (wide_low, wide_high) = bets.interval(1e-6);
        assert!(wide_low < low && wide_high > high);
    }

    #[test]
    fn no_pair_wins_more_than_its_stake() {
        let mut bets = Bets::about(&[0.0]);
        (0..20).for_each(|_| bets.push(0.1));
        let most = 20.0 * std::f64::consts::LN_2;
        assert!(bets.ln_above(0) < most && bets.ln_above(0) > most - 2.5, "{}", bets.ln_above(0));
        assert!((bets.ln_either(0) - bets.ln_above(0) + std::f64::consts::LN_2).abs() < 1e-3);
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        let mut bets = Bets::about(&[0.0]);
        assert_eq!(bets.interval(0.05), (f64::NEG_INFINITY, f64::INFINITY));
        (0..50).for_each(|_| bets.push(0.0));
        assert!(bets.ln_either(0).abs() < 1e-12);
        assert!(differences_to(0.0, 0.01, 0.0).is_infinite());
        assert!(differences_to(1.0, 0.01, 0.0) > differences_to(2.0, 0.01, 0.0));
        assert!(differences_that_suffice(0.0, 0.01, 50).is_infinite());
        assert!(differences_that_suffice(1.0, 0.01, 0).is_infinite());
    }

    #[test]
    fn what_suffices_is_more_than_what_is_expected() {
        let suffices = |distance, seen| differences_that_suffice(distance, 0.001, seen);
        assert!(suffices(0.5, 40) > differences_to(0.5, 0.001, 0.0));
        assert!(suffices(0.5, 40) > suffices(0.5, 100));
        assert!(suffices(0.5, 40) < 20.0 * 40.0 && suffices(0.1, 40).is_infinite());
    }
}
