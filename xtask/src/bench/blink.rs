//! CPU time and accuracy of the timing of `fauxplat-blink`.

use std::process::Command;

use serde_json::Value;

use super::{failed, fauxplat, latency, output, quartiles};
use crate::error::ChoreError;

/// Number of runs of each loop of `fauxplat-blink`, which take turns, and the length of a run.
const RUNS: &str = "7";
const LENGTH: &str = "10s";
/// Goal for the share of a CPU that the event loop takes.
const SHARE_MAX: f64 = 0.001;

/// Measures CPU time as the kernel counts it, and then how late edges of the light are, compared with `cyclictest`.
pub(super) fn run() -> Result<(), ChoreError> {
    let fauxplat = fauxplat()?;
    let blink = fauxplat.with_file_name("fauxplat-blink");
    let line = |way: &str| {
        format!("{} {way} --led sim:0 --halve sim:1 --max-time {LENGTH} --log nowhere", blink.display())
    };
    println!("a light at 2 Hz, {RUNS} runs of {LENGTH} of each loop, start and end included:");
    let mut run = Command::new(&fauxplat);
    run.args(["run", "--runs", RUNS, "--warmup", "0", "--store", "none", "--quiet", "--format", "json"]);
    run.args([line(""), line("--busy")]);
    let document: Value =
        serde_json::from_slice(&output(&mut run)?.stdout).map_err(|error| failed("report", &error))?;
    for (at, name) in ["event loop", "busy loop"].into_iter().enumerate() {
        let shares = shares(&document["commands"][at])?;
        let (low, middle, high) = quartiles(&shares);
        let goal = match (at, middle < SHARE_MAX) {
            (0, true) => "goal: below 0.1 %",
            (0, false) => "ABOVE THE GOAL of 0.1 %",
            _ => "",
        };
        let [low, middle, high] = [low, middle, high].map(|share| share * 100.0);
        println!("  {name:<12} {middle:.4} % of a CPU (quartiles {low:.4} … {high:.4})  {goal}");
    }
    latency::run(&["edge"])
}

/// CPU time of each run, as a share of its wall time.
fn shares(command: &Value) -> Result<Vec<f64>, ChoreError> {
    let share = |run: &Value| Some(run["cpu_ns"].as_f64()? / run["wall_ns"].as_f64()?);
    let runs = command["runs"].as_array().map_or(&[][..], Vec::as_slice);
    let shares: Vec<f64> = runs.iter().filter_map(share).collect();
    if shares.is_empty() { Err(failed("report", &"it has no runs")) } else { Ok(shares) }
}
