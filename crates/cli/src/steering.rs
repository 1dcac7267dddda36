//! Who says what is run next.

use fauxplat_analyze::precise_enough;
use fauxplat_model::{Command, Metric, Outcome, Phase, Runs, Sample, Setup, Trial};
use fauxplat_plan::Plan;
use fauxplat_run::{Next, Steering};
use fauxplat_sys::clock;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::session::Writer;

/// Keeps every sample, in memory and in the store.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) samples: Vec<Sample>,
    pub(crate) experiment: Option<Writer>,
    /// How many of the samples are in the store.
    stored: usize,
}

impl Recorder {
    /// Keeps one sample in memory.
    pub(crate) fn keep(&mut self, sample: &Sample) {
        self.samples.push(sample.clone());
    }

    /// Stores what was kept since the last time.
    pub(crate) fn store(&mut self) -> Result<(), Failure> {
        let fresh = &self.samples[self.stored..];
        if let Some(experiment) = &mut self.experiment
            && !fresh.is_empty()
        {
            experiment.append_all(fresh)?;
        }
        self.stored = self.samples.len();
        Ok(())
    }
}

/// A run that failed, as one line.
pub(crate) fn failed_run(command: &Command, sample: &Sample) -> Failure {
    let how = match sample.outcome {
        Outcome::Exited(status) => format!("ended with status {status}"),
        Outcome::Signaled(signal) => format!("was ended by signal {signal}{}", signal_name(signal)),
        Outcome::TimedOut => "was still running at the time limit and was ended".to_owned(),
    };
    let hint = match command.condition.shell || sample.outcome != Outcome::Exited(127) {
        true => "see its output with --stdout inherit, or keep failed runs with --ignore-failure",
        false => "status 127 often means that a program was not found",
    };
    Failure::command(format!(
        "`{}` {how} (run {} of the experiment); {hint}",
        command.command,
        sample.trial + 1
    ))
}

fn signal_name(signal: u8) -> &'static str {
    match signal {
        2 => " (SIGINT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// Warm-up runs: each command in turn.
pub(crate) struct WarmUp<'a> {
    recorder: &'a mut Recorder,
    commands: &'a [Command],
    trials: Option<Vec<Trial>>,
    ignore_failure: bool,
}

impl<'a> WarmUp<'a> {
    pub(crate) fn new(
        recorder: &'a mut Recorder,
        count: u16,
        times: u32,
        ignore_failure: bool,
        commands: &'a [Command],
    ) -> Self {
        let trial = |block: u32, command: u16| Trial {
            block,
            position: command,
            command,
            phase: Phase::Warmup,
            setup: Setup::default(),
        };
        let trials = (0..times).flat_map(|round| (0..count).map(move |command| trial(round, command)));
        WarmUp { recorder, commands, trials: Some(trials.collect()), ignore_failure }
    }

    /// The same runs under a setup that a block drew.
    pub(crate) fn under(mut self, setup: &Setup) -> Self {
        self.trials.iter_mut().flatten().for_each(|trial| trial.setup = setup.clone());
        self
    }
}

impl Steering for WarmUp<'_> {
    type Error = Failure;

    fn next(&mut self) -> Next {
        self.trials.take().filter(|trials| !trials.is_empty()).map_or(Next::Done, Next::Trials)
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), Failure> {
        self.recorder.keep(sample);
        match sample.outcome.is_success() || self.ignore_failure {
            true => Ok(()),
            false => Err(failed_run(&self.commands[usize::from(sample.command)], sample)),
        }
    }

    fn landed(&mut self) -> Result<(), Failure> {
        self.recorder.store()
    }
}

/// Rounds of all commands until each has enough runs.
pub(crate) struct Rounds<'a> {
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) commands: &'a [Command],
    pub(crate) plan: Plan,
    pub(crate) runs: Runs,
    pub(crate) progress: &'a Progress,
    asked: u32,
    done: u32,
    enough: bool,
    started_ns: u64,
}

/// Without other orders: at least so many runs of each command, for about so long, and never more than so many.
const AUTO_RUNS_MIN: u32 = 10;
const AUTO_NS: u64 = 3_000_000_000;
const AUTO_RUNS_MAX: u32 = 10_000;
/// A precision that cannot be reached must end too.
const UNTIL_RUNS_MAX: u32 = 100_000;

impl<'a> Rounds<'a> {
    pub(crate) fn new(
        recorder: &'a mut Recorder,
        commands: &'a [Command],
        plan: Plan,
        runs: Runs,
        progress: &'a Progress,
    ) -> Self {
        let started_ns = clock::monotonic_ns();
        Rounds { recorder, commands, plan, runs, progress, asked: 0, done: 0, enough: false, started_ns }
    }

    /// How many more rounds may be asked for now.
    fn wanted(&self) -> Next {
        let elapsed_ns = clock::monotonic_ns() - self.started_ns;
        let more = match self.runs {
            Runs::Count(count) => self.asked < count,
            Runs::Auto => {
                let limit_ns = AUTO_NS * self.commands.len() as u64;
                self.asked < AUTO_RUNS_MIN || (elapsed_ns < limit_ns && self.asked < AUTO_RUNS_MAX)
            }
            Runs::Until(_) => !self.enough && self.asked < UNTIL_RUNS_MAX,
        };
        match more {
            true => Next::Trials(self.plan.block(self.asked, Phase::Measured)),
            false => Next::Done,
        }
    }

    fn round_is_over(&mut self) {
        self.done += 1;
        if let Runs::Until(ratio) = self.runs
            && !self.enough
        {
            let (samples, commands) = (&self.recorder.samples, 0..self.commands.len() as u16);
            let precise = |command| precise_enough(samples, command, Metric::WALL, ratio, true);
            self.enough = commands.into_iter().all(precise);
        }
        let share = match self.runs {
            Runs::Count(count) => f64::from(self.done) / f64::from(count),
            Runs::Auto => {
                let limit_ns = (AUTO_NS * self.commands.len() as u64) as f64;
                let by_time = (clock::monotonic_ns() - self.started_ns) as f64 / limit_ns;
                by_time.min(f64::from(self.done) / f64::from(AUTO_RUNS_MIN))
            }
            Runs::Until(_) => 0.0,
        };
        self.progress.show(share, || format!("{} runs of each command", self.done));
    }
}

impl Steering for Rounds<'_> {
    type Error = Failure;

    fn next(&mut self) -> Next {
        let next = self.wanted();
        if matches!(next, Next::Trials(_)) {
            self.asked += 1;
        }
        next
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), Failure> {
        self.recorder.keep(sample);
        let command = &self.commands[usize::from(sample.command)];
        if !sample.outcome.is_success() && !command.condition.ignore_failure {
            return Err(failed_run(command, sample));
        }
        if usize::from(sample.position) + 1 == self.commands.len() {
            self.round_is_over();
        }
        Ok(())
    }

    fn landed(&mut self) -> Result<(), Failure> {
        self.recorder.store()
    }
}
