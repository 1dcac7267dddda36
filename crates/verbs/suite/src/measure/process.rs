//! A process of one of the programs, run by the driver.

use std::collections::HashMap;
use std::time::Duration;

use fauxplat_experiment::steer::{Landed, Standing, Steering};
use fauxplat_experiment::{Driver, Failure, Next};
use fauxplat_model::{Command, Metric, Outcome, Phase, Setup, Trial};

use super::Desk;
use super::listing::List;
use crate::harness::{Chosen, Told, Unit, medians};

/// Steering by a single run.
struct Once {
    trial: Option<Trial>,
    landed: Option<(Outcome, f64)>,
    standing: Standing,
}

impl Steering for Once {
    fn next(&mut self, _now_ns: u64) -> Next {
        self.trial.take().map_or(Next::Done, |trial| Next::Trials(vec![trial]))
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        let wall_s = landed.sample.get(Metric::WALL).unwrap_or(0) as f64 / 1e9;
        self.landed = Some((landed.sample.outcome, wall_s));
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        Some(self.standing.clone())
    }
}

/// The outcome of a process.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Reading and unit of each benchmark.
    pub(super) readings: HashMap<String, (f64, Unit)>,
    /// Why a benchmark has none.
    pub(super) missing: HashMap<String, String>,
    /// Why nothing of the process counts.
    pub(super) failed: Option<String>,
    /// Seconds from its beginning to its end.
    pub(super) wall_s: f64,
}

impl Given {
    fn of(told: Told, wall_s: f64) -> Self {
        let readings = medians(told.readings).into_iter().map(|it| (it.name, (it.value, it.unit)));
        let missing = told.missing.into_iter().map(|it| (it.name, it.why));
        Given { readings: readings.collect(), missing: missing.collect(), failed: None, wall_s }
    }
}

/// Processes of both programs that run some of their benchmarks.
pub(super) struct Processes<'a> {
    pub(super) list: &'a List,
    pub(super) desk: &'a Desk,
    /// The two programs with the words of the user alone.
    pub(super) plain: [Command; 2],
    /// Time for each benchmark within a process.
    pub(super) time: Duration,
}

impl Processes<'_> {
    /// Makes both programs run these benchmarks alone.
    ///
    /// # Errors
    /// The programs cannot be started.
    pub(super) fn choose(&self, driver: &mut Driver, only: &[String]) -> Result<(), Failure> {
        let words = |side: usize| {
            let plain = &self.plain[side];
            let chosen = Chosen { all: &self.list.all[side], only };
            let asked = self.list.harness.run(&plain.argv[1..], chosen, self.time, &self.desk.results());
            let mut command = plain.clone();
            command.argv.extend(asked.arguments);
            command.condition.env_set.extend(asked.env);
            command
        };
        driver.commands = vec![words(0), words(1)];
        driver.replace_commands(&[])
    }

    /// Runs one process; `None` if the user interrupted it.
    ///
    /// # Errors
    /// The program cannot be started, or what it wrote cannot be read.
    pub(super) fn run(
        &self,
        driver: &mut Driver,
        (round, position, side): (u32, u16, usize),
        standing: Standing,
    ) -> Result<Option<Given>, Failure> {
        self.desk.clear().map_err(Failure::machine)?;
        let trial = Trial {
            block: round,
            position,
            command: side as u16,
            phase: Phase::Measured,
            setup: Setup::default(),
        };
        let mut once = Once { trial: Some(trial), landed: None, standing };
        driver.steer(&mut once)?;
        let Some((outcome, wall_s)) = once.landed.filter(|_| !driver.is_interrupted()) else {
            return Ok(None);
        };
        if !outcome.is_success() {
            let failed = Some(format!("its process ended with status {}", outcome.exit_status()));
            return Ok(Some(Given { failed, wall_s, ..Given::default() }));
        }
        let output = self.desk.output().map_err(Failure::machine)?;
        Ok(Some(match self.list.harness.told(&output) {
            Ok(told) => Given::of(told, wall_s),
            Err(error) => Given { failed: Some(error.to_string()), wall_s, ..Given::default() },
        }))
    }
}
