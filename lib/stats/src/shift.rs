//! By how much two series differ at each of their quantiles, with a band for all of them at once.
//!
//! The shift function of Doksum (1974) as Wilcox (1995, "Comparing two independent groups via multiple quantiles")
//! estimates it: quantiles by Harrell and Davis (1982), their spread by a bootstrap, here over pairs, since the two runs of
//! a pair shared what was around them. One critical value, that of the largest of the studentised deviations, holds for
//! all quantiles together (Beran 1988).

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{Beta, ContinuousCDF};

use crate::describe::{quantile_sorted, sorted, standard_deviation};
use crate::randomise::below;

/// Resamples: the end of a 95 % band is the fiftieth largest of them.
const RESAMPLES: usize = 1000;

/// Pairs below which a resample has too few distinct readings around an outer decile.
pub const PAIRS_MIN: usize = 20;

/// Pairs from which the quantile 0.95 is more than the slowest run.
pub const UPPER_FROM: usize = 60;

/// The difference at one quantile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Share of the readings below.
    pub quantile: f64,
    /// That quantile of the second series minus that of the first.
    pub shift: f64,
    /// Low end of the simultaneous band.
    pub low: f64,
    /// High end of it.
    pub high: f64,
}

/// The differences at the deciles, and at 0.95 where there are [`UPPER_FROM`] pairs, with a band that holds all of them
/// with probability `1 - level`; nothing for fewer than [`PAIRS_MIN`] pairs. A pair is a reading of each series.
pub fn shift_function(pairs: &[(f64, f64)], level: f64, seed: u64) -> Vec<Shift> {
    if pairs.len() < PAIRS_MIN {
        return Vec::new();
    }
    let upper = (pairs.len() >= UPPER_FROM).then_some(0.95);
    let quantiles: Vec<f64> = (1..10).map(|decile| f64::from(decile) / 10.0).chain(upper).collect();
    let weights: Vec<Vec<f64>> = quantiles.iter().map(|&q| weights(pairs.len(), q)).collect();
    let estimates = shifts(pairs, &weights);
    let replicates = replicates(pairs, &weights, seed);
    let errors: Vec<f64> = (0..quantiles.len())
        .map(|at| standard_deviation(&replicates.iter().map(|one| one[at]).collect::<Vec<_>>()))
        .collect();
    let critical = critical(&replicates, &estimates, &errors, level);
    let shift = |at: usize| {
        let (shift, half) = (estimates[at], critical * errors[at]);
        Shift { quantile: quantiles[at], shift, low: shift - half, high: shift + half }
    };
    (0..quantiles.len()).map(shift).collect()
}

/// What each reading in rising order weighs in the estimate of a quantile (Harrell and Davis 1982).
fn weights(n: usize, quantile: f64) -> Vec<f64> {
    let (a, b) = ((n + 1) as f64 * quantile, (n + 1) as f64 * (1.0 - quantile));
    let Ok(beta) = Beta::new(a, b) else { return vec![1.0 / n as f64; n] };
    let below: Vec<f64> = (0..=n).map(|rank| beta.cdf(rank as f64 / n as f64)).collect();
    below.windows(2).map(|two| two[1] - two[0]).collect()
}

/// The difference at each quantile.
fn shifts(pairs: &[(f64, f64)], weights: &[Vec<f64>]) -> Vec<f64> {
    let rising = |of: fn(&(f64, f64)) -> f64| sorted(&pairs.iter().map(of).collect::<Vec<_>>());
    let (a, b) = (rising(|pair| pair.0), rising(|pair| pair.1));
    let of = |weights: &Vec<f64>| weights.iter().zip(b.iter().zip(&a)).map(|(w, (b, a))| w * (b - a)).sum();
    weights.iter().map(of).collect()
}

/// The differences of each resample of whole pairs.
fn replicates(pairs: &[(f64, f64)], weights: &[Vec<f64>], seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut resample = pairs.to_vec();
    let mut draw = || {
        resample.iter_mut().for_each(|place| *place = pairs[below(&mut random, pairs.len())]);
        shifts(&resample, weights)
    };
    (0..RESAMPLES).map(|_| draw()).collect()
}

/// How many standard errors the band reaches: what the largest deviation of a resample exceeds with probability `level`.
fn critical(replicates: &[Vec<f64>], estimates: &[f64], errors: &[f64], level: f64) -> f64 {
    let largest = |one: &Vec<f64>| {
        let deviations = one.iter().zip(estimates).zip(errors).filter(|(_, error)| **error > 0.0);
        deviations.map(|((value, estimate), error)| ((value - estimate) / error).abs()).fold(0.0, f64::max)
    };
    let largest = sorted(&replicates.iter().map(largest).collect::<Vec<_>>());
    quantile_sorted(&largest, 1.0 - level).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    /// A number between 0 and 1.
    fn unit(random: &mut ChaCha8Rng) -> f64 {
        (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Right-skewed readings of a pair that share half of their noise, as those of one block do.
    fn pair(random: &mut ChaCha8Rng) -> (f64, f64) {
        let mut slow = || -(1.0 - unit(random)).ln();
        let (shared, a, b) = (slow(), slow(), slow());
        (shared + a, shared + b)
    }

    /// How many of so many comparisons without a difference have a band that excludes none somewhere.
    fn false_bands(n: usize, comparisons: u64) -> usize {
        let is_false = |seed: &u64| {
            let mut random = ChaCha8Rng::seed_from_u64(*seed);
            let pairs: Vec<(f64, f64)> = (0..n).map(|_| pair(&mut random)).collect();
            shift_function(&pairs, 0.05, *seed).iter().any(|it| it.low > 0.0 || it.high < 0.0)
        };
        (0..comparisons).filter(is_false).count()
    }

    #[test]
    fn the_band_holds_its_level_where_there_is_no_difference() {
        // Of 120 comparisons at 5 %, more than 14 are seen once in a thousand.
        for n in [PAIRS_MIN, UPPER_FROM] {
            let found = false_bands(n, 120);
            assert!(found <= 14, "{n} pairs: {found} of 120");
        }
    }

    #[test]
    fn a_difference_of_the_tail_shows_in_the_upper_quantiles_alone() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let pairs: Vec<(f64, f64)> = (0..200)
            .map(|index| {
                let (a, b) = (unit(&mut random), unit(&mut random));
                (a, if index % 8 == 0 { b + 5.0 } else { b })
            })
            .collect();
        let found = shift_function(&pairs, 0.05, 7);
        assert_eq!(found.len(), 10);
        for it in &found {
            let is_upper = it.quantile > 0.9;
            assert!(!is_upper || it.low > 0.0, "{it:?}");
            assert!(it.quantile > 0.75 || it.low <= 0.0 && it.high >= 0.0, "{it:?}");
        }
    }

    #[test]
    fn weights_are_shares_and_few_pairs_have_no_band() {
        for quantile in [0.1, 0.5, 0.95] {
            let weights = weights(60, quantile);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let middle: f64 =
                weights.iter().enumerate().map(|(rank, w)| w * (rank as f64 + 0.5) / 60.0).sum();
            assert!((middle - quantile).abs() < 0.02, "{quantile}: {middle}");
        }
        assert!(shift_function(&[(1.0, 2.0); PAIRS_MIN - 1], 0.05, 1).is_empty());
        let moved = shift_function(&[(1.0, 2.0); PAIRS_MIN], 0.05, 1);
        assert!(moved.iter().all(|it| (it.low, it.shift, it.high).1 > 0.999 && it.low > 0.999), "{moved:?}");
    }
}
