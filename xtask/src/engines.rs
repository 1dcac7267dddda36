//! Checks that the engines of `fleet` accept what it writes for them: by the published schemas of Kubernetes, and by
//! Ansible itself.
#![expect(clippy::disallowed_methods, reason = "a chore starts programs and measures nothing")]

use std::process::Command;

use crate::cargo;
use crate::error::ChoreError;

/// Exit code of `benches/fleet/engines` if no engine is available.
const CANNOT: i32 = 77;

/// Builds fauxplat, or takes the binary at the given path, and lets the engines read its output.
pub(crate) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let program = match words {
        [path] => std::path::PathBuf::from(path),
        _ => cargo::build_release()?,
    };
    let script = cargo::root().join("benches/fleet/engines");
    let status = Command::new(&script).arg(program).status();
    match status.map_err(ChoreError::at(&script))?.code() {
        Some(0) => Ok(()),
        Some(CANNOT) => Err(ChoreError::Skipped("the programs that would take it cannot be had")),
        _ => Err(ChoreError::Bench("an engine did not take it; what was seen stands above".into())),
    }
}
