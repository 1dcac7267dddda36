//! The judge of a sweep: receives finished blocks, chooses the levels of the factor to visit next, decides when to
//! stop, and returns the findings.
//!
//! The sweep visits a coarse grid of levels first, then all levels that can differ, and then, in blocks of their own,
//! the levels that stood out. The levels of the first two stages are fixed before the first run, so the permutation
//! test is exact with any number of looks at the data. The confirming blocks are chosen by the results so far, and are
//! therefore tested separately with a share of the error level. docs/methods/sweeps.md has the reasoning.

mod assess;
mod course;
mod evidence;
mod findings;
mod levels;
mod panel;
mod parts;
mod slow;

use fauxplat_model::{Metric, Rule, SWEEP_LEVEL_MIN, Sample, StoppedBy, SweepFindings};

use fauxplat_stats::describe::median;

use crate::judge::Decision;
use crate::level::ratio_between;
use assess::{Assessment, is_settled};
use course::{Course, Stage};
use evidence::Evidence;

pub use levels::SweepLevel;
pub use panel::SweepPanel;

/// Number of reference levels in each confirming block, with which the candidates are compared.
const REFERENCES: usize = 16;

/// Number of failed runs, without a success, after which a level is not visited any more.
const FAILURES_MAX: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepSubject {
    /// Names of the factors: one, or two whose levels are combined.
    pub factors: Vec<String>,
    pub unit: Option<String>,
}

/// State of a sweep, for a progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// `coarse`, `scan` or `confirm`.
    pub stage: &'static str,
    pub blocks: u32,
    /// Number of runs so far, failed ones included.
    pub runs: usize,
    /// Number of blocks until the next look at the data, at which the levels of the blocks after it are chosen.
    pub blocks_to_next_look: u32,
    /// Maximum number of runs until the next look at the data.
    pub runs_to_next_look: usize,
    pub levels_visited: usize,
    /// Number of levels that can differ from each other.
    pub levels_distinct: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SweepJudged {
    /// The findings without `floor_ns`, which the caller measures and adds.
    pub findings: SweepFindings,
    pub warnings: Vec<String>,
}

/// Decides, while a sweep is measured, whether the levels of a factor differ.
///
/// Each level is one command of the experiment: level `i` is [`Sample::command`] `i`. A block is one visit, in random
/// order, of all levels that [`SweepJudge::wanted`] returned when it began; [`Sample::block`] is its number.
#[derive(Clone, Debug)]
pub struct SweepJudge {
    rule: Rule,
    /// The margin as a ratio minus one; `None` for an absolute margin before the first look at the data, which turns it
    /// into a ratio.
    margin: Option<f64>,
    subject: SweepSubject,
    levels: Vec<SweepLevel>,
    /// Indices of the levels that are run, one of each group of levels that cannot differ, in ascending order.
    distinct: Vec<u16>,
    seed: u64,
    exhaustive: bool,
    ignore_failure: bool,
    course: Course,
    evidence: Evidence,
    /// Levels that stood out and are measured in confirming blocks, as indices into `distinct`.
    candidates: Vec<u16>,
    /// Adjusted p-value of the clearest candidate, if the confirming blocks, rather than the test of all levels, showed
    /// an effect.
    confirmed_p: Option<f64>,
    is_done: bool,
    has_answer: bool,
}

impl SweepJudge {
    /// A sweep over `levels` (at least two, at most 65,536), which are in the order of their numbers if they have any.
    /// Of the rule, the metric, the error level (at least [`SWEEP_LEVEL_MIN`]), the margin, and `max_pairs` as the
    /// maximum number of blocks that visit all levels are used. `seed` determines all random choices.
    pub fn new(rule: &Rule, subject: SweepSubject, levels: Vec<SweepLevel>, seed: u64) -> Self {
        let distinct = levels::distinct(&levels, seed);
        let rule = Rule { level: rule.level.clamp(SWEEP_LEVEL_MIN, 0.5), ..rule.clone() };
        SweepJudge {
            course: Course::new(levels::grids(distinct.len(), seed), rule.max_pairs),
            evidence: Evidence::new(distinct.len(), seed),
            margin: rule.margin_absolute.is_none().then_some(rule.margin),
            rule,
            subject,
            levels,
            distinct,
            seed,
            exhaustive: false,
            ignore_failure: false,
            candidates: Vec::new(),
            confirmed_p: None,
            is_done: false,
            has_answer: false,
        }
    }

    /// Sets another maximum number of blocks that visit all levels; must be called before the first block.
    pub fn blocks_max(mut self, blocks: u32) -> Self {
        self.rule.max_pairs = blocks;
        self.course = Course::new(levels::grids(self.distinct.len(), self.seed), blocks);
        self
    }

    /// States whether the sweep visits every requested level in each of `max_pairs` blocks, even levels that cannot
    /// differ, without stopping early.
    pub fn exhaustive(mut self, exhaustive: bool) -> Self {
        if exhaustive {
            self.exhaustive = true;
            self.distinct = (0..self.levels.len() as u16).collect();
            self.course = Course::new(vec![self.distinct.clone()], self.rule.max_pairs);
            self.evidence = Evidence::new(self.distinct.len(), self.seed);
        }
        self
    }

    pub fn ignore_failure(mut self, ignore: bool) -> Self {
        self.ignore_failure = ignore;
        self
    }

    /// Indices of the levels that may be visited, in ascending order: one of each group of levels that cannot differ.
    pub fn distinct(&self) -> &[u16] {
        &self.distinct
    }

    /// Indices of the levels that the next block must visit, in ascending order; the caller draws their order within
    /// the block. Never empty.
    pub fn wanted(&self) -> Vec<u16> {
        let levels = &self.course.now().levels;
        let alive: Vec<u16> = levels.iter().copied().filter(|&level| !self.is_dead(level)).collect();
        let wanted = if alive.is_empty() { levels } else { &alive };
        let mut commands: Vec<u16> = wanted.iter().map(|&level| self.distinct[usize::from(level)]).collect();
        commands.sort_unstable();
        commands
    }

    /// Adds the samples of one finished block in chronological order, and decides whether to stop. Runs that are not
    /// measured are skipped.
    pub fn block(&mut self, samples: &[Sample]) -> Decision {
        let place = |sample| Some((self.place(sample)?, sample));
        let runs: Vec<(u16, &Sample)> =
            crate::pairing::blocks(samples).into_iter().flatten().filter_map(place).collect();
        self.evidence.take(&runs, self.rule.metric, self.ignore_failure);
        self.evidence.label(self.course.now().stage, self.course.stretches.len() - 1);
        if self.course.count() {
            self.look();
        }
        self.decision()
    }

    /// Whether the current block visits the level of this command.
    pub(super) fn asks_for(&self, command: u16) -> bool {
        let place = self.distinct.binary_search(&command);
        place.is_ok_and(|place| self.course.now().levels.binary_search(&(place as u16)).is_ok())
    }

    /// Whether runs succeeded but the metric was read in none of them.
    pub(super) fn is_blind(&self) -> bool {
        self.evidence.tallies.iter().any(|tally| tally.runs > tally.failures)
            && self.evidence.blocks.iter().all(|block| block.values.is_empty())
    }

    /// The margin as a ratio minus one; until an absolute margin is turned into a ratio, the relative margin of the
    /// rule.
    pub(super) fn margin_ratio(&self) -> f64 {
        self.margin.unwrap_or(self.rule.margin)
    }

    /// Turns an absolute margin into a ratio to the median of the readings so far. The readings of all levels are
    /// pooled, so the margin does not depend on which level was visited when, and the permutation test stays exact.
    pub(super) fn settle_margin(&mut self) {
        let (Some(amount), None) = (self.rule.margin_absolute, self.margin) else { return };
        let logs: Vec<f64> = self.evidence.blocks.iter().flat_map(|block| &block.values).copied().collect();
        self.margin = median(&logs).map(|middle| ratio_between(amount, middle, middle));
    }

    pub fn decision(&self) -> Decision {
        if self.is_done { Decision::Stop } else { Decision::GoOn }
    }

    /// Why no more blocks are needed: the answer is known, or the limit of blocks is reached.
    pub fn stopped_by(&self) -> StoppedBy {
        if self.has_answer { StoppedBy::Verdict } else { StoppedBy::MaxPairs }
    }

    pub fn progress(&self) -> SweepProgress {
        let visited = self.evidence.tallies.iter().filter(|tally| tally.runs > 0).count();
        let now = self.course.now();
        SweepProgress {
            stage: now.stage.name(),
            blocks: self.evidence.blocks.len() as u32,
            runs: self.evidence.tallies.iter().map(|tally| tally.runs).sum(),
            blocks_to_next_look: self.course.blocks_to_look(),
            runs_to_next_look: self.course.blocks_to_look() as usize * now.levels.len(),
            levels_visited: visited,
            levels_distinct: self.distinct.len(),
        }
    }

    pub fn metric(&self) -> Metric {
        self.rule.metric
    }

    pub fn findings(&self, samples: &[Sample], stopped_by: StoppedBy) -> SweepJudged {
        findings::judged(self, samples, stopped_by)
    }

    /// Index of a run's level in `distinct`; `None` if the level is not run.
    fn place(&self, sample: &Sample) -> Option<u16> {
        self.distinct.binary_search(&sample.command).ok().map(|place| place as u16)
    }

    /// Whether a level is no longer visited, because all its runs failed, and at least [`FAILURES_MAX`].
    fn is_dead(&self, level: u16) -> bool {
        let tally = self.evidence.tallies[usize::from(level)];
        !self.ignore_failure && tally.failures >= FAILURES_MAX && tally.failures == tally.runs
    }

    /// Whether the levels are ordered by number, so that neighbours in the list are neighbours as numbers.
    fn is_ordered(&self) -> bool {
        self.levels.iter().all(|level| level.number.is_some() && level.cell.is_none())
    }

    /// Looks at the data, and decides which levels to visit next or that the sweep is done.
    fn look(&mut self) {
        self.settle_margin();
        if self.course.now().stage == Stage::Confirm {
            return self.look_at_fresh_blocks();
        }
        if self.exhaustive {
            // An exhaustive sweep does not stop early, so the test is made only at the end.
            self.is_done = self.course.is_at_limit();
            if self.is_done {
                let spent = Course::spend_all(self.rule.level);
                self.evidence.crossing.look(&self.evidence.sums, spent);
            }
            return;
        }
        let spent = self.course.spend(self.rule.level);
        self.evidence.crossing.look(&self.evidence.sums, spent);
        match self.course.now().stage {
            Stage::Coarse => self.course.next_grid(),
            _ => self.look_at_all_levels(),
        }
        self.is_done |= (0..self.distinct.len() as u16).all(|level| self.is_dead(level));
    }

    fn look_at_all_levels(&mut self) {
        let seen = Assessment::of(self);
        let limit = self.course.is_at_limit();
        if !seen.is_effect() && !seen.is_small() && !limit {
            return;
        }
        // If a level stands out while the test of all levels shows nothing, neither an effect nor the absence of one is
        // concluded; more blocks will decide.
        let is_contrary = !seen.is_significant && seen.is_small() && seen.has_peak(self);
        self.has_answer = seen.is_effect() || seen.is_small() && !is_contrary;
        let candidates = seen.candidates(self);
        // With few levels every block visits all of them, so no candidates need be chosen and all blocks count.
        let is_few = self.course.stretches.len() == 1;
        let settled = |seen: &Assessment| {
            let found = seen.deviations(self, self.rule.level);
            let open = |one: &&_| !is_settled(one, seen.margin);
            found.iter().filter(open).all(|one| !candidates.contains(&one.level))
        };
        match candidates.is_empty() {
            true => self.is_done = limit || !is_contrary,
            false if is_few => {
                self.is_done = limit || seen.is_significant || !is_contrary && settled(&seen);
            }
            false => self.confirm(candidates),
        }
    }

    /// Continues with blocks of the candidates, their neighbours, and [`REFERENCES`] other levels for comparison.
    fn confirm(&mut self, candidates: Vec<u16>) {
        let count = self.distinct.len() as u16;
        let with_neighbours = |&level: &u16| level.saturating_sub(1)..=(level + 1).min(count - 1);
        let mut levels: Vec<u16> = match self.is_ordered() {
            true => candidates.iter().flat_map(with_neighbours).collect(),
            false => candidates.clone(),
        };
        levels.extend(levels::references(usize::from(count), REFERENCES, &levels, self.seed));
        levels.sort_unstable();
        levels.dedup();
        self.candidates = candidates;
        self.course.confirm(levels);
    }

    fn look_at_fresh_blocks(&mut self) {
        let seen = Assessment::of(self);
        let found = seen.deviations(self, findings::peak_level(self, seen.is_significant));
        let peaks = found.iter().filter(|one| assess::is_peak(one, seen.margin));
        let clearest = peaks.map(|peak| peak.p_adjusted).min_by(f64::total_cmp);
        if !seen.is_significant {
            self.confirmed_p = clearest;
        }
        self.is_done = self.course.is_at_limit() || found.iter().all(|one| is_settled(one, seen.margin));
    }
}
