//! Lists the benchmarks of both programs, before any of them is measured.

use std::collections::HashSet;
use std::time::Duration;

use fauxplat_experiment::steer::how_it_ended;
use fauxplat_experiment::{Driver, Failure};
use fauxplat_launch::Capture;
use fauxplat_model::{Command, Outcome};
use fauxplat_sys::clock;

use super::{Asked, Desk};
use crate::error::SuiteError;
use crate::harness::{Harness, Output, names_of_all, of_help};

/// Time limit for a program to print its help, since a program that ignores `--help` may run everything instead.
const HELP_LIMIT: Duration = Duration::from_secs(10);

/// Context for running programs that list their benchmarks.
struct Asking<'a> {
    driver: &'a Driver,
    desk: &'a Desk,
    /// End of the time for the suite, in seconds on the driver's clock.
    end_s: f64,
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) harness: Box<dyn Harness>,
    /// Names of all benchmarks of each program.
    pub(super) all: [Vec<String>; 2],
    /// Names of benchmarks that both programs have and the filter matches, in the order of A.
    pub(super) common: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) gone: Vec<String>,
    /// Seconds that a process takes in addition to its benchmarks.
    pub(super) overhead_s: f64,
    /// Whether both programs accept a number of rounds.
    pub(super) count_rounds: bool,
}

/// Lists the benchmarks of both programs. `began_s` is the time at which the suite began, in seconds on the driver's
/// clock.
///
/// # Errors
/// Fails for an unknown harness, a program that fails or has no benchmarks, programs without a common benchmark, and if
/// the user interrupts.
pub(super) fn list(driver: &Driver, desk: &Desk, asked: &Asked, began_s: f64) -> Result<List, Failure> {
    let asking = Asking { driver, desk, end_s: began_s + asked.max_time_s };
    let [a, b] = driver.commands.as_slice() else {
        return Err(Failure::usage("a suite has two programs, A and B"));
    };
    let harness = match &asked.harness {
        Some(choice) => choice.harness().map_err(Failure::usage)?,
        None => asking.recognised(a)?,
    };
    let (of_a, a_s) = asking.names(harness.as_ref(), a)?;
    let (of_b, b_s) = asking.names(harness.as_ref(), b)?;
    let is_asked = |name: &&String| asked.filter.as_ref().is_none_or(|filter| filter.is_match(name));
    let has = |names: &[String]| names.iter().cloned().collect::<HashSet<String>>();
    let (in_a, in_b) = (has(&of_a), has(&of_b));
    let part = |names: &[String], keep: &dyn Fn(&String) -> bool| -> Vec<String> {
        names.iter().filter(is_asked).filter(|name| keep(name)).cloned().collect()
    };
    let common = part(&of_a, &|name| in_b.contains(name));
    let (gone, new) = (part(&of_a, &|name| !in_b.contains(name)), part(&of_b, &|name| !in_a.contains(name)));
    if common.is_empty() {
        return Err(match gone.is_empty() && new.is_empty() {
            true => {
                Failure::usage(SuiteError::NoBenchmarks(a.command.clone(), " that --filter lets through"))
            }
            false => Failure::usage(SuiteError::NothingInCommon(gone.len(), new.len())),
        });
    }
    let overhead_s = a_s.min(b_s).clamp(1e-3, 1.0);
    let count_rounds = match harness.rounds_in_help() {
        Some(words) => [a, b].into_iter().all(|side| asking.help(side).contains(words)),
        None => true,
    };
    Ok(List { harness, all: [of_a, of_b], common, new, gone, overhead_s, count_rounds })
}

impl Asking<'_> {
    /// Time limit for a program that lists its benchmarks, and the option that sets this limit.
    fn limit(&self, command: &Command) -> (Duration, &'static str) {
        let left = Duration::from_secs_f64((self.end_s - self.driver.elapsed_s()).max(0.0));
        let own = command.condition.timeout.map(|limit| Duration::from_nanos(limit.0));
        match own.filter(|own| *own < left) {
            Some(own) => (own, "--timeout"),
            None => (left, "--max-time"),
        }
    }

    /// Help text of a program; empty where there is none.
    fn help(&self, command: &Command) -> String {
        self.asked_for_help(command).unwrap_or_default()
    }

    fn asked_for_help(&self, command: &Command) -> Result<String, Failure> {
        let help = Capture {
            limit: Some(HELP_LIMIT.min(self.limit(command).0)),
            with_stderr: true,
            ..capture(command, &["--help".to_owned()], &[])
        };
        Ok(help.run()?.output.text().into_owned())
    }

    fn recognised(&self, command: &Command) -> Result<Box<dyn Harness>, Failure> {
        let help = self.asked_for_help(command)?;
        let not_recognised =
            || SuiteError::NotRecognised { program: command.command.clone(), known: names_of_all() };
        let unknown = || Failure::usage(not_recognised());
        of_help(&help).ok_or_else(unknown)?.harness().map_err(Failure::usage)
    }

    /// Names of a program's benchmarks, and the seconds that the process which listed them took.
    fn names(&self, harness: &dyn Harness, command: &Command) -> Result<(Vec<String>, f64), Failure> {
        self.desk.clear().map_err(Failure::machine)?;
        let words = harness.list(&command.argv[1..], &self.desk.results());
        let began_ns = clock::monotonic_ns();
        let (limit, option) = self.limit(command);
        let asked = Capture { limit: Some(limit), ..capture(command, &words.arguments, &words.env) };
        let done = asked.run()?;
        let seconds = (clock::monotonic_ns() - began_ns) as f64 / 1e9;
        let failed = |why: String| {
            Failure::command(format!("`{}` did not tell its benchmarks: {why}", command.command))
                .quoting(&done.errors.text())
        };
        match done.outcome {
            outcome if command.condition.ignore_failure.lets_pass(outcome) => {}
            Outcome::TimedOut => return Err(failed(format!("it took longer than {option} and was ended"))),
            outcome => return Err(failed(format!("it {}", how_it_ended(outcome)))),
        }
        let files = self.desk.files().map_err(Failure::machine)?;
        let output = Output { stdout: done.output.text().into_owned(), files };
        let names = harness.listed(&output).map_err(|error| failed(error.to_string()))?;
        match names.is_empty() {
            true => Err(Failure::usage(SuiteError::NoBenchmarks(command.command.clone(), ""))),
            false => Ok((names, seconds)),
        }
    }
}

/// A captured run of this command with further arguments and variables.
fn capture(command: &Command, words: &[String], env: &[String]) -> Capture {
    let condition = &command.condition;
    let variable =
        |text: &String| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    Capture {
        program: command.program.clone(),
        arguments: command.argv[1..].iter().chain(words).cloned().collect(),
        env: condition.env,
        env_set: condition.env_set.iter().chain(env).filter_map(variable).collect(),
        cwd: condition.cwd.clone(),
        stdin: condition.stdin.clone(),
        ends_leftovers: true,
        ..Capture::default()
    }
}
