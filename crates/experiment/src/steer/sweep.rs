//! Steering of a sweep: requests blocks of the levels that the judge wants to see, until the judge decides.

use std::collections::VecDeque;

use fauxplat_analyze::{Decision, SweepJudged, SweepPanel};
use fauxplat_model::{Phase, Rule, Sample, StoppedBy};
use fauxplat_plan::Plan;

use super::failed::{Reason, failed_run};
use super::{Landed, Standing, Steering};
use crate::{Failure, Next, Stopped};

#[derive(Debug)]
pub struct SweepSteering {
    /// Index of the level that each command stands for, ascending.
    level_of: Vec<u16>,
    plan: Plan,
    judge: SweepPanel,
    /// Number of runs in each block that was requested and is not finished, the oldest first.
    open: VecDeque<usize>,
    asked_blocks: u32,
    judged_runs: usize,
    failures: usize,
    block: Vec<Sample>,
    blocks_max: u32,
    max_time_ns: Option<u64>,
    started_ns: Option<u64>,
    elapsed_ns: u64,
    out_of_time: bool,
}

/// Number of runs, all failed, after which the command counts as failing at every level.
const FAILURES_ONLY: usize = 6;

impl SweepSteering {
    pub fn new(level_of: &[u16], plan: Plan, judge: SweepPanel, rule: &Rule) -> Self {
        SweepSteering {
            level_of: level_of.to_vec(),
            plan,
            judge,
            open: VecDeque::new(),
            asked_blocks: 0,
            judged_runs: 0,
            failures: 0,
            block: Vec::new(),
            blocks_max: rule.max_pairs,
            max_time_ns: rule.max_time_s.map(|limit_s| (limit_s * 1e9) as u64),
            started_ns: None,
            elapsed_ns: 0,
            out_of_time: false,
        }
    }

    /// Findings from all samples of the experiment, with the reason of the end.
    pub fn judged(&self, all: &[Sample], stopped: Stopped) -> SweepJudged {
        let stopped_by = match (stopped, self.out_of_time) {
            (Stopped::Interrupted, _) => StoppedBy::Interrupt,
            (Stopped::Done, true) => StoppedBy::MaxTime,
            (Stopped::Done, false) => self.judge.stopped_by(),
        };
        let samples: Vec<Sample> = all.iter().map(|sample| self.by_level(sample)).collect();
        let mut judged = self.judge.findings(&samples, stopped_by);
        let also = judged.findings.also.iter_mut().flat_map(|also| &mut also.levels);
        for level in judged.findings.levels.iter_mut().chain(also) {
            level.command = self.command_of(level.command);
        }
        judged
    }

    /// The sample with the index of its level in place of the index of its command, as the judge expects it.
    fn by_level(&self, sample: &Sample) -> Sample {
        Sample { command: self.level_of[usize::from(sample.command)], ..sample.clone() }
    }

    /// Index of the command for a level that may be visited.
    fn command_of(&self, level: u16) -> u16 {
        self.level_of.binary_search(&level).unwrap_or(0) as u16
    }

    fn block_is_over(&mut self) {
        self.judged_runs += self.block.len();
        self.judge.block(&self.block);
        self.block.clear();
        self.open.pop_front();
    }
}

impl Steering for SweepSteering {
    fn next(&mut self, now_ns: u64) -> Next {
        self.elapsed_ns = now_ns - *self.started_ns.get_or_insert(now_ns);
        // A metric without a reading in any run stays missing even if the sweep continues.
        if self.judge.decision() == Decision::Stop || self.judge.unread().is_some() {
            return Next::Done;
        }
        if self.max_time_ns.is_some_and(|limit_ns| self.elapsed_ns >= limit_ns) {
            self.out_of_time = true;
            return Next::Done;
        }
        // No run is made beyond the judge's next look, whose result decides which levels are visited after it.
        if !self.open.is_empty() && self.open.len() >= self.judge.progress().blocks_to_next_look as usize {
            return Next::Wait;
        }
        let wanted: Vec<u16> = self.judge.wanted().into_iter().map(|level| self.command_of(level)).collect();
        let trials = self.plan.visit(self.asked_blocks, &wanted, Phase::Measured);
        self.asked_blocks += 1;
        self.open.push_back(trials.len());
        Next::Trials(trials)
    }

    fn is_overdue(&mut self, now_ns: u64) -> bool {
        let elapsed_ns = self.started_ns.map_or(0, |started_ns| now_ns - started_ns);
        let is_overdue =
            self.judged_runs > 0 && self.max_time_ns.is_some_and(|limit_ns| elapsed_ns >= limit_ns);
        self.out_of_time |= is_overdue;
        is_overdue
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        let (sample, condition) = (landed.sample, &landed.command.condition);
        // A command that fails at some levels is a finding; a command that fails at all levels is an error.
        let passes = condition.ignore_failure.lets_pass(sample.outcome);
        if !passes && condition.ignore_failure.is_strict() {
            return Err(failed_run(landed, Reason::Each));
        }
        self.failures += usize::from(!passes);
        let runs = self.judged_runs + self.block.len() + 1;
        if self.failures == runs && runs >= FAILURES_ONLY {
            return Err(failed_run(landed, Reason::All));
        }
        self.block.push(self.by_level(sample));
        if self.open.front().is_some_and(|&length| self.block.len() == length) {
            self.block_is_over();
        }
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        let stand = self.judge.progress();
        let by_blocks = f64::from(stand.blocks) / f64::from(self.blocks_max.max(1));
        let by_time = self.max_time_ns.map_or(0.0, |limit| self.elapsed_ns as f64 / limit as f64);
        let words = format!(
            "{}: block {}, {} of {} levels",
            stand.stage, stand.blocks, stand.levels_visited, stand.levels_distinct
        );
        Some(Standing { share: by_blocks.max(by_time), words, blocks: stand.blocks })
    }
}
