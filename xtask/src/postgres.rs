//! The tests of the shared store, which start servers of PostgreSQL.

use std::path::Path;

use crate::cargo;
use crate::error::ChoreError;

/// Packages with such tests, in a test program of this name.
const PACKAGES: [&str; 2] = ["fauxplat-store", "fauxplat-cli"];
const PROGRAM: &str = "server";

/// Runs them all; a plain `cargo test` leaves them out, since a machine need not have a server.
pub(crate) fn run() -> Result<(), ChoreError> {
    if !is_installed() {
        return Err(ChoreError::Skipped("PostgreSQL is not installed (apt-get install postgresql)"));
    }
    PACKAGES.iter().try_for_each(|package| {
        let words = ["test", "--package", package, "--test", PROGRAM];
        let status = cargo::cargo().args(words).status().map_err(ChoreError::at("cargo"))?;
        status.success().then_some(()).ok_or_else(|| ChoreError::Cargo(words.join(" ")))
    })
}

/// Whether its programs are somewhere; Debian keeps them out of PATH.
fn is_installed() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders = versions.map(|version| version.path().join("bin"));
    let others = ["/usr/pgsql/bin", "/usr/local/bin", "/usr/bin"];
    let has = |folder: &Path| folder.join("initdb").exists() && folder.join("postgres").exists();
    folders.any(|folder| has(&folder)) || others.iter().any(|folder| has(Path::new(folder)))
}
