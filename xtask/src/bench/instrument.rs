//! Overhead of fauxplat as a measuring instrument and accuracy of its clock, compared with hyperfine and `perf stat`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use fauxplat_stats::draw::Draw;

use super::{compile, failed, fauxplat, interval_of_median, output, print_ratio, scratch};
use crate::error::ChoreError;

/// Runs of each tool in a turn: few enough that all turns of a round see the same machine, even where neighbours come
/// and go, and so many that the start of the tool, which is included, weighs little.
const RUNS: u32 = 2000;
/// Runs of `perf stat -r` in a turn; it takes ten times as long for a run.
const PERF_RUNS: u32 = 200;

/// Wall time of the tool per run, and the median run time that it reports itself, in nanoseconds.
pub(super) type Turn = (f64, f64);

/// A tool that runs a program many times, with the figures collected for it.
pub(super) struct Tool<'a> {
    pub(super) name: &'static str,
    turn: Box<dyn Fn() -> Result<Turn, ChoreError> + 'a>,
    /// For each round, the means of the figures of its two turns.
    pub(super) rounds: Vec<Turn>,
}

impl<'a> Tool<'a> {
    pub(super) fn new(name: &'static str, turn: impl Fn() -> Result<Turn, ChoreError> + 'a) -> Self {
        Tool { name, turn: Box::new(turn), rounds: Vec::new() }
    }
}

/// In each round every tool runs the empty program twice, once in a random order of the tools and once in the reverse
/// order, so that a machine that speeds up or slows down favours no tool; ratios are taken within a round. `earlier` is
/// the binary of another build of fauxplat, which is measured as one more tool.
pub(super) fn run(rounds: u32, earlier: Option<&Path>) -> Result<(), ChoreError> {
    let (fauxplat, bare) = (fauxplat()?, compile("instrument/bare.c", &[])?);
    let empty = compile("instrument/empty.c", &["-static", "-nostdlib", "-ffreestanding"])?;
    let (store, none) = (scratch()?.join("store.sqlite"), Path::new("none"));
    let mut tools = vec![
        Tool::new("bare", || time_bare(&bare, &empty)),
        Tool::new("ours", || time_fauxplat(&fauxplat, &empty, none)),
        Tool::new("stored", || time_fauxplat(&fauxplat, &empty, &store)),
    ];
    if let Some(earlier) = earlier {
        tools.push(Tool::new("earlier", || time_fauxplat(earlier, &empty, none)));
    }
    if installed("hyperfine") {
        tools.push(Tool::new("hyperfine", || time_hyperfine(&empty)));
    }
    if installed("perf") {
        tools.push(Tool::new("perf", || Ok((time_perf(&empty)?, f64::NAN))));
    }
    let mut draw = Draw::new(1, 0);
    for _ in 0..rounds {
        round(&mut tools, &mut draw)?;
    }
    report(&tools, rounds);
    Ok(())
}

pub(super) fn round(tools: &mut [Tool], draw: &mut Draw) -> Result<(), ChoreError> {
    let mut order: Vec<usize> = (0..tools.len()).collect();
    draw.shuffle(&mut order);
    let mut turns = vec![[(0.0, 0.0); 2]; tools.len()];
    for &tool in &order {
        turns[tool][0] = (tools[tool].turn)()?;
    }
    for &tool in order.iter().rev() {
        turns[tool][1] = (tools[tool].turn)()?;
    }
    for (tool, [first, second]) in tools.iter_mut().zip(turns) {
        tool.rounds.push(((first.0 + second.0) / 2.0, (first.1 + second.1) / 2.0));
    }
    Ok(())
}

fn report(tools: &[Tool], rounds: u32) {
    let of = |name: &str| tools.iter().find(|tool| tool.name == name).map_or(&[][..], |tool| &tool.rounds);
    let ratios = |name: &str, base: &str, of_turn: fn(&Turn) -> f64| -> Vec<f64> {
        of(name).iter().zip(of(base)).map(|(it, base)| of_turn(it) / of_turn(base)).collect()
    };
    let cost = |name: &str, base: &str| ratios(name, base, |turn| turn.0);
    let median = |name: &str| ratios(name, "bare", |turn| turn.1);
    println!(
        "An empty static program, {rounds} rounds of twice {RUNS} runs per tool, as ratios to a bare vfork loop in C"
    );
    println!("wall time per run, everything recorded (start and report of the tool included):");
    print_ratio("fauxplat run --store none", &cost("ours", "bare"), "goal: at most 1.12");
    print_ratio("fauxplat run, each sample stored", &cost("stored", "bare"), "");
    print_ratio("the earlier build, --store none", &cost("earlier", "bare"), "");
    print_ratio("this build over the earlier one", &cost("ours", "earlier"), "goal: at most 1");
    print_ratio("hyperfine -N", &cost("hyperfine", "bare"), "");
    print_ratio("perf stat -r", &cost("perf", "bare"), "");
    println!("median wall time that the tool reports:");
    print_ratio("fauxplat run", &median("ours"), "goal: at most 1.05");
    print_ratio("hyperfine -N", &median("hyperfine"), "");
    let per_run: Vec<f64> = of("bare").iter().map(|turn| turn.0 / 1e3).collect();
    let [low, middle, high] = interval_of_median(&per_run);
    println!("a run of the bare loop: {middle:.1} µs ({low:.1} … {high:.1})");
}

pub(super) fn installed(name: &str) -> bool {
    let found =
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("{name} is not installed: its ratios are left out");
    }
    found
}

/// Runs a bare loop of `vfork`, which prints its cost per run and its median, in nanoseconds.
fn time_bare(bare: &Path, empty: &Path) -> Result<(f64, f64), ChoreError> {
    let printed = output(Command::new(bare).arg(RUNS.to_string()).arg(empty))?.stdout;
    let text = String::from_utf8_lossy(&printed).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [cost, median] => Ok((cost, median)),
        _ => Err(failed("the bare loop", &"it did not print two numbers")),
    }
}

/// Wall time of a command divided by its number of runs, in nanoseconds.
pub(super) fn per_run(command: &mut Command, runs: u32) -> Result<f64, ChoreError> {
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

/// Without hardware counters, `perf stat` only counts software events; most of its cost is then its own fork and pipes.
fn time_perf(empty: &Path) -> Result<f64, ChoreError> {
    per_run(Command::new("perf").args(["stat", "-r", &PERF_RUNS.to_string()]).arg(empty), PERF_RUNS)
}

/// Median in a JSON file of hyperfine's format, in nanoseconds.
pub(super) fn median_in(report: &Path) -> Result<f64, ChoreError> {
    let text =
        std::fs::read_to_string(report).map_err(|error| failed(&report.display().to_string(), &error))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| failed("report", &error))?;
    let median = value["results"][0]["median"].as_f64();
    median.map(|seconds| seconds * 1e9).ok_or_else(|| failed("report", &"it has no median"))
}
