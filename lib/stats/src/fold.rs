//! Periods in effects over a numeric factor, by folding.

use crate::describe::{MAD_TO_SD, mad, median, quantile_sorted};
use crate::draw::Draw;
use crate::noncentral::noncentral_f_cdf;

/// Random arrangements of the effects that a period is judged against.
const DRAWS: usize = 499;

/// Fewer levels than this show no period.
const LEVELS_MIN: usize = 12;

/// At most so many periods are looked for on the even grid.
const CANDIDATES_MAX: usize = 1000;

/// Bins for the shape of a wave.
const FEW_BINS: usize = 12;

/// Effects further than this many scaled median absolute deviations from their median are pulled in for the second
/// of two searches: one outlier must not hide a period, and outliers that come back must not be hidden.
const FENCE: f64 = 5.0;

/// A pattern that returns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// The distance at which it returns, in the unit of the positions.
    pub period: f64,
    /// Low end of its 95 % interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Share of the variance between levels that the folded pattern explains, adjusted for its size; 0 to 1.
    pub explained: f64,
    /// Share of random arrangements of the same effects in which some period shows as clearly.
    pub p_value: f64,
}

/// The clearest period of `effects` at `positions` (rising, uneven distances allowed), if anything returns at all.
///
/// For each candidate the positions are folded into bins, as wide as the smallest step or a twelfth of the period, and
/// the variance between bins is compared with that within ("epoch folding", Leahy et al. 1983; by likelihood since the
/// noise is not known, as Davies 1990). Unlike a periodogram this sees pulses as well as waves. `expected` periods,
/// those of machines, are judged among themselves as well: two pulses at any distance are a period of something, two
/// at the distance of a page are evidence. The two p-values are combined by Bonferroni.
///
/// A smooth course is not a period: as many contiguous bins must explain less. Of a period and its parts, the shortest
/// one is taken that leaves nothing significant to the longer. The interval holds all periods whose profile likelihood
/// is near the best and those that `replicates`, effects from resampled blocks, prefer.
pub fn fold(
    positions: &[f64],
    effects: &[f64],
    expected: &[f64],
    replicates: &[Vec<f64>],
    seed: u64,
) -> Option<Fold> {
    let folder = Folder::new(positions, expected)?;
    let observed = folder.best(effects)?;
    let (p_all, p_expected) = folder.p_values(effects, &observed, seed);
    let chosen = if p_expected < p_all { observed.expected } else { observed.all };
    let candidate = folder.fundamental(chosen.0, effects);
    if smooth(effects, candidate.used) >= candidate.parts(effects).0 {
        return None;
    }
    let (low, high) = folder.interval(&candidate, effects, replicates);
    let p_value = (2.0 * p_all.min(p_expected)).min(1.0);
    Some(Fold { period: candidate.period, low, high, explained: candidate.explained(effects), p_value })
}

/// Index of a candidate and how clear it is.
type Clear = (usize, f64);

/// The clearest of all candidates and of the expected ones.
struct Best {
    all: Clear,
    expected: Clear,
}

/// All candidates for one set of positions.
struct Folder<'a> {
    positions: &'a [f64],
    step: f64,
    range: f64,
    /// The expected ones come last.
    candidates: Vec<Candidate>,
    /// Where they begin.
    expected_from: usize,
}

/// One period and the bin of each position.
struct Candidate {
    period: f64,
    bins: Vec<u16>,
    inverse_counts: Vec<f64>,
    /// Bins that hold a position.
    used: usize,
}

impl<'a> Folder<'a> {
    fn new(positions: &'a [f64], expected: &[f64]) -> Option<Self> {
        let range = positions.last()? - positions.first()?;
        let gaps = positions.windows(2).map(|pair| pair[1] - pair[0]).filter(|&gap| gap > 0.0);
        let step = gaps.min_by(f64::total_cmp)?;
        if positions.len() < LEVELS_MIN {
            return None;
        }
        let mut folder = Folder { positions, step, range, candidates: Vec::new(), expected_from: 0 };
        let mut candidates = folder.all_of(&folder.periods());
        folder.expected_from = candidates.len();
        let inside = |&&period: &&f64| period >= 2.0 * step && period <= (range + step) / 2.0;
        candidates.extend(folder.all_of(&expected.iter().filter(inside).copied().collect::<Vec<_>>()));
        folder.candidates = candidates;
        Some(folder)
    }

    /// Candidates of some periods that can be judged: with fine bins, and with few.
    fn all_of(&self, periods: &[f64]) -> Vec<Candidate> {
        let with = |&period: &f64| {
            let fine = self.bins(period);
            let few = (fine > FEW_BINS).then(|| self.candidate(period, FEW_BINS));
            [Some(self.candidate(period, fine)), few]
        };
        periods.iter().flat_map(with).flatten().filter(Candidate::is_testable).collect()
    }

    /// Bins as wide as the smallest step, but two positions in each on average.
    fn bins(&self, period: f64) -> usize {
        ((period / self.step).round() as usize).clamp(2, (self.positions.len() / 2).max(2))
    }

    /// Multiples of the step, and an even grid of frequencies at twice the resolution of the range; from two steps to
    /// half of the range.
    fn periods(&self) -> Vec<f64> {
        let longest = (self.range + self.step) / 2.0;
        let multiples = (2..=64).map(|k| f64::from(k) * self.step);
        let halves = (2.0 * self.range / self.step) as usize;
        let thin = halves.div_ceil(CANDIDATES_MAX).max(1);
        let grid = (4..halves).step_by(thin).map(|j| 2.0 * self.range / j as f64);
        let inside = |&period: &f64| period >= 2.0 * self.step && period <= longest;
        let mut periods: Vec<f64> = multiples.chain(grid).chain([longest]).filter(inside).collect();
        periods.sort_unstable_by(f64::total_cmp);
        periods.dedup_by(|a, b| (*a - *b).abs() < 1e-9 * *b);
        periods
    }

    fn candidate(&self, period: f64, bins: usize) -> Candidate {
        // Positions on a lattice lie in the middle of a bin, so that rounding cannot move them.
        let bin = |position: &f64| {
            let phase = (position - self.positions[0]).rem_euclid(period) / period;
            ((phase * bins as f64 + 0.5) as usize % bins) as u16
        };
        let places: Vec<u16> = self.positions.iter().map(bin).collect();
        let mut counts = vec![0u32; bins];
        places.iter().for_each(|&bin| counts[usize::from(bin)] += 1);
        Candidate {
            period,
            bins: places,
            used: counts.iter().filter(|&&count| count > 0).count(),
            inverse_counts: counts.iter().map(|&n| if n > 0 { 1.0 / f64::from(n) } else { 0.0 }).collect(),
        }
    }

    /// The clearest candidates, in the effects as they are or with outliers pulled in.
    fn best(&self, effects: &[f64]) -> Option<Best> {
        let mut clear = vec![f64::NEG_INFINITY; self.candidates.len()];
        for mut version in [Some(effects.to_vec()), pulled_in(effects)].into_iter().flatten() {
            let total = centre(&mut version);
            for (candidate, clear) in self.candidates.iter().zip(&mut clear) {
                *clear = clear.max(candidate.clearness(&version, total));
            }
        }
        let clearest = |from: usize| {
            let ours = clear.iter().copied().enumerate().skip(from);
            ours.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let all = clearest(0)?;
        Some(Best { all, expected: clearest(self.expected_from).unwrap_or((0, f64::INFINITY)) })
    }

    /// Shares of random arrangements of the same effects in which some candidate, or some expected one, is as clear. It
    /// stops early where neither can become small any more (Besag and Clifford 1991).
    fn p_values(&self, effects: &[f64], observed: &Best, seed: u64) -> (f64, f64) {
        const ENOUGH: usize = 40;
        let mut draw = Draw::new(seed, 3);
        let mut arranged = effects.to_vec();
        let (mut all, mut expected, mut drawn) = (0, 0, 0);
        while drawn < DRAWS && (all < ENOUGH || expected < ENOUGH) {
            draw.shuffle(&mut arranged);
            drawn += 1;
            if let Some(other) = self.best(&arranged) {
                all += usize::from(other.all.1 >= observed.all.1);
                expected += usize::from(other.expected.1 >= observed.expected.1);
            }
        }
        let share = |count: usize| (count + 1) as f64 / (drawn + 1) as f64;
        (share(all), share(expected))
    }

    /// The shortest whole part of a period that leaves nothing significant to it.
    fn fundamental(&self, index: usize, effects: &[f64]) -> Candidate {
        let whole = &self.candidates[index];
        let bins = whole.inverse_counts.len();
        let part =
            |k: usize| self.candidate(whole.period / k as f64, self.bins(whole.period / k as f64).min(bins));
        let most = ((whole.period / self.step / 2.0) as usize).clamp(1, 64);
        let enough = |part: &Candidate| part.is_testable() && part.explains_as_much_as(whole, effects);
        (2..=most).rev().map(part).find(enough).unwrap_or_else(|| self.candidate(whole.period, bins))
    }

    /// All periods near the best that are nearly as likely, and those that the replicates prefer.
    fn interval(&self, best: &Candidate, effects: &[f64], replicates: &[Vec<f64>]) -> (f64, f64) {
        let near = self.near(best);
        let spreads = |effects: &[f64]| -> Vec<f64> {
            let mut centred = effects.to_vec();
            let total = centre(&mut centred);
            near.iter().map(|(_, shape)| (total - shape.explains(&centred)).max(1e-12 * total)).collect()
        };
        let least = |spreads: &[f64]| spreads.iter().copied().fold(f64::INFINITY, f64::min);
        let observed = spreads(effects);
        // Twice the log likelihood ratio of normal noise; 3.84 is the 95 % quantile of χ² with one degree of freedom.
        let limit = least(&observed) * (3.84 / effects.len() as f64).exp();
        let likely =
            || near.iter().zip(&observed).filter(|(_, spread)| **spread <= limit).map(|(one, _)| one.0);
        let preferred = |effects: &Vec<f64>| {
            let spreads = spreads(effects);
            let least = least(&spreads);
            near[spreads.iter().position(|&spread| spread == least).unwrap_or(0)].0
        };
        let mut resampled: Vec<f64> = replicates.iter().map(preferred).collect();
        resampled.sort_unstable_by(f64::total_cmp);
        let end = |probability, or| quantile_sorted(&resampled, probability).unwrap_or(or);
        let (low, high) = (likely().fold(best.period, f64::min), likely().fold(best.period, f64::max));
        (low.min(end(0.025, low)), high.max(end(0.975, high)))
    }

    /// A fine grid within one resolution of a period, itself in the middle, with the shape that each period gives. Few
    /// bins would jump from one position to the next, so their shape is drawn by as many harmonics.
    fn near(&self, best: &Candidate) -> Vec<(f64, Shape)> {
        const POINTS: i32 = 60;
        let bins = best.inverse_counts.len();
        let reach = (best.period * best.period / self.range).min(best.period / 3.0);
        let at = |point: i32| {
            let period = best.period + reach * f64::from(point) / f64::from(POINTS);
            let shape = match bins <= FEW_BINS {
                true => Shape::Waves(waves(self.positions, period, bins / 2)),
                false => Shape::Bins(self.candidate(period, bins)),
            };
            (period, shape)
        };
        (-POINTS..=POINTS).map(at).collect()
    }
}

/// What effects are projected on.
enum Shape {
    /// Orthonormal columns.
    Waves(Vec<Vec<f64>>),
    /// Indicators of bins.
    Bins(Candidate),
}

impl Shape {
    /// Sum of squares of centred effects that it explains.
    fn explains(&self, centred: &[f64]) -> f64 {
        match self {
            Shape::Waves(columns) => columns.iter().map(|column| dot(column, centred).powi(2)).sum(),
            Shape::Bins(candidate) => candidate.between(centred),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Cosines and sines of a period and its harmonics at the positions, less their means, made orthonormal (Gram and
/// Schmidt). What is left of no length, such as a sine of half the step, is not a column.
fn waves(positions: &[f64], period: f64, harmonics: usize) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (harmonic, function) in
        (1..=harmonics.max(1)).flat_map(|h| [(h, f64::cos as fn(f64) -> f64), (h, f64::sin)])
    {
        let turn = 2.0 * std::f64::consts::PI * harmonic as f64 / period;
        let mut column: Vec<f64> = positions.iter().map(|x| function(turn * x)).collect();
        centre(&mut column);
        for earlier in &columns {
            let along = dot(earlier, &column);
            column.iter_mut().zip(earlier).for_each(|(value, earlier)| *value -= along * earlier);
        }
        let length = dot(&column, &column).sqrt();
        if length > 1e-6 * (positions.len() as f64).sqrt() {
            column.iter_mut().for_each(|value| *value /= length);
            columns.push(column);
        }
    }
    columns
}

impl Candidate {
    fn is_testable(&self) -> bool {
        self.used >= 2 && self.bins.len() >= self.used + 3
    }

    /// Sum of squares between bins of centred values.
    fn between(&self, values: &[f64]) -> f64 {
        let mut sums = vec![0.0; self.inverse_counts.len()];
        self.bins.iter().zip(values).for_each(|(&bin, value)| sums[usize::from(bin)] += value);
        sums.iter().zip(&self.inverse_counts).map(|(sum, inverse)| sum * sum * inverse).sum()
    }

    /// Sums of squares between and within bins.
    fn parts(&self, effects: &[f64]) -> (f64, f64) {
        let mut centred = effects.to_vec();
        let total = centre(&mut centred);
        let between = self.between(&centred);
        (between, (total - between).max(0.0))
    }

    /// Gain of log likelihood under normal noise, times two, less the price of the bins (the corrected criterion of
    /// Akaike; Hurvich and Tsai 1989), so that periods with different numbers of bins compare.
    fn clearness(&self, centred: &[f64], total: f64) -> f64 {
        let (n, k) = (self.bins.len() as f64, self.used as f64);
        let within = (total - self.between(centred)).max(1e-12 * total);
        if total <= 0.0 {
            return f64::NEG_INFINITY;
        }
        n * (total / within).ln() - 2.0 * k * n / (n - k - 1.0)
    }

    /// Whether a candidate with more bins explains no more than its bins do by chance, at one per cent.
    fn explains_as_much_as(&self, finer: &Candidate, effects: &[f64]) -> bool {
        let extra = finer.used as f64 - self.used as f64;
        let left = (finer.bins.len() - finer.used) as f64;
        let (ours, theirs) = (self.parts(effects).1, finer.parts(effects).1);
        let f = (ours - theirs) / extra / (theirs / left);
        extra > 0.0 && (ours <= theirs || f.is_finite() && noncentral_f_cdf(f, extra, left, 0.0) < 0.99)
    }

    fn explained(&self, effects: &[f64]) -> f64 {
        let (between, within) = self.parts(effects);
        let n = effects.len() as f64;
        let adjusted = 1.0 - within / (n - self.used as f64) / ((between + within) / (n - 1.0));
        adjusted.clamp(0.0, 1.0)
    }
}

/// Takes the mean off; the sum of squares that is left.
fn centre(values: &mut [f64]) -> f64 {
    let mean = crate::describe::mean(values).unwrap_or(0.0);
    values.iter_mut().for_each(|value| *value -= mean);
    values.iter().map(|value| value * value).sum()
}

/// The effects with outliers pulled in; `None` if there are none.
fn pulled_in(effects: &[f64]) -> Option<Vec<f64>> {
    let (middle, spread) = (median(effects)?, mad(effects)?);
    let reach = FENCE * MAD_TO_SD * spread;
    let outside = effects.iter().any(|effect| (effect - middle).abs() > reach);
    (spread > 0.0 && outside)
        .then(|| effects.iter().map(|effect| effect.clamp(middle - reach, middle + reach)).collect())
}

/// Sum of squares between as many contiguous bins: what a smooth course would explain.
fn smooth(effects: &[f64], bins: usize) -> f64 {
    let mut centred = effects.to_vec();
    centre(&mut centred);
    let n = centred.len();
    (0..bins)
        .map(|bin| &centred[bin * n / bins..(bin + 1) * n / bins])
        .filter(|part| !part.is_empty())
        .map(|part| part.iter().sum::<f64>().powi(2) / part.len() as f64)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bell(draw: &mut Draw) -> f64 {
        (0..12).map(|_| draw.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
    }

    fn noisy(positions: &[f64], seed: u64, pattern: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut draw = Draw::new(seed, 0);
        positions.iter().map(|&x| pattern(x) + bell(&mut draw)).collect()
    }

    fn every(step: f64, count: usize) -> Vec<f64> {
        (0..count).map(|i| step * i as f64).collect()
    }

    #[test]
    fn a_line_is_found_below_an_outlier() {
        let positions = every(16.0, 512);
        let pattern = |x: f64| f64::from(x % 64.0 == 48.0) * 3.0 + f64::from(x == 4080.0) * 100.0;
        let found = fold(&positions, &noisy(&positions, 1, pattern), &[], &[], 1).unwrap();
        assert_eq!(found.period, 64.0);
        assert!(found.low <= 64.0 && found.high >= 64.0 && found.high - found.low < 2.0, "{found:?}");
        assert!(found.p_value <= 0.005, "{found:?}");
    }

    #[test]
    fn two_pulses_at_the_distance_of_a_page() {
        let positions = every(16.0, 512);
        let pattern = |x: f64| f64::from(x % 4096.0 == 1600.0) * 30.0;
        let effects = noisy(&positions, 2, pattern);
        let found = fold(&positions, &effects, &[64.0, 4096.0], &[], 1).unwrap();
        assert!(found.low <= 4096.0 && found.high >= 4096.0 && found.p_value <= 0.005, "{found:?}");
    }

    #[test]
    fn a_wave_between_uneven_positions() {
        let mut draw = Draw::new(9, 0);
        let mut positions: Vec<f64> = (0..120).map(|_| draw.below(1000) as f64).collect();
        positions.sort_unstable_by(f64::total_cmp);
        positions.dedup();
        let wave = |x: f64| 4.0 * (2.0 * std::f64::consts::PI * x / 70.0).sin();
        let covers = (0..20).filter(|&seed| {
            let found = fold(&positions, &noisy(&positions, seed, wave), &[], &[], 1).unwrap();
            assert!(found.p_value <= 0.01 && (found.period - 70.0).abs() < 4.0, "{found:?}");
            found.low <= 70.0 && found.high >= 70.0
        });
        let covers = covers.count();
        assert!(covers >= 17, "{covers}");
    }

    #[test]
    fn noise_and_smooth_courses_have_no_period() {
        let positions = every(16.0, 64);
        let by_chance = (0..100u64).filter(|&seed| {
            let found = fold(&positions, &noisy(&positions, seed, |_| 0.0), &[64.0], &[], seed);
            found.is_some_and(|found| found.p_value <= 0.05)
        });
        // At most the 99.9 % quantile of a binomial of 100 at 5 %.
        assert!(by_chance.count() <= 12);
        let step = fold(&positions, &noisy(&positions, 5, |x| f64::from(x > 500.0) * 9.0), &[], &[], 1);
        assert!(step.is_none_or(|found| found.p_value > 0.05), "{step:?}");
        let slope = fold(&positions, &noisy(&positions, 5, |x| x / 50.0), &[], &[], 1);
        assert!(slope.is_none_or(|found| found.p_value > 0.05), "{slope:?}");
    }

    #[test]
    fn too_little_to_fold() {
        assert_eq!(fold(&[], &[], &[], &[], 1), None);
        assert_eq!(fold(&[1.0; 20], &[0.0; 20], &[], &[], 1), None);
        let positions = every(1.0, 40);
        assert!(fold(&positions, &[1.0; 40], &[], &[], 1).is_none_or(|found| found.p_value > 0.5));
    }
}
