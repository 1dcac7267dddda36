//! Steering of an explanation: a fixed number of blocks, or as many as there is time for.

use fauxplat_model::{Command, Phase, Rule, Sample};
use fauxplat_plan::{Crossed, RUNS_PER_BLOCK};
use fauxplat_run::{Next, Steering};
use fauxplat_sys::clock;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::steering::{Recorder, failed_run};

/// Fewer blocks than this say nothing about time.
const BLOCKS_MIN: u32 = 12;

/// So many failed runs, if they are also a tenth of all, are not an accident.
const FAILURES_MAX: u32 = 3;

/// A crossed design under way.
pub(crate) struct Crossing<'a> {
    recorder: &'a mut Recorder,
    commands: &'a [Command],
    progress: &'a Progress,
    plan: &'a Crossed,
    blocks_max: u32,
    max_time_ns: Option<u64>,
    started_ns: u64,
    asked: u32,
    runs: u32,
    failures: u32,
}

impl<'a> Crossing<'a> {
    pub(crate) fn new(
        recorder: &'a mut Recorder,
        commands: &'a [Command],
        progress: &'a Progress,
        plan: &'a Crossed,
        rule: &Rule,
    ) -> Self {
        Crossing {
            recorder,
            commands,
            progress,
            plan,
            blocks_max: rule.max_pairs,
            max_time_ns: rule.max_time_s.map(|limit_s| (limit_s * 1e9) as u64),
            started_ns: clock::monotonic_ns(),
            asked: 0,
            runs: 0,
            failures: 0,
        }
    }

    /// The share of the time that was allowed.
    fn time_share(&self) -> f64 {
        let elapsed_ns = clock::monotonic_ns() - self.started_ns;
        self.max_time_ns.map_or(0.0, |limit_ns| elapsed_ns as f64 / limit_ns as f64)
    }

    fn show(&self) {
        let block = self.runs / u32::from(RUNS_PER_BLOCK);
        let by_blocks = f64::from(block) / f64::from(self.blocks_max);
        let enough = f64::from(block) / f64::from(BLOCKS_MIN.min(self.blocks_max));
        let share = by_blocks.max(self.time_share().min(enough));
        self.progress.show(share, || format!("block {block} of {}", self.blocks_max));
    }
}

impl Steering for Crossing<'_> {
    type Error = Failure;

    fn next(&mut self) -> Next {
        let is_late = self.asked >= BLOCKS_MIN && self.time_share() >= 1.0;
        if self.asked >= self.blocks_max || is_late {
            return Next::Done;
        }
        let trials = self.plan.block(self.asked, Phase::Measured);
        self.asked += 1;
        Next::Trials(trials)
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), Failure> {
        self.recorder.keep(sample);
        self.runs += 1;
        let command = &self.commands[usize::from(sample.command)];
        if !sample.outcome.is_success() && !command.condition.ignore_failure {
            self.failures += 1;
            if self.failures >= FAILURES_MAX && self.failures * 10 > self.runs {
                return Err(failed_run(command, sample));
            }
        }
        if self.runs.is_multiple_of(u32::from(RUNS_PER_BLOCK)) {
            self.show();
        }
        Ok(())
    }

    fn landed(&mut self) -> Result<(), Failure> {
        self.recorder.store()
    }
}
