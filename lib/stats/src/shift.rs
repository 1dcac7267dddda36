//! Differences between two series at each of their quantiles, with a band for all of them at once.
//!
//! The shift function of Doksum (1974) as estimated by Wilcox (1995, "Comparing two independent groups via multiple
//! quantiles"): quantiles by Harrell and Davis (1982), their spread by a bootstrap, here over blocks, since the runs of
//! a block shared their surroundings. One critical value, that of the largest studentised deviation, holds for all
//! quantiles together (Beran 1988).

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{Beta, ContinuousCDF};

use crate::describe::{quantile_sorted, sorted, standard_deviation};
use crate::randomise::below;

/// Number of resamples: the end of a 99 % band is the tenth largest of them.
const RESAMPLES: usize = 1000;

/// Minimum number of pairs; with fewer, a resample has too few distinct readings around an outer decile.
pub const PAIRS_MIN: usize = 20;

/// Minimum number of pairs for which the quantile 0.95 depends on more than the slowest run.
pub const UPPER_FROM: usize = 60;

/// A reading of the first series and one of the second.
pub type Pair = (f64, f64);

/// The difference of two series at one quantile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Probability of the quantile: the share of the readings below it.
    pub quantile: f64,
    /// The quantile of the second series minus that of the first.
    pub shift: f64,
    /// Lower end of the interval of `shift` in the band that holds for all quantiles at once.
    pub low: f64,
    /// Upper end of the interval of `shift` in the band that holds for all quantiles at once.
    pub high: f64,
}

/// The differences at the deciles, and at 0.95 for at least [`UPPER_FROM`] pairs, with a band that contains all of them
/// with probability `1 - level`. Empty for fewer than [`PAIRS_MIN`] pairs.
pub fn shift_function(blocks: &[Vec<Pair>], level: f64, seed: u64) -> Vec<Shift> {
    let pairs: usize = blocks.iter().map(Vec::len).sum();
    if pairs < PAIRS_MIN {
        return Vec::new();
    }
    let upper = (pairs >= UPPER_FROM).then_some(0.95);
    let quantiles: Vec<f64> = (1..10).map(|decile| f64::from(decile) / 10.0).chain(upper).collect();
    let series = Both::of(blocks, &quantiles);
    let estimates = series.shifts(&vec![1; blocks.len()]);
    let replicates = replicates(&series, blocks.len(), seed);
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

/// Readings of one series in ascending order, each with its block. A resample is a count per block, so that nothing is
/// sorted again.
struct Ranked(Vec<(f64, usize)>);

impl Ranked {
    fn of(blocks: &[Vec<Pair>], reading: fn(&Pair) -> f64) -> Self {
        let of_block = |(block, pairs): (usize, &Vec<Pair>)| {
            pairs.iter().map(|pair| (reading(pair), block)).collect::<Vec<_>>()
        };
        let mut all: Vec<(f64, usize)> = blocks.iter().enumerate().flat_map(of_block).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ranked(all)
    }

    /// The quantiles if each block counts `times` times. `below` is the share of a quantile's weight below each rank.
    fn quantiles(&self, times: &[usize], below: &[Vec<f64>]) -> Vec<f64> {
        let (n, total) = (self.0.len(), self.0.iter().map(|(_, block)| times[*block]).sum::<usize>().max(1));
        let mut quantiles = vec![0.0; below.len()];
        let mut rank = 0;
        for (value, block) in self.0.iter().filter(|(_, block)| times[*block] > 0) {
            let next = rank + times[*block];
            // Blocks of different sizes do not always add up to the original number of readings.
            let (from, to) = (rank * n / total, next * n / total);
            for (quantile, below) in quantiles.iter_mut().zip(below) {
                *quantile += (below[to] - below[from]) * value;
            }
            rank = next;
        }
        quantiles
    }
}

/// The two series, with the weights of their ranks.
struct Both {
    a: Ranked,
    b: Ranked,
    below: Vec<Vec<f64>>,
}

impl Both {
    fn of(blocks: &[Vec<Pair>], quantiles: &[f64]) -> Self {
        let (a, b) = (Ranked::of(blocks, |pair| pair.0), Ranked::of(blocks, |pair| pair.1));
        let below = quantiles.iter().map(|&quantile| weight_below(a.0.len(), quantile)).collect();
        Both { a, b, below }
    }

    /// The difference at each quantile if each block counts `times` times.
    fn shifts(&self, times: &[usize]) -> Vec<f64> {
        let (a, b) = (self.a.quantiles(times, &self.below), self.b.quantiles(times, &self.below));
        b.iter().zip(&a).map(|(b, a)| b - a).collect()
    }
}

/// Total weight of the readings below each rank in the estimate of a quantile (Harrell and Davis 1982).
fn weight_below(n: usize, quantile: f64) -> Vec<f64> {
    let (a, b) = ((n + 1) as f64 * quantile, (n + 1) as f64 * (1.0 - quantile));
    let share = |rank: usize| rank as f64 / n as f64;
    match Beta::new(a, b) {
        Ok(beta) => (0..=n).map(|rank| beta.cdf(share(rank))).collect(),
        Err(_) => (0..=n).map(share).collect(),
    }
}

/// The difference at each quantile, for each resample of whole blocks.
fn replicates(series: &Both, blocks: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        let mut times = vec![0; blocks];
        (0..blocks).for_each(|_| times[below(&mut random, blocks)] += 1);
        series.shifts(&times)
    };
    (0..RESAMPLES).map(|_| draw()).collect()
}

/// Half width of the band in standard errors: the value that the largest deviation of a resample exceeds with
/// probability `level`.
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

    /// A uniform random number from 0 to 1, excluding 1.
    fn unit(random: &mut ChaCha8Rng) -> f64 {
        (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Right-skewed readings of a pair that share half of their noise, as readings of one block do.
    fn pair(random: &mut ChaCha8Rng) -> Pair {
        let mut slow = || -(1.0 - unit(random)).ln();
        let (shared, a, b) = (slow(), slow(), slow());
        (shared + a, shared + b)
    }

    fn singles(pairs: impl Iterator<Item = Pair>) -> Vec<Vec<Pair>> {
        pairs.map(|pair| vec![pair]).collect()
    }

    /// Number of comparisons without a difference whose band excludes zero somewhere.
    fn false_bands(blocks: impl Fn(&mut ChaCha8Rng) -> Vec<Vec<Pair>>, comparisons: u64) -> usize {
        let is_false = |seed: &u64| {
            let blocks = blocks(&mut ChaCha8Rng::seed_from_u64(*seed));
            shift_function(&blocks, 0.05, *seed).iter().any(|it| it.low > 0.0 || it.high < 0.0)
        };
        (0..comparisons).filter(is_false).count()
    }

    #[test]
    fn the_band_holds_its_level_where_there_is_no_difference() {
        // More than 14 of 120 comparisons at 5 % occur once in a thousand times.
        for n in [PAIRS_MIN, UPPER_FROM] {
            let found = false_bands(|random| singles((0..n).map(|_| pair(random))), 120);
            assert!(found <= 14, "{n} pairs: {found} of 120");
        }
    }

    #[test]
    fn runs_that_share_a_block_are_drawn_together() {
        // Each block moves its two sides independently, and its four pairs alike, as if they were one pair.
        let blocks = |random: &mut ChaCha8Rng| {
            let block = |random: &mut ChaCha8Rng| {
                let (a, b) = (unit(random), unit(random));
                (0..4).map(|_| (a + 0.01 * unit(random), b + 0.01 * unit(random))).collect()
            };
            (0..UPPER_FROM).map(|_| block(random)).collect()
        };
        assert!(false_bands(blocks, 120) <= 14);
        let apart = |random: &mut ChaCha8Rng| singles(blocks(random).into_iter().flatten());
        assert!(false_bands(apart, 120) > 14, "drawn one by one the band would be too narrow");
    }

    #[test]
    fn a_difference_of_the_tail_shows_in_the_upper_quantiles_alone() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let pairs = (0..200).map(|index| {
            let (a, b) = (unit(&mut random), unit(&mut random));
            (a, if index % 8 == 0 { b + 5.0 } else { b })
        });
        let found = shift_function(&singles(pairs), 0.05, 7);
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
            let below = weight_below(60, quantile);
            assert!(below[0] == 0.0 && (below[60] - 1.0).abs() < 1e-9);
            let middle: f64 =
                (0..60).map(|rank| (below[rank + 1] - below[rank]) * (rank as f64 + 0.5) / 60.0).sum();
            assert!((middle - quantile).abs() < 0.02, "{quantile}: {middle}");
        }
        let same = |n: usize| singles((0..n).map(|_| (1.0, 2.0)));
        assert!(shift_function(&same(PAIRS_MIN - 1), 0.05, 1).is_empty());
        let moved = shift_function(&same(PAIRS_MIN), 0.05, 1);
        assert!(moved.iter().all(|it| it.low > 0.999 && it.high < 1.001), "{moved:?}");
    }

    #[test]
    fn blocks_of_different_sizes_lose_no_reading() {
        let blocks: Vec<Vec<Pair>> =
            (0..30).map(|block| (0..=block % 3).map(|_| (1.0, 3.0)).collect()).collect();
        let found = shift_function(&blocks, 0.05, 1);
        assert!(found.iter().all(|it| (it.shift - 2.0).abs() < 1e-9 && it.high - it.low < 1e-9), "{found:?}");
    }
}
