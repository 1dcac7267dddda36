//! Assessment of the blocks of a sweep so far: how much the levels of the factor differ, and which levels stand out.

use fauxplat_stats::additive::{Additive, Size, fit};
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::simultaneous::{Deviation, deviations};

use super::SweepJudge;
use super::course::Stage;

/// Distance from the median of the levels, in standard errors, from which on a level is a candidate for a peak.
const CANDIDATE_ERRORS: f64 = 2.5;

/// Maximum number of candidates for a peak that are measured in further blocks.
const CANDIDATES_MAX: usize = 12;

/// Multiple of the margin: *no effect* requires that no single level deviates by more than this. The typical difference
/// between levels hardly shows a single level: one level of 512 that is 10 % slower adds only 0.6 % to it.
const SINGLE_MARGINS: f64 = 10.0;

#[derive(Clone, Debug)]
pub(super) struct Assessment {
    /// Additive fit (level, drift and noise) of all blocks.
    pub(super) fitted: Additive,
    /// Variance of the effects of all levels; `None` if it cannot be estimated. Blocks that confirm candidates are not
    /// used: they visit levels with large effects more often.
    pub(super) size: Option<Size>,
    pub(super) is_significant: bool,
    /// Root mean square difference between two levels, in log readings: lower end of the interval, estimate, upper end.
    pub(super) difference: (f64, f64, f64),
    pub(super) margin: f64,
    /// Error level of the intervals at this look at the data, chosen so that the intervals of all looks hold together.
    pub(super) level: f64,
}

impl Assessment {
    pub(super) fn of(judge: &SweepJudge) -> Self {
        let evidence = &judge.evidence;
        let level = match judge.exhaustive {
            true => judge.rule.level,
            false => judge.course.interval_level(judge.rule.level),
        };
        let fitted = fit(&evidence.blocks, judge.distinct.len());
        let own = evidence.of(|stage| stage != Stage::Confirm);
        let size = if own.len() == evidence.blocks.len() {
            fitted.size(&evidence.blocks, level)
        } else {
            let blocks: Vec<_> = own.iter().map(|&index| evidence.blocks[index].clone()).collect();
            fit(&blocks, judge.distinct.len()).size(&blocks, level)
        };
        let difference = size.map_or((0.0, 0.0, f64::INFINITY), |size| {
            // If n levels have effects of mean square q about their mean, two levels drawn at random differ by a mean
            // square of 2 q n/(n − 1).
            let n = size.levels as f64;
            let root = |square: f64| (2.0 * square * n / (n - 1.0)).sqrt();
            (root(size.effect.low), root(size.effect.estimate), root(size.effect.high))
        });
        Assessment {
            fitted,
            size,
            is_significant: evidence.crossing.has_crossed() || judge.confirmed_p.is_some(),
            difference,
            margin: judge.margin_ratio().max(0.0).ln_1p(),
            level,
        }
    }

    /// Whether the levels differ beyond chance, and typically by more than the margin.
    pub(super) fn is_effect(&self) -> bool {
        self.is_significant && self.difference.1 > self.margin
    }

    /// Whether the data exclude typical differences between levels above the margin, and deviations of any single level
    /// above [`SINGLE_MARGINS`] times the margin.
    pub(super) fn is_small(&self) -> bool {
        self.difference.2 <= self.margin && self.largest_open(&[]) <= SINGLE_MARGINS * self.margin
    }

    /// Levels that may stand out, the most extreme first. Of neighbouring levels that stand out in the same direction
    /// only the first is listed.
    pub(super) fn candidates(&self, judge: &SweepJudge) -> Vec<u16> {
        let stands_out = |&level: &u16| {
            let (effect, error) = self.effect(level);
            effect.abs() > self.margin && effect.abs() > CANDIDATE_ERRORS * error
        };
        let mut levels: Vec<u16> = (0..judge.distinct.len() as u16).filter(stands_out).collect();
        levels.sort_by(|&a, &b| self.effect(b).0.abs().total_cmp(&self.effect(a).0.abs()));
        let mut chosen: Vec<u16> = Vec::new();
        for level in levels {
            let beside = |&other: &u16| {
                other.abs_diff(level) == 1 && (self.effect(other).0 > 0.0) == (self.effect(level).0 > 0.0)
            };
            if chosen.len() < CANDIDATES_MAX && !(judge.is_ordered() && chosen.iter().any(beside)) {
                chosen.push(level);
            }
        }
        chosen
    }

    /// Effect of a level and its standard error, as log ratios; zero and infinity if the level was not visited.
    fn effect(&self, level: u16) -> (f64, f64) {
        let at = usize::from(level);
        (self.fitted.effects[at].unwrap_or(0.0), self.fitted.errors[at])
    }

    /// Deviations of the candidates from the reference levels in the confirming blocks. Without such blocks, deviations
    /// of all levels in all blocks, with intervals that hold whichever of the levels is picked.
    pub(super) fn deviations(&self, judge: &SweepJudge, level: f64) -> Vec<Deviation> {
        let evidence = &judge.evidence;
        let fresh = evidence.of(|stage| stage == Stage::Confirm);
        let (chosen, candidates) = match fresh.is_empty() {
            false => (fresh, judge.candidates.clone()),
            true => (evidence.of(|_| true), (0..judge.distinct.len() as u16).collect()),
        };
        deviations(&evidence.blocks, &self.fitted, &chosen, &candidates, level, judge.seed)
    }

    /// Whether any single level stands out, even if the test of all levels shows nothing.
    pub(super) fn has_peak(&self, judge: &SweepJudge) -> bool {
        let found = self.deviations(judge, judge.rule.level);
        found.iter().any(|one| is_peak(one, self.margin))
    }

    /// The largest deviation, as a log ratio, that is not excluded for some visited level other than `peaks`, with
    /// Bonferroni's correction over the levels. Infinite if the noise cannot be estimated, since an error of zero would
    /// exclude everything.
    pub(super) fn largest_open(&self, peaks: &[u16]) -> f64 {
        if self.size.is_none() {
            return f64::INFINITY;
        }
        let visited = self.fitted.visits.iter().filter(|&&visits| visits > 0).count().max(1);
        let critical = normal_upper_quantile(self.level / 2.0 / visited as f64);
        let reach = |level: u16| {
            let (effect, error) = self.effect(level);
            error.is_finite().then(|| effect.abs() + critical * error)
        };
        let others = (0..self.fitted.visits.len() as u16).filter(|level| !peaks.contains(level));
        others.filter_map(reach).fold(0.0, f64::max)
    }
}

/// Whether the interval of a deviation excludes zero and the deviation is larger than the margin.
pub(super) fn is_peak(deviation: &Deviation, margin: f64) -> bool {
    (deviation.low > 0.0 || deviation.high < 0.0) && deviation.estimate.abs() > margin
}

/// Whether more blocks cannot change the conclusion about a level: it is a peak, or deviations of more than twice the
/// margin are excluded.
pub(super) fn is_settled(deviation: &Deviation, margin: f64) -> bool {
    is_peak(deviation, margin) || deviation.low.abs().max(deviation.high.abs()) <= 2.0 * margin
}
