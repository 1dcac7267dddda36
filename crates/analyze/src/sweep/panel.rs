//! A sweep that is decided in several metrics: a judge for each of them, in common blocks.
//!
//! Each judge follows its own course and sees only the runs of levels that it requested, so a sweep in several metrics
//! has every property of a sweep in one. The order of a block is drawn over all its levels, so all orders of the levels
//! of one judge are equally likely too. The error level is divided equally (Bonferroni) and thus holds for all levels
//! in all metrics together, whatever the dependence between the metrics. A judge that is done takes no further part,
//! and its figures do not change.

use fauxplat_model::{AlsoSwept, Metric, Rule, Sample, StoppedBy};

use super::{SweepJudge, SweepJudged, SweepLevel, SweepProgress, SweepSubject};
use crate::judge::Decision;

/// Decides, while a sweep is measured, whether the levels of a factor differ in one metric or in several.
#[derive(Clone, Debug)]
pub struct SweepPanel {
    first: SweepJudge,
    /// Judges of all metrics but the first, in the order in which the rule lists them.
    others: Vec<SweepJudge>,
    blocks: u32,
    runs: usize,
}

impl SweepPanel {
    /// A judge for each metric of the rule, see [`SweepJudge::new`].
    pub fn new(rule: &Rule, subject: &SweepSubject, levels: &[SweepLevel], seed: u64) -> Self {
        let judge = |rule: &Rule| SweepJudge::new(rule, subject.clone(), levels.to_vec(), seed);
        let mut judges = rule.apart().into_iter().map(|rule| judge(&rule));
        let first = judges.next().unwrap_or_else(|| judge(rule));
        SweepPanel { first, others: judges.collect(), blocks: 0, runs: 0 }
    }

    /// See [`SweepJudge::blocks_max`].
    pub fn blocks_max(self, blocks: u32) -> Self {
        self.each(|judge| judge.blocks_max(blocks))
    }

    /// See [`SweepJudge::exhaustive`].
    pub fn exhaustive(self, exhaustive: bool) -> Self {
        self.each(|judge| judge.exhaustive(exhaustive))
    }

    /// See [`SweepJudge::ignore_failure`].
    pub fn ignore_failure(self, ignore: bool) -> Self {
        self.each(|judge| judge.ignore_failure(ignore))
    }

    fn each(self, change: impl Fn(SweepJudge) -> SweepJudge) -> Self {
        let others = self.others.into_iter().map(&change).collect();
        SweepPanel { first: change(self.first), others, ..self }
    }

    /// Indices of the levels that may be visited, in ascending order; equal for every metric, since every judge draws
    /// them from the same seed.
    pub fn distinct(&self) -> &[u16] {
        self.first.distinct()
    }

    /// Indices of the levels that the next block must visit, in ascending order: those that any unfinished judge wants.
    pub fn wanted(&self) -> Vec<u16> {
        let mut wanted: Vec<u16> = self.open().flat_map(SweepJudge::wanted).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Adds the samples of one finished block in chronological order, and decides whether to stop.
    pub fn block(&mut self, samples: &[Sample]) -> Decision {
        self.blocks += 1;
        self.runs += samples.len();
        let judges = std::iter::once(&mut self.first).chain(&mut self.others);
        for judge in judges.filter(|judge| judge.decision() == Decision::GoOn) {
            let own = samples.iter().filter(|sample| judge.asks_for(sample.command)).cloned();
            judge.block(&own.collect::<Vec<_>>());
        }
        self.decision()
    }

    pub fn decision(&self) -> Decision {
        if self.open().next().is_some() { Decision::GoOn } else { Decision::Stop }
    }

    /// Why no more blocks are needed: every metric has its answer, or at least one reached the limit of blocks.
    pub fn stopped_by(&self) -> StoppedBy {
        let has_answer = |judge: &SweepJudge| judge.stopped_by() == StoppedBy::Verdict;
        if self.judges().all(has_answer) { StoppedBy::Verdict } else { StoppedBy::MaxPairs }
    }

    /// A metric that was read in no run of the blocks so far, although runs succeeded; `None` if there is none.
    pub fn unread(&self) -> Option<Metric> {
        self.judges().find(|judge| judge.is_blind()).map(SweepJudge::metric)
    }

    /// State of the sweep for a progress line. The stage is that of the first metric whose judge is not done.
    pub fn progress(&self) -> SweepProgress {
        let each = self.open().map(SweepJudge::progress).collect::<Vec<_>>();
        let to_look = each.iter().map(|one| one.blocks_to_next_look).min().unwrap_or(0);
        let visited = self.judges().map(|judge| judge.progress().levels_visited).max();
        SweepProgress {
            stage: each.first().unwrap_or(&self.first.progress()).stage,
            blocks: self.blocks,
            runs: self.runs,
            blocks_to_next_look: to_look,
            runs_to_next_look: to_look as usize * self.wanted().len(),
            levels_visited: visited.unwrap_or(0),
            levels_distinct: self.distinct().len(),
        }
    }

    /// Findings in all metrics; those in the first metric contain the others in `also`. `samples` are all samples of
    /// the experiment.
    pub fn findings(&self, samples: &[Sample], stopped_by: StoppedBy) -> SweepJudged {
        if self.others.is_empty() {
            return self.first.findings(samples, stopped_by);
        }
        // A judge that was done before the end of the sweep stopped for a reason of its own.
        let ended = |judge: &SweepJudge| match judge.decision() {
            Decision::Stop => judge.stopped_by(),
            Decision::GoOn => stopped_by,
        };
        let of = |judge: &SweepJudge| judge.findings(samples, ended(judge));
        let mut all = of(&self.first);
        all.findings.runs_done = self.runs;
        self.others.iter().map(of).for_each(|other| add(&mut all, other));
        all
    }

    fn judges(&self) -> impl Iterator<Item = &SweepJudge> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn open(&self) -> impl Iterator<Item = &SweepJudge> {
        self.judges().filter(|judge| judge.decision() == Decision::GoOn)
    }
}

/// Adds the findings in a further metric to those in the first.
fn add(all: &mut SweepJudged, other: SweepJudged) {
    let found = other.findings;
    all.findings.also.push(AlsoSwept {
        metric: found.metric,
        levels: found.levels,
        finding: found.finding,
        stages: found.stages,
        stopped_by: found.stopped_by,
    });
    for warning in other.warnings {
        if !all.warnings.contains(&warning) {
            all.warnings.push(warning);
        }
    }
}
