//! Counts of both programs in a simulator, function by function.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fauxplat_counters::cachegrind::{self, FunctionCounts};
use fauxplat_experiment::steer::{Landed, Steering, WarmUp};
use fauxplat_experiment::{Driver, Failure, Next, simulator};
use fauxplat_model::{Command, Outcome, Placement, SimulatedMachine};
use fauxplat_sys::workplace::Workplace;
use fauxplat_units::Nanos;

use crate::evidence::{Simulated, SimulatedFunction};

/// Maximum number of functions that are kept for each program.
const FUNCTIONS_MAX: usize = 4000;
/// Share of the available time below which a second simulated run of each program is made, to see whether its counts
/// repeat.
const TWICE_BELOW: f64 = 0.25;

/// Counts of a simulated run: of the whole program, and of each function.
struct Counted {
    sums: Vec<u64>,
    functions: Vec<FunctionCounts>,
}

/// Runs both commands in the simulator. A run that takes longer than the time left of `longest_ns` is ended.
///
/// # Errors
/// There is no simulator; it refuses a program; or a program fails in it, or takes too long.
pub(super) fn simulated(driver: &Driver, longest_ns: u64) -> Result<Simulated, Failure> {
    let begun_s = driver.elapsed_s();
    let (program, version) = simulator()?;
    let caches =
        SimulatedMachine::Classic.caches().ok_or_else(|| Failure::machine("no simulated machine"))?;
    let folder = Workplace::make("why", &std::env::temp_dir()).map_err(Failure::machine)?;
    let words = [vec![program], cachegrind::arguments(&caches, &version, folder.path())].concat();
    let run = |side: usize| {
        let left_ns = longest_ns.saturating_sub(((driver.elapsed_s() - begun_s) * 1e9) as u64);
        let limit = Nanos(left_ns.max(1_000_000));
        let command = wrapped(&driver.commands[side], &words, limit);
        cachegrind::clear(folder.path());
        driver.aside(&[command], &[], &mut Once { steering: WarmUp::new(1, 1), limit })?;
        let fail = |error: cachegrind::Uncounted| Failure::machine(error.to_string());
        let sums = cachegrind::collect(folder.path()).map_err(fail)?;
        Ok::<_, Failure>(Counted { sums, functions: cachegrind::functions(folder.path()).map_err(fail)? })
    };
    let first = [run(0)?, run(1)?];
    let took_ns = (driver.elapsed_s() - begun_s) * 1e9;
    let repeats_within = match took_ns < TWICE_BELOW * longest_ns as f64 {
        true => Some(change(&first[0], &run(0)?).max(change(&first[1], &run(1)?))),
        false => None,
    };
    let [a, b] = first;
    Ok(Simulated {
        names: cachegrind::names().map(str::to_owned).collect(),
        functions: together(&a.functions, &b.functions),
        counts: [&a, &b].map(|it| it.sums.iter().map(|&count| count as f64).collect()),
        repeats_within,
        machine: format!("cachegrind of {version}, {}", caches.told()),
    })
}

/// Steering of one run in the simulator.
struct Once {
    steering: WarmUp,
    /// Time after which the run is ended. The user's `--timeout` is meant for a run outside the simulator, and does not
    /// apply.
    limit: Nanos,
}

impl Steering for Once {
    fn next(&mut self, now_ns: u64) -> Next {
        self.steering.next(now_ns)
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        match landed.sample.outcome {
            Outcome::TimedOut => Err(Failure::command(format!(
                "a simulated run was ended after {}, its part of --max-time: give it more --max-time, or a smaller input",
                self.limit
            ))),
            _ => self.steering.sample(landed),
        }
    }
}

/// The command that runs this command in the simulator `words`, with a time limit.
fn wrapped(command: &Command, words: &[String], limit: Nanos) -> Command {
    let mut wrapped = command.clone();
    let own = command.argv.iter().skip(1).cloned();
    let program = command.program.display().to_string();
    wrapped.argv = words.iter().cloned().chain([program]).chain(own).collect();
    wrapped.program = PathBuf::from(&words[0]);
    wrapped.condition.timeout = Some(limit);
    wrapped.condition.cpu = Placement::Free;
    wrapped
}

/// Relative change of the number of instructions between two runs.
fn change(a: &Counted, b: &Counted) -> f64 {
    let [a, b] = [a, b].map(|it| it.sums.first().copied().unwrap_or(0) as f64);
    (a - b).abs() / a.max(1.0)
}

/// Functions of both programs, matched by name; only those with the most instructions are kept.
fn together(a: &[FunctionCounts], b: &[FunctionCounts]) -> Vec<SimulatedFunction> {
    let mut found: BTreeMap<&str, SimulatedFunction> = BTreeMap::new();
    for (side, functions) in [a, b].into_iter().enumerate() {
        for function in functions {
            let entry = found.entry(&function.name).or_insert_with(|| SimulatedFunction {
                name: function.name.clone(),
                counts: [vec![0.0; function.counts.len()], vec![0.0; function.counts.len()]],
                ..SimulatedFunction::default()
            });
            entry.file = (function.file != "???").then(|| function.file.clone());
            entry.line = function.line.or(entry.line);
            for (sum, &count) in entry.counts[side].iter_mut().zip(&function.counts) {
                *sum += count as f64;
            }
        }
    }
    let mut all: Vec<SimulatedFunction> = found.into_values().collect();
    let instructions =
        |it: &SimulatedFunction| it.counts.iter().filter_map(|counts| counts.first()).sum::<f64>();
    all.sort_by(|a, b| instructions(b).total_cmp(&instructions(a)));
    all.truncate(FUNCTIONS_MAX);
    all
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{Readings, Sample};

    use super::*;

    #[test]
    fn a_run_that_has_no_time_left_is_told_of_the_time_for_everything() {
        let told = |outcome| {
            let sample = Sample { outcome, ..Sample::of(Readings::none()) };
            let command = Command::default();
            let landed = Landed { sample: &sample, command: &command, all: &[] };
            let mut once = Once { steering: WarmUp::new(1, 1), limit: Nanos(12_000_000_000) };
            once.sample(landed).err().map(|failure| failure.to_string())
        };
        let late = told(Outcome::TimedOut).unwrap();
        assert!(late.contains("--max-time") && !late.contains("--timeout"), "{late}");
        assert!(told(Outcome::Exited(1)).unwrap().contains("status 1"));
        assert_eq!(told(Outcome::Exited(0)), None);
    }
}
