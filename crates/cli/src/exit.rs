//! Exit codes of the program, and the line that reports an error.

use fauxplat_experiment::{Failure, Kind};

use crate::output;

const GATE: u8 = 1;
/// Exit code of bad usage or bad input.
pub(crate) const USAGE: u8 = 2;
/// Exit code where the machine or its permissions do not allow the operation.
pub(crate) const MACHINE: u8 = 3;
/// Exit code where the measured command failed.
const COMMAND: u8 = 4;
/// Exit code of a measurement that was interrupted before its end: the code that a shell shows for a program ended by
/// SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;
pub(crate) const BUG: u8 = 70;

/// Prints what went wrong with a command line that was carried out, and returns the exit code. An interruption replaces
/// only 0, and is told where no other line tells it.
pub(crate) fn ended(done: &Result<(), Failure>, is_interrupted: bool) -> u8 {
    let failure = done.as_ref().err().filter(|failure| !failure.is_silent());
    // A failure with the code of an interruption says what was interrupted.
    if is_interrupted && failure.is_none_or(|failure| code(failure) != INTERRUPTED) {
        output::complain("interrupted, so not all that was asked for was done");
    }
    failure.map_or(if is_interrupted { INTERRUPTED } else { 0 }, tell)
}

/// Prints the error as a line and returns the exit code. A closed pipe of the report is no failure.
pub(crate) fn tell(failure: &Failure) -> u8 {
    if failure.is_silent() {
        return 0;
    }
    failure.earlier().iter().for_each(|line| output::complain(line));
    failure.output().iter().for_each(|line| output::quote(line));
    output::complain(&failure.to_string());
    code(failure)
}

fn code(failure: &Failure) -> u8 {
    let usual = match failure.kind() {
        Kind::Gate => GATE,
        Kind::Usage => USAGE,
        Kind::Machine => MACHINE,
        Kind::Command => COMMAND,
        Kind::Interrupted => INTERRUPTED,
        Kind::Bug => BUG,
    };
    failure.code().unwrap_or(usual)
}
