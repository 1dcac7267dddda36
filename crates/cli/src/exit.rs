//! Exit codes, and the line that says why.

use fauxplat_experiment::{Failure, Kind};

use crate::output;

/// A gate that the user asked for did not hold.
const GATE: u8 = 1;
/// Bad usage or bad input.
pub(crate) const USAGE: u8 = 2;
/// The machine or its permissions do not allow it.
const MACHINE: u8 = 3;
/// The measured command failed.
const COMMAND: u8 = 4;
/// A bug in fauxplat.
pub(crate) const BUG: u8 = 70;

/// Prints the one line and gives the exit code. Whoever closed the pipe has read enough, and that is no failure.
pub(crate) fn tell(failure: &Failure) -> u8 {
    if failure.is_silent() {
        return 0;
    }
    failure.output().iter().for_each(|line| output::quote(line));
    output::complain(&failure.to_string());
    match failure.kind() {
        Kind::Gate => GATE,
        Kind::Usage => USAGE,
        Kind::Machine => MACHINE,
        Kind::Command => COMMAND,
        Kind::Bug => BUG,
    }
}
