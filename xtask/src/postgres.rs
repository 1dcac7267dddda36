//! Runs the tests of the shared store, which start servers of PostgreSQL.

use std::path::Path;

use crate::cargo;
use crate::error::ChoreError;

/// Words of cargo that run all test programs called `server`, which two packages have. The whole workspace is named, so
/// that dependencies have the same features as in all other tests, and need not be compiled again.
const PROGRAMS: [&str; 4] = ["test", "--workspace", "--test", "server"];

/// Runs the tests of the shared store. A plain `cargo test` leaves them out, since a machine need not have PostgreSQL.
pub(crate) fn run() -> Result<(), ChoreError> {
    if !is_installed() {
        return Err(ChoreError::Skipped("PostgreSQL is not installed (apt-get install postgresql)"));
    }
    let status =
        cargo::cargo().args(PROGRAMS).arg("--no-fail-fast").status().map_err(ChoreError::at("cargo"))?;
    status.success().then_some(()).ok_or_else(|| ChoreError::Cargo(PROGRAMS.join(" ")))
}

/// Whether the programs of a PostgreSQL server are installed, which Debian does not put into PATH.
fn is_installed() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders = versions.map(|version| version.path().join("bin"));
    let others = ["/usr/pgsql/bin", "/usr/local/bin", "/usr/bin"];
    let has = |folder: &Path| folder.join("initdb").exists() && folder.join("postgres").exists();
    folders.any(|folder| has(&folder)) || others.iter().any(|folder| has(Path::new(folder)))
}
