//! The feed for all tests of the executor, and simulated machines.

use std::path::PathBuf;

use fauxplat_experiment::{Executor, Extra, Feed, LaunchError, Launcher, Next, Stopped, Table};
use fauxplat_launch::simulated::{Behaviour, Machine, SimulatedLauncher, Stopper, Times};
use fauxplat_model::{Command, Evidence, Metric, Phase, Sample, Setup, Trial};
use proptest::prelude::*;

pub(crate) const MS: f64 = 1e6;

pub(crate) fn command(name: &str) -> Command {
    Command {
        name: name.to_owned(),
        command: name.to_owned(),
        program: PathBuf::from(name),
        argv: vec![name.to_owned()],
        ..Command::default()
    }
}

pub(crate) fn trial(number: usize, command: u16) -> Trial {
    let (block, phase) = (number as u32, Phase::Measured);
    Trial { block, position: 0, command, phase, setup: Setup::default() }
}

/// `runs` trials, in which the first `commands` commands take turns.
pub(crate) fn turns(runs: usize, commands: u16) -> Vec<Trial> {
    (0..runs).map(|number| trial(number, (number % usize::from(commands)) as u16)).collect()
}

/// A feed that asks for a list of trials and stores the samples. The feed can stop the executor or refuse a sample.
pub(crate) struct Script {
    pub(crate) trials: Option<Vec<Trial>>,
    pub(crate) scenes: bool,
    pub(crate) samples: Vec<Sample>,
    /// Number of samples at each call of `landed`.
    pub(crate) landed: Vec<usize>,
    pub(crate) entered: Vec<(usize, u32)>,
    pub(crate) stop_after: Option<(usize, Stopper)>,
    pub(crate) full_after: usize,
}

impl Script {
    pub(crate) fn new(trials: Vec<Trial>) -> Self {
        Script {
            trials: Some(trials),
            scenes: false,
            samples: Vec::new(),
            landed: Vec::new(),
            entered: Vec::new(),
            stop_after: None,
            full_after: usize::MAX,
        }
    }

    pub(crate) fn values(&self, command: u16, metric: Metric) -> Vec<u64> {
        let of_command = self.samples.iter().filter(|sample| sample.command == command);
        of_command.map(|sample| sample.get(metric).unwrap()).collect()
    }

    pub(crate) fn walls(&self, command: u16) -> Vec<u64> {
        self.values(command, Metric::WALL)
    }
}

impl Feed for Script {
    type Error = &'static str;
    type Scene = u64;

    fn next(&mut self, _now_ns: u64) -> Next {
        self.trials.take().map_or(Next::Done, Next::Trials)
    }

    fn scene(&self, trial: &Trial) -> u64 {
        if self.scenes { u64::from(trial.block) / 5 } else { 0 }
    }

    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Self::Error> {
        self.entered.push((self.samples.len(), trial.block));
        Ok(())
    }

    fn sample(&mut self, sample: Sample) -> Result<(), Self::Error> {
        if self.samples.len() == self.full_after {
            return Err("the store is full");
        }
        self.samples.push(sample);
        if let Some((_, stopper)) = self.stop_after.as_ref().filter(|(after, _)| *after == self.samples.len())
        {
            stopper.stop();
        }
        Ok(())
    }

    fn evidence(&mut self, evidence: Evidence) -> Result<(), Self::Error> {
        panic!("nothing is published here: {evidence:?}")
    }

    fn landed(&mut self) -> Result<(), Self::Error> {
        self.landed.push(self.samples.len());
        Ok(())
    }
}

/// An executor on a simulated machine, with the machine's programs as commands.
pub(crate) fn executor(machine: Machine) -> Executor {
    let commands: Vec<Command> = machine.programs.iter().map(|program| command(&program.name)).collect();
    executor_of(machine, &commands).0
}

pub(crate) fn executor_of(machine: Machine, commands: &[Command]) -> (Executor, Stopper) {
    let mut stopper = None;
    let launch = |table: Table| -> Result<Box<dyn Launcher>, LaunchError> {
        let launcher = SimulatedLauncher::new(machine, table);
        stopper = Some(launcher.stopper());
        Ok(Box::new(launcher))
    };
    let executor = Executor::new(launch, commands, &Extra::default()).unwrap();
    (executor, stopper.unwrap())
}

pub(crate) fn execute(machine: Machine, trials: Vec<Trial>) -> Script {
    let mut script = Script::new(trials);
    assert_eq!(executor(machine).execute(&mut script).unwrap(), Stopped::Done);
    script
}

pub(crate) fn median(mut values: Vec<u64>) -> f64 {
    values.sort_unstable();
    values[values.len() / 2] as f64
}

pub(crate) fn noisy(name: &str, median_ns: f64) -> Behaviour {
    Behaviour::new(name, Times::noisy(median_ns, 0.02))
}

/// Checks the properties that samples have on every machine: each trial ends once, in order, after the trial before,
/// and is the requested one.
pub(crate) fn is_orderly(script: &Script, asked: &[Trial]) -> Result<(), TestCaseError> {
    prop_assert!(script.samples.len() <= asked.len());
    for (number, (sample, trial)) in script.samples.iter().zip(asked).enumerate() {
        prop_assert_eq!(sample.trial as usize, number);
        prop_assert_eq!(
            (sample.block, sample.command, sample.phase),
            (trial.block, trial.command, trial.phase)
        );
    }
    for two in script.samples.windows(2) {
        let wall_ns = two[0].get(Metric::WALL).unwrap_or(0);
        prop_assert!(two[1].started_ns >= two[0].started_ns + wall_ns, "two runs overlap: {two:?}");
    }
    prop_assert!(script.landed.is_sorted());
    let committed = script.landed.last().copied().unwrap_or(0);
    prop_assert_eq!(committed, script.samples.len(), "what landed is committed");
    Ok(())
}
