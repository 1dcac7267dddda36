//! Runs of two benchmark programs that use a harness.

use std::time::Duration;

use fauxplat_experiment::steer::Standing;
use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Command, Order};

use super::listing::List;
use super::source::{Facts, Given, Source, Turn, failed, once, wall_s};
use super::{Asked, Desk};
use crate::harness::Chosen;

/// Number of pairs of each benchmark that the time limit should allow.
const PAIRS_WANTED: f64 = 100.0;

/// Ratio of the time that a harness takes for a benchmark to the time requested, since it first searches for a number
/// of iterations.
const WARMING: f64 = 2.0;

/// Shortest and longest time for a benchmark within a process, in seconds. More time would hardly reduce the noise,
/// since layout and placement of the process stay the same.
const TIME_S: (f64, f64) = (1e-3, 50e-3);

/// Time in nanoseconds that a benchmark takes in a process that runs it alone, long compared with the start of the
/// process.
const ALONE_NS: f64 = 50e6;

/// Maximum number of benchmarks that one process runs, since their names have to fit into a command line.
const CHOSEN_MAX: usize = 64;

/// The source of readings for two programs that use a harness.
pub(super) struct Harnessed<'a> {
    list: &'a List,
    desk: &'a Desk,
    /// The two programs with only the user's arguments.
    plain: [Command; 2],
    /// Time requested for each benchmark within a process.
    time: Duration,
}

impl<'a> Harnessed<'a> {
    /// A source whose programs are the two commands of the driver.
    pub(super) fn new(driver: &Driver, desk: &'a Desk, asked: &Asked, list: &'a List) -> Self {
        let plain = [driver.commands[0].clone(), driver.commands[1].clone()];
        let share_s = asked.max_time_s / (2.0 * WARMING * PAIRS_WANTED * list.common.len() as f64);
        let time = Duration::from_secs_f64(share_s.clamp(TIME_S.0, TIME_S.1));
        Harnessed { list, desk, plain, time }
    }
}

impl Source for Harnessed<'_> {
    fn facts(&self) -> Facts {
        let hash = |side: usize| self.plain[side].program_sha256.clone();
        let arguments = |side: usize| self.plain[side].argv.get(1..).map(<[String]>::to_vec);
        Facts {
            harness: self.list.harness.name(),
            programs: [0, 1].map(|side: usize| self.plain[side].command.clone()),
            are_same_file: hash(0).zip(hash(1)).map(|(a, b)| a == b && arguments(0) == arguments(1)),
            names: self.list.common.clone(),
            new: self.list.new.clone(),
            gone: self.list.gone.clone(),
        }
    }

    fn margins(&self) -> Vec<Option<f64>> {
        vec![None; self.list.common.len()]
    }

    fn overhead_s(&self) -> f64 {
        self.list.overhead_s
    }

    fn cost_s(&self) -> f64 {
        WARMING * self.time.as_secs_f64()
    }

    fn most(&self) -> Option<usize> {
        self.list.harness.can_choose().then_some(CHOSEN_MAX)
    }

    /// A harness warms a benchmark up before it measures, so that the previous process has no influence.
    fn order(&self) -> Order {
        Order::Ab
    }

    fn choose(&mut self, driver: &mut Driver, only: &[usize]) -> Result<(), Failure> {
        let only: Vec<String> = only.iter().map(|&at| self.list.common[at].clone()).collect();
        let words = |side: usize| {
            let plain = &self.plain[side];
            let chosen = Chosen { all: &self.list.all[side], only: &only };
            let asked = self.list.harness.run(&plain.argv[1..], chosen, self.time, &self.desk.results());
            let mut command = plain.clone();
            command.argv.extend(asked.arguments);
            command.condition.env_set.extend(asked.env);
            command
        };
        driver.commands = vec![words(0), words(1)];
        driver.replace_commands(&[])
    }

    fn run(&self, driver: &mut Driver, turn: Turn, standing: Standing) -> Result<Option<Given>, Failure> {
        self.desk.clear().map_err(Failure::machine)?;
        // Processes of a pair have the same setup, which is drawn for each block.
        let command = (turn.side as u16, driver.setup_of_block(turn.round));
        let Some(sample) = once(driver, turn, command, standing)? else { return Ok(None) };
        if let Some(failed) = failed(&sample, &driver.header.condition.ignore_failure) {
            return Ok(Some(failed));
        }
        let (output, wall_s) = (self.desk.output().map_err(Failure::machine)?, wall_s(&sample));
        Ok(Some(match self.list.harness.told(&output) {
            Ok(told) => Given::of(told, wall_s),
            Err(error) => Given { failed: Some(error.to_string()), wall_s, ..Given::default() },
        }))
    }

    fn alone(&self, at: usize, round_ns: Option<f64>) -> Option<[String; 2]> {
        if !self.list.count_rounds {
            return None;
        }
        let rounds = (ALONE_NS / round_ns?.max(1.0)).ceil() as u64;
        let line = |side: usize| {
            let (plain, all) = (&self.plain[side], &self.list.all[side]);
            let words = self.list.harness.alone(&plain.argv[1..], &self.list.common[at], all, rounds)?;
            Some(format!("{} {}", plain.command, shell_words::join(words)))
        };
        Some([line(0)?, line(1)?])
    }

    fn finish(&self, driver: &mut Driver) {
        driver.commands = self.plain.to_vec();
    }
}
