//! Steering of a comparison: blocks until the judge has enough.

use std::path::Path;

use fauxplat_analyze::{Decision, Judge, Judged};
use fauxplat_model::{Command, Phase, Rule, Sample, Scope, StoppedBy, Trial};
use fauxplat_plan::Plan;
use fauxplat_run::{Next, Steering, Stopped, ThrottleCounter};
use fauxplat_sys::{clock, signal};

use crate::failure::Failure;
use crate::foundry::Foundry;
use crate::progress::Progress;
use crate::steering::{Recorder, failed_run};

/// One comparison under way.
pub(crate) struct Contest<'a> {
    pub(crate) recorder: &'a mut Recorder,
    commands: &'a [Command],
    progress: &'a Progress,
    plan: Plan,
    judge: Judge,
    throttle: Option<ThrottleCounter>,
    /// Number of the first block, so that several comparisons of one experiment do not share numbers.
    first_block: u32,
    first_sample: usize,
    asked: u32,
    block: Vec<Sample>,
    blocks: u32,
    failures: u32,
    max_time_ns: Option<u64>,
    started_ns: u64,
    out_of_time: bool,
    /// What builds the programs, if each block has a layout of its own.
    foundry: Option<&'a mut Foundry>,
}

/// So many failed runs, if they are also a tenth of all, are not an accident.
const FAILURES_MAX: u32 = 3;

impl<'a> Contest<'a> {
    pub(crate) fn new(
        recorder: &'a mut Recorder,
        commands: &'a [Command],
        progress: &'a Progress,
        plan: Plan,
        judge: Judge,
        rule: &Rule,
    ) -> Self {
        let first_sample = recorder.samples.len();
        let first_block = recorder.samples.last().map_or(0, |sample| sample.block + 1);
        Contest {
            recorder,
            commands,
            progress,
            plan,
            judge,
            throttle: ThrottleCounter::open(Path::new("/")),
            first_block,
            first_sample,
            asked: 0,
            block: Vec::new(),
            blocks: 0,
            failures: 0,
            max_time_ns: rule.max_time_s.map(|limit_s| (limit_s * 1e9) as u64),
            started_ns: clock::monotonic_ns(),
            out_of_time: false,
            foundry: None,
        }
    }

    /// The same with programs that get a layout of their own in each block.
    pub(crate) fn built_by(mut self, foundry: Option<&'a mut Foundry>) -> Self {
        self.foundry = foundry;
        self
    }

    fn is_over(&mut self) -> bool {
        let decided = self.judge.decision() == Decision::Stop;
        let late = self.max_time_ns.is_some_and(|limit_ns| self.elapsed_ns() >= limit_ns);
        self.out_of_time |= late && !decided;
        decided || late
    }

    /// A program that was just put there has never been run: each command runs once, unmeasured, before the block.
    fn warmed(&self, trials: Vec<Trial>) -> Vec<Trial> {
        let first = trials.iter().take(self.commands.len());
        let warm_up = first.map(|trial| Trial { phase: Phase::Warmup, ..trial.clone() });
        warm_up.chain(trials.iter().cloned()).collect()
    }

    /// What was found, and what ended it.
    pub(crate) fn judged(&self, stopped: Stopped, names: &[String]) -> Judged {
        let stopped_by = match (stopped, self.out_of_time) {
            (Stopped::Interrupted, _) => StoppedBy::Interrupt,
            (Stopped::Done, true) => StoppedBy::MaxTime,
            (Stopped::Done, false) => self.judge.stopped_by(),
        };
        let scope = self.foundry.as_ref().map_or(Scope::Binaries, |foundry| foundry.scope());
        self.judge.clone().scope(scope).findings(self.samples(), names, stopped_by)
    }

    /// The samples of this comparison.
    pub(crate) fn samples(&self) -> &[Sample] {
        &self.recorder.samples[self.first_sample..]
    }

    fn runs_per_block(&self) -> usize {
        self.commands.len() * usize::from(self.plan.layout.rounds())
    }

    fn pairs_per_block(&self) -> u32 {
        self.plan.layout.rounds().into()
    }

    fn elapsed_ns(&self) -> u64 {
        clock::monotonic_ns() - self.started_ns
    }

    fn block_is_over(&mut self) {
        let throttled = self.throttle.as_mut().is_some_and(ThrottleCounter::moved);
        match throttled {
            true => self.judge.throttled_block(&self.block),
            false => self.judge.block(&self.block),
        };
        self.block.clear();
        self.blocks += 1;
        let stand = self.judge.progress();
        let share = f64::from(stand.pairs) / f64::from(stand.pairs_max.max(1));
        self.progress.show(share, || format!("pair {}, next look at {}", stand.pairs, stand.pairs_next_look));
    }
}

impl Steering for Contest<'_> {
    type Error = Failure;

    fn next(&mut self) -> Next {
        if self.is_over() {
            return Next::Done;
        }
        // Before the first block the judge knows no look; afterwards nothing is run beyond the next one.
        let look = self.judge.progress().pairs_next_look.max(self.pairs_per_block());
        if self.asked * self.pairs_per_block() >= look {
            return Next::Wait;
        }
        let mut trials = self.plan.block(self.asked, Phase::Measured);
        if self.foundry.is_some() {
            trials = self.warmed(trials);
        }
        trials.iter_mut().for_each(|trial| trial.block += self.first_block);
        self.asked += 1;
        Next::Trials(trials)
    }

    /// With built programs every block is a scene of its own.
    fn scene(&self, trial: &Trial) -> u64 {
        if self.foundry.is_some() { trial.block.into() } else { 0 }
    }

    /// The layout of a block is built before its first run, so that no build ever runs beside a measured one.
    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Failure> {
        let Some(foundry) = &mut self.foundry else { return Ok(()) };
        match foundry.draw(trial.block) {
            // The runner is about to see it too, and ends the experiment as interrupted.
            Err(_) if signal::stop_requested() => Ok(()),
            drawn => drawn,
        }
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), Failure> {
        self.recorder.keep(sample);
        let command = &self.commands[usize::from(sample.command)];
        if !sample.outcome.is_success() && !command.condition.ignore_failure {
            self.failures += 1;
            if self.failures >= FAILURES_MAX && self.failures * 10 > self.blocks {
                return Err(failed_run(command, sample));
            }
        }
        if sample.phase == Phase::Measured {
            self.block.push(sample.clone());
        }
        if self.block.len() == self.runs_per_block() {
            self.block_is_over();
        }
        Ok(())
    }

    fn landed(&mut self) -> Result<(), Failure> {
        self.recorder.store()
    }
}
