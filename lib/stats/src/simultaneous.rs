//! Intervals and p-values of several levels at once, by the largest of their deviations.

use crate::additive::{Additive, Block};
use crate::describe::{quantile_sorted, standard_deviation};
use crate::distribution::{t_two_sided_p, t_upper_quantile};
use crate::draw::Draw;
use crate::permute::TURNED_FROM;

/// Number of random orders for at most [`FEW`] candidates, and for more.
const DRAWS: (usize, usize) = (4999, 999);

/// Maximum number of candidates for which the first number of [`DRAWS`] is used.
const FEW: usize = 64;

/// Maximum number of drawn values; beyond it a bound is computed instead of drawing.
const WORK_MAX: usize = 400_000_000;

/// The deviation of a level from the median of all levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Index of the level that deviates.
    pub level: u16,
    /// Mean deviation of the level over the chosen blocks.
    pub estimate: f64,
    /// Lower end of the interval of `estimate` that holds for all tested levels at once.
    pub low: f64,
    /// Upper end of the interval of `estimate` that holds for all tested levels at once.
    pub high: f64,
    /// p-value adjusted for all candidates together, by Westfall and Young's step-down.
    pub p_adjusted: f64,
    /// Number of blocks that visited the level.
    pub blocks: usize,
}

/// Deviations of `candidates` over some of the blocks of a fit, `chosen` by index, with intervals that hold for all
/// candidates at once with probability 1 − `level`.
///
/// Residuals are permuted within their blocks. The largest deviation of any candidate in each order shows the effect of
/// chance on this number of levels (max-T; Westfall and Young 1993, "Resampling-Based Multiple Testing", algorithm 2.8
/// for the step-down p-values). A level that scatters more than the others has a proportionally wider interval. The
/// candidates must not have been chosen by the same blocks.
pub fn deviations(
    blocks: &[Block],
    fitted: &Additive,
    chosen: &[usize],
    candidates: &[u16],
    level: f64,
    seed: u64,
) -> Vec<Deviation> {
    let values = values_of_levels(blocks, fitted, chosen);
    let seen: Vec<Seen> =
        candidates.iter().filter_map(|&level| Seen::of(level, &values[usize::from(level)], fitted)).collect();
    let draws = if seen.len() <= FEW { DRAWS.0 } else { DRAWS.1 };
    let (critical, p_values) = if seen.len() * chosen.len() * draws > WORK_MAX {
        bonferroni(&seen, fitted, level)
    } else {
        let drawn = drawn(blocks, fitted, chosen, &seen, draws, seed);
        (quantile_of_largest(&drawn, 1.0 - level), step_down(&seen, &drawn))
    };
    let deviation = |(seen, p_adjusted): (&Seen, f64)| {
        let half = critical * seen.scale;
        Deviation {
            level: seen.level,
            estimate: seen.estimate,
            low: seen.estimate - half,
            high: seen.estimate + half,
            p_adjusted,
            blocks: seen.blocks,
        }
    };
    seen.iter().zip(p_values).map(deviation).collect()
}

/// The cleaned values of each level in the chosen blocks.
fn values_of_levels(blocks: &[Block], fitted: &Additive, chosen: &[usize]) -> Vec<Vec<f64>> {
    let mut values = vec![Vec::new(); fitted.effects.len()];
    for &index in chosen {
        let visits = blocks[index].levels.iter().zip(&fitted.cleaned[index]);
        visits.for_each(|(&level, &value)| values[usize::from(level)].push(value));
    }
    values
}

/// Quantile over the random orders of the largest deviation of any candidate.
fn quantile_of_largest(drawn: &[Vec<f64>], probability: f64) -> f64 {
    let mut largest: Vec<f64> = drawn.iter().map(|row| row.iter().copied().fold(0.0, f64::max)).collect();
    largest.sort_unstable_by(f64::total_cmp);
    quantile_sorted(&largest, probability).unwrap_or(f64::INFINITY)
}

/// By Bonferroni's bound, the deviation in units of [`Seen::scale`] beyond which a candidate is significant at `level`,
/// and the adjusted p-value of each candidate.
fn bonferroni(seen: &[Seen], fitted: &Additive, level: f64) -> (f64, Vec<f64>) {
    let (n, sd) = (seen.len().max(1) as f64, fitted.noise.sqrt());
    let p = |seen: &Seen| (n * t_two_sided_p(seen.size() / sd, fitted.df)).min(1.0);
    (sd * t_upper_quantile(level / 2.0 / n, fitted.df), seen.iter().map(p).collect())
}

/// Estimates of one candidate from the chosen blocks.
struct Seen {
    level: u16,
    estimate: f64,
    blocks: usize,
    /// Divisor that makes a mean residual of this level comparable: 1/√blocks, more if the level scatters more.
    scale: f64,
}

impl Seen {
    fn of(level: u16, values: &[f64], fitted: &Additive) -> Option<Seen> {
        let usual = fitted.noise.sqrt();
        let own = standard_deviation(values);
        let wider = if usual > 0.0 { (own / usual).max(1.0) } else { 1.0 };
        let estimate = crate::describe::mean(values)?;
        Some(Seen { level, estimate, blocks: values.len(), scale: wider / (values.len() as f64).sqrt() })
    }

    fn size(&self) -> f64 {
        self.estimate.abs() / self.scale
    }
}

/// The size of each candidate's mean residual, for every random order.
fn drawn(
    blocks: &[Block],
    fitted: &Additive,
    chosen: &[usize],
    seen: &[Seen],
    draws: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let mut draw = Draw::new(seed, 5);
    let stretch = stretch(blocks, fitted, chosen);
    let mut residuals: Vec<(Vec<f64>, Vec<usize>)> =
        chosen.iter().map(|&index| residuals(&blocks[index], &fitted.cleaned[index], fitted, seen)).collect();
    let one = |_| {
        let mut sums = vec![0.0; seen.len()];
        for (values, candidates) in &mut residuals {
            // Residuals are in chronological order, which was random for the levels, so rotating them is enough if
            // there are many levels.
            if candidates.len() >= TURNED_FROM {
                let turned = values.iter().cycle().skip(draw.below(values.len()));
                candidates.iter().zip(turned).for_each(|(&candidate, value)| sums[candidate] += value);
                continue;
            }
            // The first places of a partial shuffle are a random choice without replacement.
            for (place, &candidate) in candidates.iter().enumerate() {
                let other = place + draw.below(values.len() - place);
                values.swap(place, other);
                sums[candidate] += values[place];
            }
        }
        // A wider scatter of a candidate is part of its scale, so all candidates count alike here.
        sums.iter().zip(seen).map(|(sum, seen)| stretch * sum.abs() / (seen.blocks as f64).sqrt()).collect()
    };
    (0..draws).map(one).collect()
}

/// Factor that gives residuals the variance of the noise, which they lack because of the degrees of freedom of drift
/// and levels.
fn stretch(blocks: &[Block], fitted: &Additive, chosen: &[usize]) -> f64 {
    let effect = |level: &u16| fitted.effects[usize::from(*level)].unwrap_or(0.0);
    let visits = chosen.iter().flat_map(|&index| blocks[index].levels.iter().zip(&fitted.cleaned[index]));
    let (squares, n) = visits.fold((0.0, 0usize), |(squares, n), (level, value)| {
        (squares + (value - effect(level)).powi(2), n + 1)
    });
    if squares > 0.0 { (fitted.noise * n as f64 / squares).sqrt().max(1.0) } else { 1.0 }
}

/// Residuals of a block, and the candidates that it visited.
fn residuals(block: &Block, cleaned: &[f64], fitted: &Additive, seen: &[Seen]) -> (Vec<f64>, Vec<usize>) {
    let effect = |level: u16| fitted.effects[usize::from(level)].unwrap_or(0.0);
    let values = block.levels.iter().zip(cleaned).map(|(&level, value)| value - effect(level)).collect();
    let mut visited = block.levels.clone();
    visited.sort_unstable();
    let present = |&candidate: &usize| visited.binary_search(&seen[candidate].level).is_ok();
    (values, (0..seen.len()).filter(present).collect())
}

/// Westfall and Young's step-down: each candidate is compared with the largest of those that deviate at most as much.
fn step_down(seen: &[Seen], drawn: &[Vec<f64>]) -> Vec<f64> {
    let mut rising: Vec<usize> = (0..seen.len()).collect();
    rising.sort_by(|&a, &b| seen[a].size().total_cmp(&seen[b].size()));
    let mut at_least = vec![1usize; seen.len()];
    for row in drawn {
        let mut largest = 0.0f64;
        for &candidate in &rising {
            largest = largest.max(row[candidate]);
            at_least[candidate] += usize::from(largest >= seen[candidate].size());
        }
    }
    let mut p_values = vec![1.0; seen.len()];
    let mut so_far = 0.0f64;
    for &candidate in rising.iter().rev() {
        so_far = so_far.max(at_least[candidate] as f64 / (drawn.len() + 1) as f64);
        p_values[candidate] = so_far;
    }
    p_values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::fit;

    fn sweep(seed: u64, peak: f64) -> Vec<Block> {
        let mut draw = Draw::new(seed, 0);
        let block = |_| {
            let mut levels: Vec<u16> = (0..24).collect();
            draw.shuffle(&mut levels);
            let values = levels.iter().map(|&level| f64::from(level == 7) * peak + draw.normal());
            Block { values: values.collect(), levels: levels.clone() }
        };
        (0..10).map(block).collect()
    }

    #[test]
    fn all_intervals_hold_at_once() {
        let candidates: Vec<u16> = (0..24).collect();
        let all: Vec<usize> = (0..10).collect();
        let holds = (0..100u64).filter(|&seed| {
            let blocks = sweep(seed, 3.0);
            let found = deviations(&blocks, &fit(&blocks, 24), &all, &candidates, 0.05, seed);
            found.iter().all(|one| {
                let truth = if one.level == 7 { 3.0 } else { 0.0 };
                one.low <= truth && truth <= one.high
            })
        });
        // Of 100 bands of 95 %, 95 are expected to hold; the 0.1 % quantile of that binomial is 88.
        let holds = holds.count();
        assert!(holds >= 88, "{holds}");
    }

    #[test]
    fn the_peak_is_found_and_no_other() {
        let candidates: Vec<u16> = (0..24).collect();
        let all: Vec<usize> = (0..10).collect();
        let blocks = sweep(1, 3.0);
        let found = deviations(&blocks, &fit(&blocks, 24), &all, &candidates, 0.01, 1);
        let beyond: Vec<u16> = found.iter().filter(|one| one.low > 0.0).map(|one| one.level).collect();
        assert_eq!(beyond, [7]);
        assert!(found[7].p_adjusted <= 0.001 && found[3].p_adjusted > 0.05, "{found:?}");
    }
}
