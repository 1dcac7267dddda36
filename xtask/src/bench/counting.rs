//! Cost of `--events` for a run: how much longer a program takes if the kernel counts its events.

use std::path::Path;
use std::process::Command;

use fauxplat_stats::draw::Draw;

use super::instrument::{Tool, Turn, installed, median_in, per_run, round};
use super::{compile, fauxplat, interval_of_median, print_ratio, scratch};
use crate::error::ChoreError;

/// Software events, which every machine has.
const EVENTS: &str = "task-clock,page-faults,context-switches,cpu-migrations";
/// Goal for the additional wall time of an empty program, in microseconds.
const GOAL_US: f64 = 8.0;
/// Argument of the program `work`: rounds of arithmetic that take about five milliseconds.
const WORK: &str = "4000000";

/// Measures runs with and without counting in turns, of an empty program and of one that works for some milliseconds.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let program = fauxplat()?;
    let empty = compile("instrument/empty.c", &["-static", "-nostdlib", "-ffreestanding"])?;
    let work = compile("work.c", &[])?;
    let work = format!("{} {WORK}", work.display());
    let perf = installed("perf");
    for (name, command, runs) in [("empty", &*empty.display().to_string(), 1000), ("work", &work, 60)] {
        let mut tools = vec![
            Tool::new("plain", || ours(&program, command, runs, &[])),
            Tool::new("counted", || ours(&program, command, runs, &["-e", EVENTS])),
        ];
        if perf {
            tools.push(Tool::new("perf", || perf_stat(command, runs.min(200))));
        }
        let mut draw = Draw::new(1, 0);
        for _ in 0..rounds {
            round(&mut tools, &mut draw)?;
        }
        report(name, &tools);
    }
    Ok(())
}

fn report(program: &str, tools: &[Tool]) {
    let of = |name: &str| tools.iter().find(|tool| tool.name == name).map_or(&[][..], |tool| &tool.rounds);
    let (plain, counted, perf) = (of("plain"), of("counted"), of("perf"));
    let ratios = |it: &[Turn], base: &[Turn], figure: fn(&Turn) -> f64| -> Vec<f64> {
        it.iter().zip(base).map(|(it, base)| figure(it) / figure(base)).collect()
    };
    let added = |figure: fn(&Turn) -> f64| -> Vec<f64> {
        counted.iter().zip(plain).map(|(it, base)| (figure(it) - figure(base)) / 1e3).collect()
    };
    let [low, middle, high] = interval_of_median(&plain.iter().map(|turn| turn.1 / 1e3).collect::<Vec<_>>());
    println!(
        "{program} program, {} rounds: its median run {middle:.1} µs ({low:.1} … {high:.1})",
        plain.len()
    );
    println!("counting {EVENTS}:");
    let goal = if program == "work" { "goal: at most 1.05" } else { "" };
    print_ratio("median run, counting over not counting", &ratios(counted, plain, |turn| turn.1), goal);
    let whole = ratios(counted, plain, |turn| turn.0);
    print_ratio("whole cost, counting over not counting", &whole, "");
    for (name, figure) in [("median run", (|turn| turn.1) as fn(&Turn) -> f64), ("whole cost", |turn| turn.0)]
    {
        let [low, middle, high] = interval_of_median(&added(figure));
        let goal = if program == "empty" { format!("  goal: at most {GOAL_US} µs") } else { String::new() };
        println!(
            "  {:<46} {middle:.1} µs  (95 % interval {low:.1} … {high:.1}){goal}",
            format!("added to the {name} by counting")
        );
    }
    print_ratio(
        "whole cost, fauxplat run over perf stat -r",
        &ratios(counted, perf, |turn| turn.0),
        "goal: below 1",
    );
    print_ratio(
        "median run, fauxplat run over perf stat -r",
        &ratios(counted, perf, |turn| turn.1),
        "goal: below 1",
    );
}

/// Whole cost of a run in nanoseconds, and the median that fauxplat reports.
fn ours(program: &Path, command: &str, runs: u32, words: &[&str]) -> Result<Turn, ChoreError> {
    let report = scratch()?.join("report.json");
    let mut whole = Command::new(program);
    whole.args(["run", command, "--quiet", "--store", "none", "-r", &runs.to_string()]);
    whole.args(words).args(["--format", "hyperfine-json", "--output"]).arg(&report);
    Ok((per_run(&mut whole, runs)?, median_in(&report)?))
}

/// Runs `perf stat` on the command, as the reference for both figures of [`ours`]; `perf stat` reports a mean, not a
/// median.
fn perf_stat(command: &str, runs: u32) -> Result<Turn, ChoreError> {
    let report = scratch()?.join("perf.csv");
    let mut whole = Command::new("perf");
    whole.args(["stat", "-x", ",", "-r", &runs.to_string(), "-e", &format!("duration_time,{EVENTS}"), "-o"]);
    whole.arg(&report).args(command.split(' '));
    let cost = per_run(&mut whole, runs)?;
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    let mean = text
        .lines()
        .find(|line| line.contains("duration_time"))
        .and_then(|line| line.split(',').next()?.parse().ok());
    Ok((cost, mean.unwrap_or(f64::NAN)))
}
