//! Plain commands as benchmarks: each process is one run of a command.

use fauxplat_experiment::steer::Standing;
use fauxplat_experiment::{Driver, Failure, Kind};
use fauxplat_model::{Command, Metric, Order, PLAIN_COMMANDS, Unit as MetricUnit};

use super::source::{Facts, Given, Source, Turn, failed, once, wall_s};
use crate::file::Benchmark;
use crate::harness::Unit;

/// Assumed duration of a command in seconds, before it first runs.
const COST_S: f64 = 0.01;

/// The source of readings for plain commands. The driver's commands are those of A and B of the first benchmark, then
/// of the second, and so on.
pub(super) struct Plain<'a> {
    benchmarks: &'a [Benchmark],
    programs: [String; 2],
    are_same_file: Option<bool>,
    /// Index of the benchmark to run next.
    at: usize,
}

impl<'a> Plain<'a> {
    /// A source of the driver's commands; `programs` are the names of the two sides.
    pub(super) fn new(driver: &Driver, benchmarks: &'a [Benchmark], programs: [String; 2]) -> Self {
        let is_same = |pair: &[Command]| {
            let hashes = pair[0].program_sha256.as_ref().zip(pair[1].program_sha256.as_ref());
            hashes.map(|(a, b)| a == b && pair[0].argv.get(1..) == pair[1].argv.get(1..))
        };
        let pairs: Option<Vec<bool>> = driver.commands.chunks_exact(2).map(is_same).collect();
        let are_same_file = pairs.map(|pairs| pairs.into_iter().all(|is_same| is_same));
        Plain { benchmarks, programs, are_same_file, at: 0 }
    }
}

impl Source for Plain<'_> {
    fn facts(&self) -> Facts {
        Facts {
            harness: PLAIN_COMMANDS.to_owned(),
            programs: self.programs.clone(),
            are_same_file: self.are_same_file,
            names: self.benchmarks.iter().map(|it| it.name.clone()).collect(),
            new: Vec::new(),
            gone: Vec::new(),
        }
    }

    fn margins(&self) -> Vec<Option<f64>> {
        self.benchmarks.iter().map(|it| it.margin).collect()
    }

    fn metric(&self, at: usize) -> Option<Metric> {
        Some(self.benchmarks[at].metric).filter(|metric| *metric != Metric::WALL)
    }

    fn overhead_s(&self) -> f64 {
        0.0
    }

    fn cost_s(&self) -> f64 {
        COST_S
    }

    fn most(&self) -> Option<usize> {
        Some(1)
    }

    /// The time of a whole run includes the effects of the previous run, such as a cold page cache or a full disk.
    fn order(&self) -> Order {
        Order::Aabb
    }

    fn choose(&mut self, _: &mut Driver, only: &[usize]) -> Result<(), Failure> {
        self.at = only.first().copied().unwrap_or(0);
        Ok(())
    }

    fn run(&self, driver: &mut Driver, turn: Turn, standing: Standing) -> Result<Option<Given>, Failure> {
        let benchmark = &self.benchmarks[self.at];
        let command = (2 * self.at + turn.side) as u16;
        // All runs of a round have the same setup, which is drawn for each block.
        let round = turn.round * self.benchmarks.len() as u32 + self.at as u32;
        let (turn, setup) = (Turn { round, ..turn }, driver.setup_of_block(round));
        let landed = match once(driver, turn, (command, setup), standing) {
            // A failed `prepare` or `conclude` is one of this benchmark, as a failed run is, and no end of the others.
            Err(failure) if failure.kind() == Kind::Command => {
                return Ok(Some(Given { failed: Some(failure.to_string()), ..Given::default() }));
            }
            landed => landed?,
        };
        let Some(sample) = landed else { return Ok(None) };
        if let Some(failed) = failed(&sample, &driver.header.condition.ignore_failure) {
            return Ok(Some(failed));
        }
        let mut given = Given { wall_s: wall_s(&sample), ..Given::default() };
        match sample.get(benchmark.metric) {
            Some(value) => {
                given.readings.insert(benchmark.name.clone(), (value as f64, unit_of(benchmark.metric)));
            }
            None => {
                let why = format!("its {} could not be read here", benchmark.metric.title());
                given.missing.insert(benchmark.name.clone(), why);
            }
        }
        Ok(Some(given))
    }

    fn alone(&self, at: usize, _round_ns: Option<f64>) -> Option<[String; 2]> {
        let benchmark = &self.benchmarks[at];
        // `fauxplat why` explains differences of wall time only.
        (benchmark.metric == Metric::WALL)
            .then(|| benchmark.sides.each_ref().map(|side| side.command.clone()))
    }

    fn finish(&self, _: &mut Driver) {}
}

fn unit_of(metric: Metric) -> Unit {
    match metric.unit() {
        MetricUnit::Nanos => Unit::Ns,
        MetricUnit::Bytes => Unit::Other("B".to_owned()),
        _ => Unit::Other(metric.name().to_owned()),
    }
}
