//! Periods in effects over a numeric factor, found by folding.

mod candidate;
mod interval;

use crate::describe::{MAD_TO_SD, mad, median, sorted};
use crate::draw::Draw;
use candidate::{Candidate, LANES, centre};

/// Number of random arrangements of the effects with which the observed one is compared; together with the observed one
/// a multiple of [`LANES`].
const DRAWS: usize = 399;

/// Minimum number of levels of the factor for which a period is searched.
const LEVELS_MIN: usize = 12;

/// Maximum number of candidate periods on the even grid of frequencies.
const CANDIDATES_MAX: usize = 1000;

/// Number of bins that are enough to show the shape of a wave.
const FEW_BINS: usize = 12;

/// Effects further than this many scaled median absolute deviations from their median are winsorised for the second of
/// two searches. A single outlier must not hide a period, and periodic outliers must not be hidden by winsorising.
const FENCE: f64 = 5.0;

/// A periodic pattern of the effects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// Length of the period, in the unit of the positions.
    pub period: f64,
    /// Lower end of the 95 % interval of `period`.
    pub low: f64,
    /// Upper end of the 95 % interval of `period`.
    pub high: f64,
    /// Share of the variance between levels that the folded pattern explains, adjusted for its size; 0 to 1.
    pub explained: f64,
    /// Permutation p-value: how often random arrangements of the same effects have a period at least as clear as this
    /// period, corrected for two searches (Bonferroni).
    pub p_value: f64,
}

/// The clearest period of `effects` at `positions` (ascending, uneven distances allowed); `None` if there is no
/// pattern.
///
/// For each candidate the positions are folded into bins, as wide as the smallest step or a twelfth of the period, and
/// the variance between bins is compared with that within ("epoch folding", Leahy et al. 1983; by likelihood since the
/// noise is unknown, as in Davies 1990). Unlike a periodogram this detects pulses as well as waves. The `expected`
/// periods of machines are also judged separately: two pulses always define some period, but two pulses at the distance
/// of a page are evidence. The two p-values are combined by Bonferroni.
///
/// A smooth course is not a period: the same number of contiguous bins must explain less. Of a period and its fractions
/// period / k, the shortest is chosen that explains the effects as well as the longer ones do. The interval contains
/// all periods whose profile likelihood is near the best, and the best periods of `replicates`, effects from resampled
/// blocks. `seed` determines the random arrangements.
pub fn fold(
    positions: &[f64],
    effects: &[f64],
    expected: &[f64],
    replicates: &[Vec<f64>],
    seed: u64,
) -> Option<Fold> {
    let folder = Folder::new(positions, expected)?;
    let versions = versions(effects);
    let (observed, (p_all, p_expected)) = folder.judge(&versions, seed)?;
    let chosen = if p_expected < p_all { observed.expected } else { observed.all };
    let candidate = folder.fundamental(chosen.0, effects);
    if smooth(effects, candidate.used) >= candidate.parts(effects).0 {
        return None;
    }
    let (low, high) = folder.interval(&candidate, effects, replicates);
    let p_value = (2.0 * p_all.min(p_expected)).min(1.0);
    Some(Fold { period: candidate.period, low, high, explained: candidate.explained(effects), p_value })
}

/// Index of a candidate period, and its [`Candidate::clearness`].
type Clear = (usize, f64);

/// The clearest of all candidate periods, and the clearest of the expected ones.
#[derive(Clone, Copy, Debug)]
struct Best {
    all: Clear,
    expected: Clear,
}

/// Effects, as measured or with outliers winsorised, minus their mean; and the sum of their squares.
struct Version {
    values: Vec<f64>,
    total: f64,
}

/// The unchanged effects, and, if there are outliers, the effects with outliers winsorised.
fn versions(effects: &[f64]) -> Vec<Version> {
    let versions = [Some(effects.to_vec()), pulled_in(effects)].into_iter().flatten();
    let centred = |mut values: Vec<f64>| Version { total: centre(&mut values), values };
    versions.map(centred).filter(|version| version.total > 0.0).collect()
}

/// All candidate periods for one set of positions.
struct Folder<'a> {
    positions: &'a [f64],
    step: f64,
    range: f64,
    /// Candidates; the expected ones come last.
    candidates: Vec<Candidate>,
    /// Index of the first expected candidate.
    expected_from: usize,
}

impl<'a> Folder<'a> {
    fn new(positions: &'a [f64], expected: &[f64]) -> Option<Self> {
        let range = positions.last()? - positions.first()?;
        let gaps = positions.windows(2).map(|pair| pair[1] - pair[0]).filter(|&gap| gap > 0.0);
        let gaps = sorted(&gaps.collect::<Vec<_>>());
        // Gaps at the ends of a range may be shorter than its step, so the smallest gaps are ignored.
        let step = *gaps.get(gaps.len() / 20)?;
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

    /// Testable candidates for these periods, each with fine bins and, if those are many, with few bins.
    fn all_of(&self, periods: &[f64]) -> Vec<Candidate> {
        let with = |&period: &f64| {
            let fine = self.bins(period);
            let few = (fine > FEW_BINS).then(|| self.candidate(period, FEW_BINS));
            [Some(self.candidate(period, fine)), few]
        };
        periods.iter().flat_map(with).flatten().filter(Candidate::is_testable).collect()
    }

    /// Number of bins: as wide as the smallest step, but with two positions in each on average.
    fn bins(&self, period: f64) -> usize {
        ((period / self.step).round() as usize).clamp(2, (self.positions.len() / 2).max(2))
    }

    /// Candidate periods: multiples of the step, and an even grid of frequencies at twice the resolution of the range;
    /// from two steps to half of the range.
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
        Candidate::new(self.positions, period, bins)
    }

    /// The clearest candidates, and the shares of random arrangements of the same effects in which some candidate, or
    /// some expected one, is as clear as the clearest in the observed arrangement. Several arrangements are judged at a
    /// time, the observed one in the first lane of the first batch. Drawing stops early if neither share can become
    /// small any more (Besag and Clifford 1991).
    fn judge(&self, versions: &[Version], seed: u64) -> Option<(Best, (f64, f64))> {
        const ENOUGH: usize = 40;
        let mut draw = Draw::new(seed, 3);
        let mut order: Vec<usize> = (0..self.positions.len()).collect();
        let mut observed: Option<Best> = None;
        let (mut all, mut expected, mut drawn) = (0, 0, 0);
        while drawn <= DRAWS && (all < ENOUGH || expected < ENOUGH) {
            let orders = std::array::from_fn(|lane| {
                if drawn + lane > 0 {
                    draw.shuffle(&mut order);
                }
                order.clone()
            });
            let batch = self.best(versions, &orders)?;
            let observed = observed.get_or_insert(batch[0]);
            all += batch.iter().filter(|one| one.all.1 >= observed.all.1).count();
            expected += batch.iter().filter(|one| one.expected.1 >= observed.expected.1).count();
            drawn += LANES;
        }
        let share = |count: usize| count as f64 / drawn as f64;
        Some((observed?, (share(all), share(expected))))
    }

    /// The clearest candidates of each of several arrangements; `None` if there are no candidates.
    fn best(&self, versions: &[Version], orders: &[Vec<usize>; LANES]) -> Option<[Best; LANES]> {
        let mut clear = vec![[f64::NEG_INFINITY; LANES]; self.candidates.len()];
        for version in versions {
            let arranged: Vec<[f64; LANES]> = (0..self.positions.len())
                .map(|place| std::array::from_fn(|lane| version.values[orders[lane][place]]))
                .collect();
            for (candidate, clear) in self.candidates.iter().zip(&mut clear) {
                let now = candidate.clearness(&arranged, version.total);
                clear.iter_mut().zip(now).for_each(|(clear, now)| *clear = clear.max(now));
            }
        }
        let clearest = |from: usize, lane: usize| {
            let ours = clear.iter().map(|lanes| lanes[lane]).enumerate().skip(from);
            ours.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        clearest(0, 0)?;
        Some(std::array::from_fn(|lane| Best {
            all: clearest(0, lane).unwrap_or((0, f64::INFINITY)),
            expected: clearest(self.expected_from, lane).unwrap_or((0, f64::INFINITY)),
        }))
    }

    /// The candidate that explains most among periods that the range hardly distinguishes from this one. The grid need
    /// not contain the exact period, and a slightly wrong fraction of a period would smear over the whole range.
    fn clearest_near(&self, period: f64, bins: usize, effects: &[f64]) -> Candidate {
        let apart = period * period / self.range / f64::from(2 * NEAR);
        let at = |place: i32| {
            let near = period + apart * f64::from(place);
            let candidate = self.candidate(near, self.bins(near).min(bins));
            (candidate.parts(effects).0, candidate)
        };
        // The period itself comes first, so that it is kept if others explain no more.
        let others = (1..=NEAR).flat_map(|place| [place, -place]).map(at);
        others.fold(at(0), |best, other| if other.0 > best.0 * (1.0 + 1e-9) { other } else { best }).1
    }

    /// The shortest period / k, for a whole number k, that explains the effects as well as the period itself: neither
    /// separate bins for each of the k repetitions nor the period's own bins explain significantly more of their
    /// variance. Returns the period itself if there is none.
    fn fundamental(&self, index: usize, effects: &[f64]) -> Candidate {
        let whole = &self.candidates[index];
        let bins = whole.inverse_counts.len();
        let most = ((whole.period / self.step / 2.0) as usize).clamp(1, 64);
        let room = (self.positions.len() / 2).max(bins);
        let enough = |k: usize| {
            let part = self.clearest_near(whole.period / k as f64, bins, effects);
            let apart = self.candidate(whole.period, (k * part.inverse_counts.len()).min(room));
            let leaves_nothing = |finer: &Candidate| part.explains_as_much_as(finer, effects);
            let testable = part.is_testable() && apart.is_testable();
            // The whole period with its own bins must not explain more than the fraction, either. This is tested only
            // if it has more bins in use than the fraction, since the test compares a finer candidate with a coarser
            // one.
            let is_enough =
                testable && leaves_nothing(&apart) && (part.used >= whole.used || leaves_nothing(whole));
            is_enough.then_some(part)
        };
        (2..=most).rev().find_map(enough).unwrap_or_else(|| self.candidate(whole.period, bins))
    }
}

/// Number of periods that are tried on either side of a fraction of a period.
const NEAR: i32 = 4;

/// The effects with outliers winsorised; `None` if there are none.
fn pulled_in(effects: &[f64]) -> Option<Vec<f64>> {
    let (middle, spread) = (median(effects)?, mad(effects)?);
    let reach = FENCE * MAD_TO_SD * spread;
    let outside = effects.iter().any(|effect| (effect - middle).abs() > reach);
    (spread > 0.0 && outside)
        .then(|| effects.iter().map(|effect| effect.clamp(middle - reach, middle + reach)).collect())
}

/// Sum of squares that `bins` contiguous bins of the effects explain, as a smooth course does.
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

    fn noisy(positions: &[f64], seed: u64, pattern: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut draw = Draw::new(seed, 0);
        positions.iter().map(|&x| pattern(x) + draw.normal()).collect()
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
