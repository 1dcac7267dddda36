//! Sources of readings: benchmark programs with a harness, or plain commands.

use std::collections::HashMap;

use fauxplat_experiment::steer::{Landed, Standing, Steering, how_it_ended};
use fauxplat_experiment::{Driver, Failure, Next};
use fauxplat_model::{IgnoredFailures, Metric, Order, Phase, Sample, Setup, Trial};

use crate::harness::{Told, Unit, medians};

/// Provider of readings, which runs processes of both sides.
pub(super) trait Source {
    fn facts(&self) -> Facts;

    /// Margin of each benchmark as a share (0.03 is 3 %); `None` for the margin of the suite.
    fn margins(&self) -> Vec<Option<f64>>;

    /// Metric that fauxplat reads of a benchmark itself; `None` for wall time, and where a harness gives the reading.
    fn metric(&self, _at: usize) -> Option<Metric> {
        None
    }

    /// Seconds that a process takes in addition to its benchmarks.
    fn overhead_s(&self) -> f64;

    /// Estimated seconds that a benchmark takes within a process.
    fn cost_s(&self) -> f64;

    /// Maximum number of benchmarks that one process can run; `None` where a process always runs all of them.
    fn most(&self) -> Option<usize>;

    /// Order of the runs, unless the user asks for another one.
    fn order(&self) -> Order;

    /// Selects the benchmarks that the next processes run, by their indices.
    ///
    /// # Errors
    /// Fails where a program cannot be started.
    fn choose(&mut self, driver: &mut Driver, only: &[usize]) -> Result<(), Failure>;

    /// Runs one process of a side and returns its results; `None` if the user interrupted.
    ///
    /// # Errors
    /// Fails where the program cannot be started or its output cannot be read.
    fn run(&self, driver: &mut Driver, turn: Turn, standing: Standing) -> Result<Option<Given>, Failure>;

    /// Command lines of A and of B that run a benchmark alone, with a fixed number of rounds of `round_ns` nanoseconds
    /// each; `None` where that is not possible.
    fn alone(&self, at: usize, round_ns: Option<f64>) -> Option<[String; 2]>;

    /// Restores the driver's commands to those that the user named.
    fn finish(&self, driver: &mut Driver);
}

#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) harness: String,
    pub(super) programs: [String; 2],
    /// Whether the files and arguments of both sides are equal; `None` where that is unknown.
    pub(super) are_same_file: Option<bool>,
    /// Names of the benchmarks that both sides have.
    pub(super) names: Vec<String>,
    /// Names of the benchmarks that only B has, and only A.
    pub(super) new: Vec<String>,
    pub(super) gone: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) round: u32,
    pub(super) position: u16,
    /// 0 for A, 1 for B.
    pub(super) side: usize,
}

/// Results of one process.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Reading and unit of each benchmark, by name.
    pub(super) readings: HashMap<String, (f64, Unit)>,
    /// Reason why a reading is missing, by name of the benchmark.
    pub(super) missing: HashMap<String, String>,
    /// Reason why no reading of the process counts; `None` if the process succeeded.
    pub(super) failed: Option<String>,
    /// Seconds from the start of the process to its end.
    pub(super) wall_s: f64,
}

impl Given {
    pub(super) fn of(told: Told, wall_s: f64) -> Self {
        let readings = medians(told.readings).into_iter().map(|it| (it.name, (it.value, it.unit)));
        let missing = told.missing.into_iter().map(|it| (it.name, it.why));
        Given { readings: readings.collect(), missing: missing.collect(), failed: None, wall_s }
    }
}

/// Steers the driver through a single run.
struct Once {
    trial: Option<Trial>,
    landed: Option<Sample>,
    standing: Standing,
}

impl Steering for Once {
    fn next(&mut self, _now_ns: u64) -> Next {
        self.trial.take().map_or(Next::Done, |trial| Next::Trials(vec![trial]))
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        self.landed = Some(landed.sample.clone());
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        Some(self.standing.clone())
    }
}

/// Runs one command once and returns its sample; `None` if the user interrupted.
///
/// # Errors
/// Fails where the program cannot be started.
pub(super) fn once(
    driver: &mut Driver,
    turn: Turn,
    (command, setup): (u16, Setup),
    standing: Standing,
) -> Result<Option<Sample>, Failure> {
    let Turn { round, position, .. } = turn;
    let trial = Trial { block: round, position, command, phase: Phase::Measured, setup };
    let mut once = Once { trial: Some(trial), landed: None, standing };
    driver.steer(&mut once)?;
    Ok(once.landed.filter(|_| !driver.is_interrupted()))
}

pub(super) fn wall_s(sample: &Sample) -> f64 {
    sample.get(Metric::WALL).unwrap_or(0) as f64 / 1e9
}

/// Results of a failed process; `None` if it succeeded, or the user ignores its failure.
pub(super) fn failed(sample: &Sample, ignored: &IgnoredFailures) -> Option<Given> {
    (!ignored.lets_pass(sample.outcome)).then(|| {
        let failed = Some(format!("its process {}", how_it_ended(sample.outcome)));
        Given { failed, wall_s: wall_s(sample), ..Given::default() }
    })
}
