//! Runs that failed.

use fauxplat_model::Outcome;

use super::Landed;
use crate::Failure;

/// A run that failed, as one line.
pub(super) fn failed_run(landed: Landed<'_>) -> Failure {
    let Landed { sample, command, .. } = landed;
    let how = match sample.outcome {
        Outcome::Exited(status) => format!("ended with status {status}"),
        Outcome::Signaled(signal) => format!("was ended by signal {signal}{}", signal_name(signal)),
        Outcome::TimedOut => "was still running at the time limit and was ended".to_owned(),
    };
    let hint = match command.condition.shell.is_used() || sample.outcome != Outcome::Exited(127) {
        true => "see its output with --show-output, or keep failed runs with --ignore-failure",
        false => "status 127 often means that a program was not found",
    };
    Failure::command(format!(
        "`{}` {how} (run {} of the experiment); {hint}",
        command.command,
        sample.trial + 1
    ))
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
        match ignored.is_strict() || self.0 >= FAILURES_MAX && self.0 * 10 > of {
            true => Err(failed_run(landed)),
            false => Ok(()),
        }
    }
}

/// Refuses the first failed run of a command whose failed runs are not asked to be kept.
///
/// # Errors
/// The run failed.
pub(super) fn must_succeed(landed: Landed<'_>) -> Result<(), Failure> {
    match landed.command.condition.ignore_failure.lets_pass(landed.sample.outcome) {
        true => Ok(()),
        false => Err(failed_run(landed)),
    }
}
