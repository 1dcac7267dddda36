//! Runs that failed.

use fauxplat_model::{Outcome, Sample};

use super::Landed;
use crate::Failure;

/// A run that failed, as one line.
pub(super) fn failed_run(landed: Landed<'_>) -> Failure {
    let Landed { sample, command, .. } = landed;
    let how = how_it_ended(sample.outcome);
    let hint = match command.condition.shell.is_used() || sample.outcome != Outcome::Exited(127) {
        true => {
            "see its output with --show-output, keep failed runs with --ignore-failure, or leave them out with --skip-failures"
        }
        false => "status 127 often means that a program was not found",
    };
    Failure::command(format!(
        "`{}` {how} (run {} of the experiment); {hint}",
        command.command,
        sample.trial + 1
    ))
}

/// How a run ended that did not succeed.
pub(crate) fn how_it_ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("ended with status {status}"),
        Outcome::Signaled(signal) => format!("was ended by signal {signal}{}", signal_name(signal)),
        Outcome::TimedOut => "was still running at the time limit and was ended".to_owned(),
    }
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

/// So many failed runs, if they are also a tenth of all, are not an accident.
const FAILURES_MAX: u32 = 3;

/// So many runs of a command without one that succeeds will not be followed by one.
pub(crate) const HOPELESS_FROM: usize = 10;

/// Failures of commands whose failed runs are not asked to be kept.
#[derive(Debug, Default)]
pub(super) struct Failures(u32);

impl Failures {
    /// Counts a sample among so many (runs or blocks) so far.
    ///
    /// # Errors
    /// There are too many of them.
    pub(super) fn count(&mut self, landed: Landed<'_>, of: u32) -> Result<(), Failure> {
        let ignored = &landed.command.condition.ignore_failure;
        if ignored.lets_pass(landed.sample.outcome) {
            return Ok(());
        }
        self.0 += 1;
        let too_many = match ignored.are_left_out() {
            true => is_hopeless(landed),
            false => ignored.is_strict() || self.0 >= FAILURES_MAX && self.0 * 10 > of,
        };
        if too_many { Err(failed_run(landed)) } else { Ok(()) }
    }
}

/// Whether the latest runs of this command all failed.
fn is_hopeless(landed: Landed<'_>) -> bool {
    let of_this = |sample: &&Sample| sample.command == landed.sample.command;
    let latest = landed.all.iter().rev().filter(of_this).take(HOPELESS_FROM);
    latest.filter(|sample| !sample.outcome.is_success()).count() == HOPELESS_FROM
}

/// Refuses the first failed run of a command whose failed runs are asked neither to be kept nor to be left out.
///
/// # Errors
/// The run failed.
pub(super) fn must_succeed(landed: Landed<'_>) -> Result<(), Failure> {
    let ignored = &landed.command.condition.ignore_failure;
    match ignored.lets_pass(landed.sample.outcome) || ignored.are_left_out() && !is_hopeless(landed) {
        true => Ok(()),
        false => Err(failed_run(landed)),
    }
}
