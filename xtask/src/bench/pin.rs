//! Cost of `--pin-threads`: how much longer a program takes if each of its threads is moved to a CPU when it starts.

use std::path::Path;
use std::process::Command;

use fauxplat_stats::draw::Draw;

use super::instrument::{Tool, median_in, round};
use super::{compile, fauxplat, interval_of_median, output, print_ratio, scratch};
use crate::error::ChoreError;

/// Number of threads of the program with many, and number of runs of each side in a turn.
const THREADS: u32 = 1000;
const RUNS: &str = "20";
/// Argument of the program `work`, which starts no thread: rounds of arithmetic that take about 10 ms.
const WORK: &str = "5000000";

/// Measures the cost of tracing alone: all threads stay on one CPU, placed either by inherited affinity or by tracing
/// the start of each. The programs start no thread, start a thousand threads, or only compute.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let fauxplat = fauxplat()?;
    let (births, work) = (compile("pin/births.c", &["-pthread"])?, compile("work.c", &[])?);
    let (none, many) = (format!("'{}' 0", births.display()), format!("'{}' {THREADS}", births.display()));
    let work = format!("'{}' {WORK}", work.display());
    let side = |name, command, words: [&'static str; 2]| {
        let fauxplat = &fauxplat;
        Tool::new(name, move || Ok((0.0, median_ns(fauxplat, command, words)?)))
    };
    let (inherited, traced) = (["--cpu", "0"], ["--pin-threads", "0"]);
    let mut sides = [
        side("none", &none, inherited),
        side("none traced", &none, traced),
        side("many", &many, inherited),
        side("many traced", &many, traced),
        side("many, the first traced", &many, ["--pin-threads", "once:0"]),
        side("work", &work, inherited),
        side("work traced", &work, traced),
    ];
    let mut draw = Draw::new(1, 0);
    for _ in 0..rounds {
        round(&mut sides, &mut draw)?;
    }
    report(&sides.map(|side| side.rounds.iter().map(|turn| turn.1).collect()), rounds);
    Ok(())
}

/// Median wall time of a program under a placement, in nanoseconds.
fn median_ns(fauxplat: &Path, subject: &str, words: [&str; 2]) -> Result<f64, ChoreError> {
    let report = scratch()?.join("report.json");
    let mut command = Command::new(fauxplat);
    command.arg("run").arg(subject).args(words);
    command.args(["--quiet", "-r", RUNS, "--store", "none", "--format", "hyperfine-json", "--output"]);
    output(command.arg(&report))?;
    median_in(&report)
}

fn report([none, none_traced, many, many_traced, once, work, work_traced]: &[Vec<f64>; 7], rounds: u32) {
    println!("On one CPU, {rounds} rounds of twice {RUNS} runs of each program, traced and not traced:");
    let less = |one: &[f64], other: &[f64], scale: f64| -> Vec<f64> {
        one.iter().zip(other).map(|(one, other)| (one - other) / 1e3 / scale).collect()
    };
    print_us("start of a thread, not traced", &less(many, none, f64::from(THREADS)));
    print_us("start of a thread, traced", &less(many_traced, none_traced, f64::from(THREADS)));
    print_us("start of a thread, only the first one traced", &less(once, none_traced, f64::from(THREADS)));
    print_us("tracing a program with a single thread", &less(none_traced, none, 1.0));
    let ratios = |one: &[f64], other: &[f64]| -> Vec<f64> {
        one.iter().zip(other).map(|(one, other)| one / other).collect()
    };
    print_ratio("a program that only computes, traced over not", &ratios(work_traced, work), "");
}

/// Prints a row of a table of times: the median with its 95 % interval.
fn print_us(name: &str, times_us: &[f64]) {
    let [from, middle, to] = interval_of_median(times_us);
    println!("  {name:<46} {middle:.1} µs  (95 % interval {from:.1} … {to:.1})");
}
