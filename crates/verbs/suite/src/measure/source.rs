//! Where the readings of a suite come from: processes of harnesses, or plain commands.

use std::collections::HashMap;

use fauxplat_experiment::steer::{Landed, Standing, Steering, how_it_ended};
use fauxplat_experiment::{Driver, Failure, Next};
use fauxplat_model::{IgnoredFailures, Metric, Phase, Sample, Setup, Trial};

use crate::harness::{Told, Unit, medians};

/// Processes of both sides that give readings of benchmarks.
pub(super) trait Source {
    /// The benchmarks that both sides have.
    fn facts(&self) -> Facts;

    /// The margin of each benchmark as a share, where it is another than that of the suite.
    fn margins(&self) -> Vec<Option<f64>>;

    /// Seconds that a process takes beside its benchmarks.
    fn overhead_s(&self) -> f64;

    /// Seconds that a benchmark probably takes within a process.
    fn cost_s(&self) -> f64;

    /// Number of benchmarks that one process runs at most; `None` where a process runs all of them, whatever was chosen.
    fn most(&self) -> Option<usize>;

    /// Chooses the benchmarks of the next two processes, by their places.
    ///
    /// # Errors
    /// The programs cannot be started.
    fn choose(&mut self, driver: &mut Driver, only: &[usize]) -> Result<(), Failure>;

    /// Runs one process of a side; `None` if the user interrupted it.
    ///
    /// # Errors
    /// The program cannot be started, or what it wrote cannot be read.
    fn run(&self, driver: &mut Driver, turn: Turn, standing: Standing) -> Result<Option<Given>, Failure>;

    /// Puts the commands back as the user named them.
    fn finish(&self, driver: &mut Driver);
}

/// Facts about the benchmarks of both sides.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// Name of the harness.
    pub(super) harness: String,
    /// The two programs, with their arguments.
    pub(super) programs: [String; 2],
    /// Whether both sides are the same files with the same arguments; `None` if one was not read.
    pub(super) are_same_file: Option<bool>,
    /// Names of the benchmarks that both have.
    pub(super) names: Vec<String>,
    /// Names of those of B alone, and of A alone.
    pub(super) new: Vec<String>,
    pub(super) gone: Vec<String>,
}

/// A process's turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) round: u32,
    pub(super) position: u16,
    /// 0 for A, 1 for B.
    pub(super) side: usize,
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
    pub(super) fn of(told: Told, wall_s: f64) -> Self {
        let readings = medians(told.readings).into_iter().map(|it| (it.name, (it.value, it.unit)));
        let missing = told.missing.into_iter().map(|it| (it.name, it.why));
        Given { readings: readings.collect(), missing: missing.collect(), failed: None, wall_s }
    }
}

/// Steering by a single run.
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

/// Runs one command, in its turn; `None` if the user interrupted it.
///
/// # Errors
/// The program cannot be started.
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

/// Seconds that a run took.
pub(super) fn wall_s(sample: &Sample) -> f64 {
    sample.get(Metric::WALL).unwrap_or(0) as f64 / 1e9
}

/// The outcome of a process that failed; `None` of one that did not, or whose failure the user ignores.
pub(super) fn failed(sample: &Sample, ignored: &IgnoredFailures) -> Option<Given> {
    (!ignored.lets_pass(sample.outcome)).then(|| {
        let failed = Some(format!("its process {}", how_it_ended(sample.outcome)));
        Given { failed, wall_s: wall_s(sample), ..Given::default() }
    })
}
