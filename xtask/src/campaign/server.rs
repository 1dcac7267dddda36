//! Tests of the shared store with larger numbers: many writers, a PostgreSQL server that is killed while they write,
//! and a huge experiment.

use crate::cargo;
use crate::error::ChoreError;

/// Number of experiments of each of the sixteen writers, and how often the server is killed meanwhile.
const EXPERIMENTS: u32 = 60;
const KILLS: u32 = 8;
/// Number of samples of each experiment, and of the huge one.
const SAMPLES: u32 = 200;
const HUGE: u32 = 100_000;

/// Runs the tests in release mode; they start and end their own server.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let kills = match words {
        [] => KILLS,
        ["--kills", kills] => kills.parse().map_err(|_| ChoreError::Usage(super::USAGE))?,
        _ => return Err(ChoreError::Usage(super::USAGE)),
    };
    let mut test = cargo::cargo();
    test.args([
        "test",
        "--release",
        "--quiet",
        "--package",
        "fauxplat-store",
        "--test",
        "server",
        "--",
        "--nocapture",
    ]);
    test.args(["writers::"]);
    for (name, value) in
        [("EXPERIMENTS", EXPERIMENTS), ("KILLS", kills), ("SAMPLES", SAMPLES), ("HUGE", HUGE)]
    {
        test.env(format!("FAUXPLAT_SERVER_{name}"), value.to_string());
    }
    let status = test.status().map_err(ChoreError::at("cargo"))?;
    status.success().then_some(()).ok_or_else(|| ChoreError::Cargo("test of the shared store".into()))
}
