//! What the instrument costs, and how true its clock is.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{compile, failed, fauxplat, output, print_ratio, scratch};
use crate::error::ChoreError;

/// Runs of each tool in each round: about a second, so that all tools see the same machine and the start of a tool
/// weighs little.
const RUNS: u32 = 10_000;
/// `perf stat -r` takes ten times as long.
const PERF_RUNS: u32 = 1000;

/// One round: nanoseconds per run, and the median that the tool itself reports.
#[derive(Default)]
struct Rounds {
    cost: Vec<f64>,
    median: Vec<f64>,
}

/// In each round every tool runs the empty program; the ratios are taken within the round. `earlier` is the binary of
/// another build, which takes its turn.
pub(super) fn run(rounds: u32, earlier: Option<&Path>) -> Result<(), ChoreError> {
    let (fauxplat, bare) = (fauxplat()?, compile("instrument/bare.c", &[])?);
    let empty = compile("instrument/empty.c", &["-static", "-nostdlib", "-ffreestanding"])?;
    let peers = ["hyperfine", "perf"].map(installed);
    let [mut ours, mut unstored, mut hyperfine, mut perf, mut again] = [(); 5].map(|()| Rounds::default());
    let [mut older, mut newer] = [(); 2].map(|()| Rounds::default());
    for _ in 0..rounds {
        // The bare loop stands on both sides of fauxplat, so that a machine that speeds up or slows down favours none.
        let before = time_bare(&bare, &empty)?;
        let mine = time_fauxplat(&fauxplat, &empty, &scratch()?.join("store.sqlite"))?;
        let without = time_fauxplat(&fauxplat, &empty, Path::new("none"))?;
        let after = time_bare(&bare, &empty)?;
        let base = ((before.0 + after.0) / 2.0, (before.1 + after.1) / 2.0);
        push(&mut ours, mine, base);
        push(&mut unstored, without, base);
        push(&mut again, after, before);
        if let Some(earlier) = earlier {
            let theirs = time_fauxplat(earlier, &empty, Path::new("none"))?;
            push(&mut older, theirs, base);
            push(&mut newer, time_fauxplat(&fauxplat, &empty, Path::new("none"))?, theirs);
        }
        if peers[0] {
            push(&mut hyperfine, time_hyperfine(&empty)?, base);
        }
        if peers[1] {
            push(&mut perf, (time_perf(&empty)?, 0.0), base);
        }
    }
    println!(
        "An empty static program, {rounds} rounds of {RUNS} runs per tool, as ratios to a bare vfork loop in C"
    );
    println!("wall time per run, everything recorded (start and report of the tool included):");
    print_ratio("fauxplat run --store none", &unstored.cost, "goal: at most 1.12");
    print_ratio("fauxplat run, each sample stored", &ours.cost, "");
    print_ratio("the other build, --store none", &older.cost, "");
    print_ratio("this build over the other one", &newer.cost, "goal: at most 1");
    print_ratio("hyperfine -N", &hyperfine.cost, "");
    print_ratio("perf stat -r", &perf.cost, "");
    print_ratio("the bare loop, after over before", &again.cost, "");
    println!("median wall time that the tool reports:");
    print_ratio("fauxplat run", &ours.median, "goal: at most 1.05");
    print_ratio("hyperfine -N", &hyperfine.median, "");
    print_ratio("the bare loop, after over before", &again.median, "");
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
fn per_run(command: &mut Command, runs: u32) -> Result<f64, ChoreError> {
    let start = Instant::now();
    output(command.stdout(Stdio::null()))?;
    Ok(start.elapsed().as_nanos() as f64 / f64::from(runs))
}

fn time_fauxplat(fauxplat: &Path, empty: &Path, store: &Path) -> Result<(f64, f64), ChoreError> {
    let report = scratch()?.join("report.json");
    let mut command = Command::new(fauxplat);
    command.arg("run").arg(empty).args(["--quiet", "-r", &RUNS.to_string(), "--format", "hyperfine-json"]);
    command.arg("--output").arg(&report).arg("--store").arg(store);
    Ok((per_run(&mut command, RUNS)?, median_in(&report)?))
}

fn time_hyperfine(empty: &Path) -> Result<(f64, f64), ChoreError> {
    let report = scratch()?.join("hyperfine.json");
    let mut command = Command::new("hyperfine");
    command.args(["-N", "--style", "none", "-r", &RUNS.to_string(), "--export-json"]).arg(&report).arg(empty);
    Ok((per_run(&mut command, RUNS)?, median_in(&report)?))
}

/// Without hardware counters `perf stat` counts what is left; the cost is mostly its own fork and pipes.
fn time_perf(empty: &Path) -> Result<f64, ChoreError> {
    per_run(Command::new("perf").args(["stat", "-r", &PERF_RUNS.to_string()]).arg(empty), PERF_RUNS)
}

/// The median in a file of hyperfine's shape, in nanoseconds.
fn median_in(report: &Path) -> Result<f64, ChoreError> {
    let text =
        std::fs::read_to_string(report).map_err(|error| failed(&report.display().to_string(), &error))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| failed("report", &error))?;
    let median = value["results"][0]["median"].as_f64();
    median.map(|seconds| seconds * 1e9).ok_or_else(|| failed("report", &"it has no median"))
}
