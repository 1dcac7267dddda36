//! Opens flame graphs and exported profiles in the tools for which they are meant: a browser, speedscope, the Firefox
//! Profiler, pprof.
#![expect(clippy::disallowed_methods, reason = "a chore starts programs and measures nothing")]

use std::process::Command;

use crate::cargo;
use crate::error::ChoreError;

/// Exit code of `viewers/check` if no viewer is installed.
const CANNOT: i32 = 77;

/// Builds fauxplat, and opens files that it writes in all installed viewers.
pub(crate) fn run() -> Result<(), ChoreError> {
    let script = cargo::root().join("viewers/check");
    let status = Command::new(&script).arg(cargo::build_release()?).status();
    match status.map_err(ChoreError::at(&script))?.code() {
        Some(0) => Ok(()),
        Some(CANNOT) => Err(ChoreError::Skipped("no program is installed that opens such files")),
        _ => Err(ChoreError::Bench("a file was not read as it should be; what was seen stands above".into())),
    }
}
