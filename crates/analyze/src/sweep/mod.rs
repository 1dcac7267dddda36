//! The judge of a sweep: fed with finished blocks, says which levels to visit next, when to stop, and what was found.

mod findings;
mod levels;

use fauxplat_model::{Metric, Rule, Sample, StoppedBy, SweepFindings};

use crate::judge::Decision;

pub use levels::SweepLevel;

/// Levels that differ are visited by every block up to this number; of more, a coarse choice comes first.
const COARSE_LEVELS: usize = 32;

/// What a sweep is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepSubject {
    /// Names of the factors: one, or two for a product.
    pub factors: Vec<String>,
    /// Unit of the levels' numbers, where they have one: `bytes`.
    pub unit: Option<String>,
}

/// Where a sweep stands, for a progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// `coarse`, `scan` or `confirm`.
    pub stage: &'static str,
    /// Blocks so far.
    pub blocks: u32,
    /// Runs so far, failed ones included.
    pub runs: usize,
    /// Runs until the next look at the data.
    pub runs_to_next_look: usize,
    /// Levels that were visited.
    pub levels_visited: usize,
    /// Levels that differ at all.
    pub levels_distinct: usize,
}

/// What a sweep came to, with warnings for the header of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepJudged {
    /// The findings. `floor_ns` is left for the caller, who measured it.
    pub findings: SweepFindings,
    /// What may spoil them, one sentence each.
    pub warnings: Vec<String>,
}

/// Decides a sweep while it is being measured.
///
/// Each level is one command of the experiment: level `i` is [`Sample::command`] `i`. A block is one visit, in random
/// order, of all levels that [`SweepJudge::wanted`] named when it began; [`Sample::block`] is its number.
#[derive(Clone, Debug)]
pub struct SweepJudge {
    rule: Rule,
    subject: SweepSubject,
    levels: Vec<SweepLevel>,
    /// One level of each group of levels that must be equal, rising.
    distinct: Vec<u16>,
    exhaustive: bool,
    ignore_failure: bool,
    blocks: u32,
    runs: usize,
}

impl SweepJudge {
    /// A sweep over `levels` (at least two, at most 65,536). Of the rule it takes the metric, the level, the margin, and
    /// `max_pairs` as the largest number of blocks. `seed` decides all that the judge draws.
    pub fn new(rule: &Rule, subject: SweepSubject, levels: Vec<SweepLevel>, seed: u64) -> Self {
        let rule = Rule { level: rule.level.clamp(1e-6, 0.5), ..rule.clone() };
        let distinct = levels::distinct(&levels, seed);
        SweepJudge {
            rule,
            subject,
            levels,
            distinct,
            exhaustive: false,
            ignore_failure: false,
            blocks: 0,
            runs: 0,
        }
    }

    /// Visits every level that was asked for in each of `max_pairs` blocks, equal ones too, and stops for no answer.
    pub fn exhaustive(mut self, exhaustive: bool) -> Self {
        self.exhaustive = exhaustive;
        if exhaustive {
            self.distinct = (0..self.levels.len() as u16).collect();
        }
        self
    }

    /// Analyses failed runs like the others.
    pub fn ignore_failure(mut self, ignore: bool) -> Self {
        self.ignore_failure = ignore;
        self
    }

    /// The levels that the next block must visit, rising; the caller draws their order. Never empty.
    pub fn wanted(&self) -> Vec<u16> {
        self.distinct.clone()
    }

    /// Takes the samples of one finished block. Unmeasured runs are skipped.
    pub fn block(&mut self, samples: &[Sample]) -> Decision {
        self.blocks += 1;
        self.runs += crate::pairing::blocks(samples).concat().len();
        self.decision()
    }

    /// Whether another block is wanted.
    pub fn decision(&self) -> Decision {
        if self.blocks >= self.rule.max_pairs { Decision::Stop } else { Decision::GoOn }
    }

    /// Why the judge wants no more: its answer, or the limit of blocks.
    pub fn stopped_by(&self) -> StoppedBy {
        StoppedBy::MaxPairs
    }

    /// Where the sweep stands.
    pub fn progress(&self) -> SweepProgress {
        SweepProgress {
            stage: if self.distinct.len() > COARSE_LEVELS { "coarse" } else { "scan" },
            blocks: self.blocks,
            runs: self.runs,
            runs_to_next_look: self.distinct.len(),
            levels_visited: if self.blocks > 0 { self.distinct.len() } else { 0 },
            levels_distinct: self.distinct.len(),
        }
    }

    /// The metric that decides.
    pub fn metric(&self) -> Metric {
        self.rule.metric
    }

    /// What was found. `samples` are all samples of the experiment.
    pub fn findings(&self, samples: &[Sample], stopped_by: StoppedBy) -> SweepJudged {
        findings::judged(self, samples, stopped_by)
    }
}
