//! Handles runs that failed.

use fauxplat_model::{Outcome, Sample};
use fauxplat_sys::signal::{SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

use super::Landed;
use crate::Failure;

/// `SIGKILL`, see `signal(7)`.
const KILLED: u8 = 9;

/// Why a failed run ends the experiment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// A single failed run ends it, since failed runs are neither kept nor left out.
    Each,
    /// The number of failed runs is too large for that of blocks or runs (`unit`) so far, `of`.
    Many { failed: u32, of: u32, unit: &'static str },
    /// The latest runs of the command, of this number, all failed.
    Latest(usize),
    /// No run of the experiment has succeeded so far.
    All,
}

impl Reason {
    /// Words for the message, which follow the run.
    fn words(self, runs: usize) -> String {
        match self {
            Reason::Each => String::new(),
            Reason::Many { failed, of, unit } => format!(
                "; {failed} of {runs} runs failed, and {FAILURES_MAX} or more end the experiment where they are more than a tenth of its {unit} ({of} so far)"
            ),
            Reason::Latest(latest) => format!("; its latest {latest} runs all failed"),
            Reason::All => format!("; all {runs} runs failed"),
        }
    }

    /// Whether failed runs can be kept or left out by an option: there are others, and no such option was given.
    fn is_mended_by_options(self) -> bool {
        matches!(self, Reason::Each | Reason::Many { .. })
    }
}

pub(super) fn failed_run(landed: Landed<'_>, reason: Reason) -> Failure {
    let Landed { sample, command, all } = landed;
    let run = format!("(run {} of the experiment){}", sample.trial + 1, reason.words(all.len()));
    let how = how_it_ended(sample.outcome);
    if let Some(limit) =
        command.condition.limit.memory.filter(|_| sample.outcome == Outcome::Signaled(KILLED))
    {
        return Failure::command(format!(
            "`{}` {how} {run}: its memory is limited (--limit memory:{}), and so the kernel ends what needs more; allow it more, or see with `fauxplat limit` what it used",
            command.command, limit.0
        ));
    }
    let may_lack_a_program = !command.condition.shell.is_used() && sample.outcome == Outcome::Exited(127);
    let hint = match (may_lack_a_program, sample.outcome == Outcome::TimedOut) {
        (true, _) => "status 127 often means that a program was not found",
        (false, true) => "allow it more time",
        _ if matches!(sample.outcome, Outcome::Signaled(signal) if stops(signal)) => {
            "see what stops it; --timeout ends the wait for a command that stays stopped"
        }
        (false, false) => "see its output with --show-output",
    };
    let options = match reason.is_mended_by_options() && !may_lack_a_program {
        true => ", keep failed runs with --ignore-failure, or leave them out with --skip-failures",
        false => "",
    };
    Failure::command(format!("`{}` {how} {run}; {hint}{options}", command.command))
}

pub fn how_it_ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("ended with status {status}"),
        Outcome::Signaled(signal) if stops(signal) => format!(
            "was stopped by signal {signal}{}, and was ended since nothing continued it",
            signal_name(signal)
        ),
        Outcome::Signaled(signal) => format!("was ended by signal {signal}{}", signal_name(signal)),
        Outcome::TimedOut => "took longer than --timeout and was ended".to_owned(),
    }
}

/// Whether the signal stops a process, and never ends one; see `signal(7)`. Fauxplat ends a command that stays stopped.
fn stops(signal: u8) -> bool {
    [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].contains(&i32::from(signal))
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
        signal => match i32::from(signal) {
            SIGSTOP => " (SIGSTOP)",
            SIGTSTP => " (SIGTSTP)",
            SIGTTIN => " (SIGTTIN)",
            SIGTTOU => " (SIGTTOU)",
            _ => "",
        },
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
    /// Counts the run of a sample if it failed; `of` is the number of blocks or runs (`unit`) so far.
    ///
    /// # Errors
    /// Fails if there are too many failures.
    pub(super) fn count(&mut self, landed: Landed<'_>, of: u32, unit: &'static str) -> Result<(), Failure> {
        let ignored = &landed.command.condition.ignore_failure;
        if ignored.lets_pass(landed.sample.outcome) {
            return Ok(());
        }
        self.0 += 1;
        let is_many = self.0 >= FAILURES_MAX && self.0 * 10 > of;
        let reason = match ignored.are_left_out() {
            true => is_hopeless(landed).then_some(Reason::Latest(HOPELESS_FROM)),
            false if ignored.is_strict() => Some(Reason::Each),
            false => is_many.then_some(Reason::Many { failed: self.0, of, unit }),
        };
        reason.map_or(Ok(()), |reason| Err(failed_run(landed, reason)))
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
    let reason = match (ignored.lets_pass(landed.sample.outcome), ignored.are_left_out()) {
        (true, _) => None,
        (false, false) => Some(Reason::Each),
        (false, true) => is_hopeless(landed).then_some(Reason::Latest(HOPELESS_FROM)),
    };
    reason.map_or(Ok(()), |reason| Err(failed_run(landed, reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_stops_is_no_end_by_itself() {
        let told = how_it_ended(Outcome::Signaled(SIGSTOP as u8));
        assert!(told.starts_with("was stopped by signal ") && told.contains("(SIGSTOP)"), "{told}");
        assert_eq!(how_it_ended(Outcome::Signaled(9)), "was ended by signal 9 (SIGKILL)");
        assert!(how_it_ended(Outcome::TimedOut).contains("--timeout"));
    }
}
