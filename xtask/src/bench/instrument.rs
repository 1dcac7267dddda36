//! What the instrument costs, and how true its clock is.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{compile, failed, fauxplat, output, print_ratio, scratch};
use crate::error::ChoreError;

/// Runs of each tool in each round: some tenths of a second, so that all tools see the same machine.
const RUNS: u32 = 4000;

/// One round: nanoseconds per run, and the median that the tool itself reports.
#[derive(Default)]
struct Rounds {
    cost: Vec<f64>,
    median: Vec<f64>,
}

/// In each round every tool runs the empty program; the ratios are taken within the round.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let (fauxplat, bare) = (fauxplat()?, compile("instrument/bare.c", &[])?);
    let empty = compile("instrument/empty.c", &["-static", "-nostdlib", "-ffreestanding"])?;
    let peers = ["hyperfine", "perf"].map(installed);
    let [mut ours, mut hyperfine, mut perf, mut again] = [(); 4].map(|()| Rounds::default());
    for _ in 0..rounds {
        let base = time_bare(&bare, &empty)?;
        push(&mut ours, time_fauxplat(&fauxplat, &empty)?, base);
        if peers[0] {
            push(&mut hyperfine, time_hyperfine(&empty)?, base);
        }
        if peers[1] {
            push(&mut perf, (time_perf(&empty)?, 0.0), base);
        }
        push(&mut again, time_bare(&bare, &empty)?, base);
    }
    println!(
        "An empty static program, {rounds} rounds of {RUNS} runs per tool, as ratios to a bare vfork loop in C"
    );
    println!("wall time per run, everything recorded and stored (start and report of the tool included):");
    print_ratio("fauxplat run", &ours.cost, "goal: at most 1.12");
    print_ratio("hyperfine -N", &hyperfine.cost, "");
    print_ratio("perf stat -r", &perf.cost, "");
    print_ratio("the bare loop again (the noise of this bench)", &again.cost, "");
    println!("median wall time that the tool reports:");
    print_ratio("fauxplat run", &ours.median, "goal: at most 1.05");
    print_ratio("hyperfine -N", &hyperfine.median, "");
    print_ratio("the bare loop again (the noise of this bench)", &again.median, "");
    Ok(())
}

fn push(rounds: &mut Rounds, (cost, median): (f64, f64), (base_cost, base_median): (f64, f64)) {
    rounds.cost.push(cost / base_cost);
    rounds.median.push(median / base_median);
}

fn installed(name: &str) -> bool {
    let found =
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("{name} is not installed: its ratios are left out");
    }
    found
}

/// The loop measures itself.
fn time_bare(bare: &Path, empty: &Path) -> Result<(f64, f64), ChoreError> {
    let printed = output(Command::new(bare).arg(RUNS.to_string()).arg(empty))?.stdout;
    let text = String::from_utf8_lossy(&printed).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [cost, median] => Ok((cost, median)),
        _ => Err(failed("the bare loop", &"it did not print two numbers")),
    }
}

/// Wall time of a whole command, per run.
fn per_run(command: &mut Command) -> Result<f64, ChoreError> {
    let start = Instant::now();
    output(command.stdout(Stdio::null()))?;
    Ok(start.elapsed().as_nanos() as f64 / f64::from(RUNS))
}

fn time_fauxplat(fauxplat: &Path, empty: &Path) -> Result<(f64, f64), ChoreError> {
    let (report, store) = (scratch()?.join("report.json"), scratch()?.join("store.sqlite"));
    let _ = std::fs::remove_file(&store);
    let mut command = Command::new(fauxplat);
    command.arg("run").arg(empty).args(["--quiet", "-r", &RUNS.to_string(), "--format", "hyperfine-json"]);
    command.arg("--output").arg(&report).arg("--store").arg(&store);
    Ok((per_run(&mut command)?, median_in(&report)?))
}

fn time_hyperfine(empty: &Path) -> Result<(f64, f64), ChoreError> {
    let report = scratch()?.join("hyperfine.json");
    let mut command = Command::new("hyperfine");
    command.args(["-N", "--style", "none", "-r", &RUNS.to_string(), "--export-json"]).arg(&report).arg(empty);
    Ok((per_run(&mut command)?, median_in(&report)?))
}

/// Without hardware counters `perf stat` counts what is left; the cost is mostly its own fork and pipes.
fn time_perf(empty: &Path) -> Result<f64, ChoreError> {
    per_run(Command::new("perf").args(["stat", "-r", &RUNS.to_string()]).arg(empty))
}

/// The median in a file of hyperfine's shape, in nanoseconds.
fn median_in(report: &Path) -> Result<f64, ChoreError> {
    let text =
        std::fs::read_to_string(report).map_err(|error| failed(&report.display().to_string(), &error))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| failed("report", &error))?;
    let median = value["results"][0]["median"].as_f64();
    median.map(|seconds| seconds * 1e9).ok_or_else(|| failed("report", &"it has no median"))
}
