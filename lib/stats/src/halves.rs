//! Repeatability: whether two halves of the blocks agree about the levels.

use crate::additive::{Additive, Block};
use crate::describe::mean;
use crate::distribution::normal_upper_quantile;
use crate::draw::Draw;

/// Number of random splits whose correlations are averaged, since the result of a single split is random.
const SPLITS: usize = 64;

/// How well the effects of the levels repeat, with an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeatability {
    /// Correlation over levels between two halves of the blocks, corrected to the full number of blocks.
    pub correlation: f64,
    /// Lower end of the interval of `correlation`.
    pub low: f64,
    /// Upper end of the interval of `correlation`.
    pub high: f64,
}

/// Mean correlation of random halves of some blocks of a fit, `chosen` by index, corrected to the full number of blocks
/// by 2r/(1 + r) (Spearman 1910; Brown 1910), with the interval at `level` of Fisher's z. Negative values are reported
/// as zero, since halves cannot truly disagree. `None` for fewer than four blocks, or four levels that both halves
/// visited.
pub fn split_half(
    blocks: &[Block],
    chosen: &[usize],
    fitted: &Additive,
    level: f64,
    seed: u64,
) -> Option<Repeatability> {
    let mut order = chosen.to_vec();
    let mut draw = Draw::new(seed, 4);
    if order.len() < 4 {
        return None;
    }
    let mut splits = Vec::with_capacity(SPLITS);
    for _ in 0..SPLITS {
        draw.shuffle(&mut order);
        let (one, other) = order.split_at(order.len() / 2);
        splits.push(correlation(&means(blocks, fitted, one), &means(blocks, fitted, other))?);
    }
    let levels = splits.iter().map(|split| split.1).min()?;
    let r = mean(&splits.iter().map(|split| split.0).collect::<Vec<_>>())?;
    let reach = normal_upper_quantile(level / 2.0) / ((levels as f64) - 3.0).max(0.5).sqrt();
    let corrected = |r: f64| (2.0 * r / (1.0 + r)).clamp(0.0, 1.0);
    let moved = |by: f64| corrected((r.clamp(-0.999_999, 0.999_999).atanh() + by).tanh());
    Some(Repeatability { correlation: corrected(r), low: moved(-reach), high: moved(reach) })
}

/// Weighted mean of the cleaned values per level over some blocks.
fn means(blocks: &[Block], fitted: &Additive, chosen: &[usize]) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); fitted.effects.len()];
    for &block in chosen {
        let values = fitted.cleaned[block].iter().zip(&fitted.weights[block]);
        for (&level, (value, weight)) in blocks[block].levels.iter().zip(values) {
            let sum = &mut sums[usize::from(level)];
            *sum = (sum.0 + weight * value, sum.1 + weight);
        }
    }
    sums.into_iter().map(|(sum, weight)| (weight > 0.0).then(|| sum / weight)).collect()
}

/// Correlation over the levels that both halves visited, and their number; `None` for fewer than four.
fn correlation(one: &[Option<f64>], other: &[Option<f64>]) -> Option<(f64, usize)> {
    let pairs: Vec<(f64, f64)> = one.iter().zip(other).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    if pairs.len() < 4 {
        return None;
    }
    let centre = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).sum::<f64>() / pairs.len() as f64;
    let (a_mean, b_mean) = (centre(|pair| pair.0), centre(|pair| pair.1));
    let product =
        |f: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|(a, b)| f(a - a_mean, b - b_mean)).sum::<f64>();
    let scale = (product(&|a, _| a * a) * product(&|_, b| b * b)).sqrt();
    Some((if scale > 0.0 { product(&|a, b| a * b) / scale } else { 0.0 }, pairs.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::fit;

    const ALL: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

    fn repeatability(seed: u64, spread: f64) -> Repeatability {
        let mut draw = Draw::new(seed, 0);
        let effects: Vec<f64> = (0..64).map(|_| spread * draw.normal()).collect();
        let block = |_| {
            let mut levels: Vec<u16> = (0..64).collect();
            draw.shuffle(&mut levels);
            let values = levels.iter().map(|&level| effects[usize::from(level)] + draw.normal());
            Block { values: values.collect(), levels: levels.clone() }
        };
        let blocks: Vec<Block> = (0..10).map(block).collect();
        split_half(&blocks, &ALL[..10], &fit(&blocks, 64), 0.05, 1).unwrap()
    }

    #[test]
    fn agrees_with_its_expectation() {
        // With effects of variance v and noise of one, ten blocks have a reliability of v/(v + 0.1).
        for (spread, want) in [(1.0, 10.0 / 11.0), (0.316_23, 0.5)] {
            let all: Vec<Repeatability> = (0..40).map(|seed| repeatability(seed, spread)).collect();
            let mean = all.iter().map(|one| one.correlation).sum::<f64>() / 40.0;
            assert!((mean - want).abs() < 0.06, "{mean} {want}");
            let covers = all.iter().filter(|one| one.low <= want && want <= one.high).count();
            assert!(covers >= 33, "{covers} of 40");
        }
        let none = repeatability(1, 0.0);
        assert!(none.low == 0.0 && none.correlation < 0.5, "{none:?}");
    }

    #[test]
    fn too_few_blocks_or_levels() {
        let blocks = vec![Block { levels: vec![0, 1, 2], values: vec![0.0, 1.0, 2.0] }; 8];
        assert_eq!(split_half(&blocks, &ALL[..8], &fit(&blocks, 3), 0.05, 1), None);
        assert_eq!(split_half(&blocks, &ALL[..3], &fit(&blocks, 3), 0.05, 1), None);
    }
}
