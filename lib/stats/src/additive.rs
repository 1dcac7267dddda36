//! Decomposition of a sweep: value = drift of the block + effect of the level + noise.

use crate::describe::{median, median_in_place};
use crate::noncentral::{Noncentrality, squares_of_effects};
use crate::smooth::{scatter, trend, trend_noise, trend_parameters};

/// A block of a sweep: visits of levels in chronological order, each with the index of the level and the value that was
/// measured there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Indices of the levels, each at most once.
    pub levels: Vec<u16>,
    /// Values, usually logarithms.
    pub values: Vec<f64>,
}

/// Number of rounds in which drift and effects are fitted in turn; more rounds do not change the result visibly.
const ROUNDS: usize = 3;

/// A visit further than this many local standard deviations from the median of its level is winsorised.
const FENCE: f64 = 4.0;

/// Number of times that outliers are winsorised: first around the median, then each time around the mean of the
/// previous round. The mean converges to Huber's estimate of location.
const PULLS: usize = 4;

/// Stretches whose local standard deviation is more than this many times the usual one are down-weighted. Weighting
/// every stretch by its scatter would favour stretches that happen to be quiet, and understate the noise.
const RESTLESS: f64 = 1.5;

/// Drift, effects and noise of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Additive {
    /// Effect of each level relative to the median of all levels; `None` if the level was never visited.
    pub effects: Vec<Option<f64>>,
    /// Standard error of each effect; infinite if the level was never visited.
    pub errors: Vec<f64>,
    /// Number of visits of each level.
    pub visits: Vec<usize>,
    /// The values of each block minus the drift, with outliers winsorised.
    pub cleaned: Vec<Vec<f64>>,
    /// The drift at each visit of each block.
    pub drift: Vec<Vec<f64>>,
    /// The weight of each visit of each block: the inverse of its local variance, 1 on average.
    pub weights: Vec<Vec<f64>>,
    /// Share of the visits that were winsorised.
    pub pulled_in: f64,
    /// Error variance of a visit of weight one.
    pub noise: f64,
    /// Degrees of freedom of `noise`.
    pub df: f64,
}

/// Size of the effects of all levels together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// F ratio: mean square between levels over the error variance.
    pub f: f64,
    /// Mean squared effect relative to the mean level, with its interval.
    pub effect: Noncentrality,
    /// Variance of the drift over the runs.
    pub drift: f64,
    /// Variance that neither effects nor drift explain.
    pub residual: f64,
    /// Number of levels that were visited.
    pub levels: usize,
}

/// Decomposes a sweep over `levels` levels.
///
/// Drift is a running median over time ([`trend`]) of the values minus the present effects; effects are weighted means
/// of the values minus the drift, with outliers winsorised (Huber's estimate of location). Both are fitted in turn, as
/// is usual for additive models (Tukey's median polish; Hastie and Tibshirani 1990, "backfitting"). Visits in restless
/// stretches weigh less, according to the local scatter.
pub fn fit(blocks: &[Block], levels: usize) -> Additive {
    let mut fitted = Additive {
        effects: vec![Some(0.0); levels],
        errors: vec![f64::INFINITY; levels],
        visits: vec![0; levels],
        cleaned: Vec::new(),
        drift: Vec::new(),
        weights: blocks.iter().map(|block| vec![1.0; block.values.len()]).collect(),
        pulled_in: 0.0,
        noise: 0.0,
        df: 0.0,
    };
    for _ in 0..ROUNDS {
        fitted.fit_drift(blocks);
        fitted.fit_levels(blocks);
    }
    fitted.fit_noise(blocks);
    fitted
}

impl Additive {
    fn effect(&self, level: u16) -> f64 {
        self.effects[usize::from(level)].unwrap_or(0.0)
    }

    fn fit_drift(&mut self, blocks: &[Block]) {
        let levelled = |block: &Block| {
            let visits = block.levels.iter().zip(&block.values);
            visits.map(|(&level, value)| value - self.effect(level)).collect()
        };
        self.drift = trend(&blocks.iter().map(levelled).collect::<Vec<_>>());
        let less = |(block, drift): (&Block, &Vec<f64>)| {
            block.values.iter().zip(drift).map(|(value, drift)| value - drift).collect()
        };
        self.cleaned = blocks.iter().zip(&self.drift).map(less).collect();
    }

    /// Winsorises outliers, weights the visits, and takes the mean of each level.
    fn fit_levels(&mut self, blocks: &[Block]) {
        let mut centres = self.medians(blocks);
        let off: Vec<f64> = visits(blocks, &self.cleaned).map(|(level, v)| v - centres[level]).collect();
        let scatter = scatter(&off);
        self.weigh(blocks, &scatter);
        let values = self.cleaned.clone();
        for _ in 0..PULLS {
            self.cleaned.clone_from(&values);
            self.pull_in(blocks, &centres, &scatter);
            let (sums, weights) = self.level_sums(blocks);
            let means = sums.iter().zip(&weights).map(|(sum, &weight)| (weight > 0.0).then(|| sum / weight));
            self.effects = means.collect();
            centres = self.effects.iter().map(|effect| effect.unwrap_or(0.0)).collect();
        }
        let mut present: Vec<f64> = self.effects.iter().flatten().copied().collect();
        let centre = median_in_place(&mut present).unwrap_or(0.0);
        self.effects.iter_mut().flatten().for_each(|effect| *effect -= centre);
        self.cleaned.iter_mut().flatten().for_each(|value| *value -= centre);
        self.drift.iter_mut().flatten().for_each(|drift| *drift += centre);
    }

    /// Winsorises the values that lie further from the centre of their level than [`FENCE`] times their scatter.
    fn pull_in(&mut self, blocks: &[Block], centres: &[f64], scatter: &[f64]) {
        let mut scatter = scatter.iter();
        let (mut pulled_in, mut all) = (0usize, 0usize);
        for (block, cleaned) in blocks.iter().zip(&mut self.cleaned) {
            for ((&level, value), scatter) in block.levels.iter().zip(cleaned).zip(scatter.by_ref()) {
                let (centre, reach) = (centres[usize::from(level)], FENCE * scatter);
                let within = value.clamp(centre - reach, centre + reach);
                pulled_in += usize::from(within != *value);
                all += 1;
                *value = within;
            }
        }
        self.pulled_in = pulled_in as f64 / all.max(1) as f64;
    }

    fn medians(&self, blocks: &[Block]) -> Vec<f64> {
        let mut of_level: Vec<Vec<f64>> = vec![Vec::new(); self.effects.len()];
        visits(blocks, &self.cleaned).for_each(|(level, value)| of_level[level].push(value));
        of_level.iter_mut().map(|values| median_in_place(values).unwrap_or(0.0)).collect()
    }

    fn weigh(&mut self, blocks: &[Block], scatter: &[f64]) {
        let usual = RESTLESS * median(scatter).unwrap_or(1.0);
        let weights: Vec<f64> = scatter.iter().map(|scatter| (usual / scatter.max(usual)).powi(2)).collect();
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let mut flat = weights.iter().map(|weight| weight / mean);
        self.weights = blocks.iter().map(|block| flat.by_ref().take(block.values.len()).collect()).collect();
    }

    /// Weighted sum of the cleaned values, and sum of the weights, of each level.
    fn level_sums(&self, blocks: &[Block]) -> (Vec<f64>, Vec<f64>) {
        let (mut sums, mut weights) = (vec![0.0; self.effects.len()], vec![0.0; self.effects.len()]);
        let flat = self.weights.iter().flatten();
        for ((level, value), weight) in visits(blocks, &self.cleaned).zip(flat) {
            sums[level] += weight * value;
            weights[level] += weight;
        }
        (sums, weights)
    }

    fn fit_noise(&mut self, blocks: &[Block]) {
        let residuals = visits(blocks, &self.cleaned).map(|(level, value)| value - self.effect(level as u16));
        let squares = residuals.zip(self.weights.iter().flatten()).map(|(residual, w)| w * residual.powi(2));
        let squares: f64 = squares.sum();
        visits(blocks, &self.cleaned).for_each(|(level, _)| self.visits[level] += 1);
        let runs: usize = self.visits.iter().sum();
        let levels = self.effects.iter().flatten().count();
        let drift: f64 = blocks.iter().map(|block| trend_parameters(block.values.len())).sum();
        // The overall mean is part of both the drift and the effects, but is only one parameter.
        self.df = (runs as f64 - levels as f64 - drift + 1.0).max(0.0);
        let longest = blocks.iter().map(|block| block.values.len()).max().unwrap_or(0);
        let noise = if self.df > 0.0 { squares / self.df } else { 0.0 };
        // The fences move with the mean and the winsorised values move with the fences, so only the other values
        // determine the mean (Huber 1964, "Robust estimation of a location parameter": E psi^2 over (E psi')^2).
        self.noise = noise * (1.0 + trend_noise(longest)) / (1.0 - self.pulled_in).powi(2);
        let (_, weights) = self.level_sums(blocks);
        self.errors = weights.iter().map(|weight| (self.noise / weight).sqrt()).collect();
        self.errors.iter_mut().filter(|error| error.is_nan()).for_each(|error| *error = f64::INFINITY);
    }

    /// Size of the effects, with intervals at `level` (0.05 for 95 %); `None` if no degrees of freedom are left.
    pub fn size(&self, blocks: &[Block], level: f64) -> Option<Size> {
        let (sums, weights) = self.level_sums(blocks);
        let total: f64 = weights.iter().sum();
        let levels = self.effects.iter().flatten().count();
        if levels < 2 || self.df < 1.0 {
            return None;
        }
        let grand = sums.iter().sum::<f64>() / total;
        let effects = self.effects.iter().zip(&weights);
        let between: f64 =
            effects.filter_map(|(effect, w)| effect.map(|effect| w * (effect - grand).powi(2))).sum();
        let df1 = (levels - 1) as f64;
        let f = if between > 0.0 { between / df1 / self.noise } else { 0.0 };
        let squares = if self.noise > 0.0 {
            squares_of_effects(between, df1, self.noise, self.df, level)
        } else {
            // Without any noise the estimated effects are exact.
            Noncentrality { low: between, estimate: between, high: between }
        };
        let effect = Noncentrality {
            low: squares.low / total,
            estimate: squares.estimate / total,
            high: squares.high / total,
        };
        Some(Size { f, effect, drift: self.drift_variance(), residual: self.residual(blocks), levels })
    }

    fn drift_variance(&self) -> f64 {
        let all: Vec<f64> = self.drift.iter().flatten().copied().collect();
        // A running median follows the noise a little, and that part is not drift.
        let longest = self.drift.iter().map(Vec::len).max().unwrap_or(1);
        let follows = self.noise * trend_noise(longest);
        (crate::describe::variance(&all) - follows).max(0.0)
    }

    /// Variance of the residuals, with equal weights for all runs.
    fn residual(&self, blocks: &[Block]) -> f64 {
        let squares = visits(blocks, &self.cleaned)
            .map(|(level, value)| (value - self.effect(level as u16)).powi(2))
            .sum::<f64>();
        if self.df > 0.0 { squares / self.df } else { 0.0 }
    }
}

/// All visits of all blocks: level and value.
fn visits<'a>(blocks: &'a [Block], values: &'a [Vec<f64>]) -> impl Iterator<Item = (usize, f64)> + 'a {
    let of_block = |(block, values): (&'a Block, &'a Vec<f64>)| {
        block.levels.iter().map(|&level| usize::from(level)).zip(values.iter().copied())
    };
    blocks.iter().zip(values).flat_map(of_block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// `blocks` visits of `levels` levels with noise 1, a drift that occasionally steps by 20, and effects.
    fn sweep(seed: u64, levels: u16, blocks: usize, effect: impl Fn(u16) -> f64) -> Vec<Block> {
        let mut draw = Draw::new(seed, 0);
        let mut load = 0.0;
        (0..blocks)
            .map(|_| {
                let mut order: Vec<u16> = (0..levels).collect();
                draw.shuffle(&mut order);
                let values = order.iter().map(|&level| {
                    if draw.below(150) == 0 {
                        load = 20.0 - load;
                    }
                    load + effect(level) + draw.normal()
                });
                Block { values: values.collect(), levels: order.clone() }
            })
            .collect()
    }

    #[test]
    fn effects_are_found_under_drift() {
        let blocks = sweep(1, 64, 12, |level| f64::from(level % 4 == 0) * 3.0);
        let fitted = fit(&blocks, 64);
        for (level, effect) in fitted.effects.iter().enumerate() {
            let want = if level % 4 == 0 { 3.0 } else { 0.0 };
            assert!((effect.unwrap() - want).abs() < 5.0 * fitted.errors[level], "{level} {effect:?}");
        }
        let size = fitted.size(&blocks, 0.05).unwrap();
        // A quarter of the levels is 3 higher: variance 9 · 3/16.
        assert!(size.effect.low < 1.6875 && size.effect.high > 1.6875, "{size:?}");
        assert!(size.effect.low > 1.0 && size.drift > 50.0, "{size:?}");
        assert!((size.residual - 1.0).abs() < 0.3, "{size:?}");
    }

    #[test]
    fn intervals_of_the_size_cover_it() {
        for (levels, blocks, spread) in [(2, 16, 0.0), (8, 10, 0.0), (64, 6, 0.0), (64, 6, 0.5), (8, 10, 1.0)]
        {
            let truth = spread * spread * 0.25;
            let covers = (0..200u64).filter(|&seed| {
                let data = sweep(seed, levels, blocks, |level| spread * f64::from(level % 2));
                let effect = fit(&data, levels.into()).size(&data, 0.05).unwrap().effect;
                effect.low <= truth && truth <= effect.high
            });
            // Intervals of 95 % are expected to cover 190 of 200 times; with drift steps of 20 times the noise,
            // somewhat fewer are allowed.
            let covers = covers.count();
            assert!(covers >= 180, "{levels} levels {blocks} blocks spread {spread}: {covers}");
        }
    }

    #[test]
    fn the_ratio_is_one_on_average_without_effects() {
        for (levels, blocks) in [(2, 16), (5, 10), (10, 10), (32, 6), (128, 4)] {
            let ratio = |seed| {
                let data = sweep(seed, levels, blocks, |_| 0.0);
                fit(&data, levels.into()).size(&data, 0.05).unwrap().f
            };
            let mean = (0..200).map(ratio).sum::<f64>() / 200.0;
            assert!((0.85..1.2).contains(&mean), "{levels} {blocks}: {mean}");
        }
    }

    #[test]
    fn slow_modes_are_noise_of_the_size_that_they_have() {
        // Every run is slow by 20 standard deviations with this probability, whatever the level.
        for share in [0.02, 0.1, 0.15, 0.25, 0.4] {
            let ratio = |seed| {
                let mut blocks = sweep(seed, 64, 24, |_| 0.0);
                let mut draw = Draw::new(seed, 1);
                let slow = |value: &mut f64| *value += if draw.uniform() < share { 20.0 } else { 0.0 };
                blocks.iter_mut().flat_map(|block| &mut block.values).for_each(slow);
                fit(&blocks, 64).size(&blocks, 0.05).unwrap().f
            };
            let mean = (0..100).map(ratio).sum::<f64>() / 100.0;
            assert!((0.9..1.2).contains(&mean), "{share}: {mean}");
        }
    }

    #[test]
    fn nothing_and_hardly_anything() {
        assert!(fit(&[], 3).size(&[], 0.05).is_none());
        let equal = vec![Block { levels: vec![0, 1], values: vec![2.0, 2.0] }; 4];
        let size = fit(&equal, 2).size(&equal, 0.05).unwrap();
        assert_eq!((size.f, size.effect.high), (0.0, 0.0));
        let exact = vec![Block { levels: vec![0, 1], values: vec![1.0, 3.0] }; 4];
        let size = fit(&exact, 2).size(&exact, 0.05).unwrap();
        assert!((size.effect.estimate - 1.0).abs() < 1e-9, "{size:?}");
    }
}
