//! Cost of watching a counter that a program publishes, for that program.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{failed, fauxplat, output, print_ratio, scratch};
use crate::error::ChoreError;

/// Number of additions to the counter in a run, which take some tenths of a second, so that each run has several
/// readings.
const ADDITIONS: &str = "12000000";

/// Wall and CPU time of a run, in nanoseconds.
type Times = (f64, f64);

/// In each round, measures a run whose counter is watched between two runs whose counter is not.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let (fauxplat, publisher) = (fauxplat()?, crate::cargo::build_example("fauxplat-table", "publish")?);
    let file = format!("/dev/shm/fauxplat-bench-counters-{}", std::process::id());
    let command = format!("{} {file} {ADDITIONS}", publisher.display());
    let table = format!("additions={file}:1.0");
    let (mut wall, mut cpu, mut wall_again, mut cpu_again) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rounds {
        let before = time(&fauxplat, &command, &[])?;
        let watched = time(&fauxplat, &command, &["--table", &table])?;
        let after = time(&fauxplat, &command, &[])?;
        wall.push(2.0 * watched.0 / (before.0 + after.0));
        cpu.push(2.0 * watched.1 / (before.1 + after.1));
        wall_again.push(after.0 / before.0);
        cpu_again.push(after.1 / before.1);
    }
    // The file occupies memory (tmpfs), so it is removed as soon as the rounds are over.
    let _ = std::fs::remove_file(file);
    println!(
        "A program that adds to a counter all the time, {rounds} rounds, as ratios to its unwatched runs"
    );
    print_ratio("wall time, watched every 100 ms", &wall, "goal: within ±2 %");
    print_ratio("CPU time, watched every 100 ms", &cpu, "");
    print_ratio("wall time, second over first unwatched run", &wall_again, "");
    print_ratio("CPU time, second over first unwatched run", &cpu_again, "");
    Ok(())
}

fn time(fauxplat: &Path, command: &str, more: &[&str]) -> Result<Times, ChoreError> {
    let report = scratch()?.join("counters.json");
    let mut run = Command::new(fauxplat);
    run.args(["run", command, "--quiet", "-r", "1", "--store", "none", "--format", "json"]).args(more);
    output(run.arg("--output").arg(&report).stdout(Stdio::null()))?;
    let text = std::fs::read_to_string(&report).map_err(|error| failed("report", &error))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| failed("report", &error))?;
    let run = &value["commands"][0]["runs"][0];
    let of = |field: &str| run[field].as_f64().ok_or_else(|| failed("report", &format!("no {field}")));
    Ok((of("wall_ns")?, of("cpu_ns")?))
}
