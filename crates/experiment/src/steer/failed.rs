//! Handles runs that failed.

use fauxplat_model::{Outcome, Sample};

use super::Landed;
use crate::Failure;

/// `SIGKILL`, see `signal(7)`.
const KILLED: u8 = 9;

pub(super) fn failed_run(landed: Landed<'_>) -> Failure {
    let Landed { sample, command, .. } = landed;
    let how = how_it_ended(sample.outcome);
    if let Some(limit) =
        command.condition.limit.memory.filter(|_| sample.outcome == Outcome::Signaled(KILLED))
    {
        return Failure::command(format!(
            "`{}` {how} (run {} of the experiment): its memory is limited (--limit memory:{}), and so the kernel ends what needs more; allow it more, or see with `fauxplat limit` what it used",
            command.command,
            sample.trial + 1,
            limit.0
        ));
    }
    let may_lack_a_program = !command.condition.shell.is_used() && sample.outcome == Outcome::Exited(127);
    let hint = match may_lack_a_program {
        false if sample.outcome == Outcome::TimedOut => {
            "allow it more time, keep failed runs with --ignore-failure, or leave them out with --skip-failures"
        }
        false => {
            "see its output with --show-output, keep failed runs with --ignore-failure, or leave them out with --skip-failures"
        }
        true => "status 127 often means that a program was not found",
    };
    Failure::command(format!(
        "`{}` {how} (run {} of the experiment); {hint}",
        command.command,
        sample.trial + 1
    ))
}

pub fn how_it_ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("ended with status {status}"),
        Outcome::Signaled(signal) => format!("was ended by signal {signal}{}", signal_name(signal)),
        Outcome::TimedOut => "took longer than --timeout and was ended".to_owned(),
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

/// Number of failed runs from which on failures end the experiment, if they are also more than a tenth of all runs, or
/// in a comparison more than a tenth of the number of blocks.
const FAILURES_MAX: u32 = 3;

/// Number of successive failed runs of a command after which no success is expected.
pub const HOPELESS_FROM: usize = 10;

/// Number of failed runs so far of commands whose failures are not ignored.
#[derive(Debug, Default)]
pub(super) struct Failures(u32);

impl Failures {
    /// Counts the run of a sample if it failed; `of` is the number of runs or blocks so far.
    ///
    /// # Errors
    /// Fails if there are too many failures.
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

fn is_hopeless(landed: Landed<'_>) -> bool {
    let of_this = |sample: &&Sample| sample.command == landed.sample.command;
    let latest = landed.all.iter().rev().filter(of_this).take(HOPELESS_FROM);
    latest.filter(|sample| !sample.outcome.is_success()).count() == HOPELESS_FROM
}

/// Fails at the first failed run of a command whose failed runs are neither kept nor left out, and at the last of
/// [`HOPELESS_FROM`] successive failed runs of a command whose failed runs are left out.
///
/// # Errors
/// Fails in these two cases.
pub(super) fn must_succeed(landed: Landed<'_>) -> Result<(), Failure> {
    let ignored = &landed.command.condition.ignore_failure;
    match ignored.lets_pass(landed.sample.outcome) || ignored.are_left_out() && !is_hopeless(landed) {
        true => Ok(()),
        false => Err(failed_run(landed)),
    }
}
