//! Cost of a mark of a region, for the program that executes the mark.

use std::path::Path;
use std::process::Command;

use fauxplat_stats::draw::Draw;

use super::instrument::{Tool, round};
use super::{compile, fauxplat, interval_of_median, output};
use crate::error::ChoreError;

/// Number of marks in a turn: half of these begin a region, and the others end it.
const MARKS: &str = "400000";
/// Goals for the cost of a mark in nanoseconds: without counters, and with counters.
const GOALS_NS: [f64; 2] = [100.0, 2000.0];

/// Measures marks in turns: without fauxplat, with fauxplat, and with fauxplat and counters.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let include = crate::cargo::root().join("lib/region/include");
    let options = ["-pthread".to_owned(), format!("-I{}", include.display())];
    let marked = compile("../lib/region/examples/marked.c", &options.each_ref().map(String::as_str))?;
    let program = fauxplat()?;
    let counted = |events: &'static [&'static str]| {
        let (program, marked) = (&program, &marked);
        move || within(program, marked, events)
    };
    let mut tools = vec![
        Tool::new("without fauxplat", || figure(Command::new(&marked).args(["cost", MARKS]))),
        Tool::new("--region", counted(&[])),
        Tool::new("--region, one software event", counted(&["-e", "page-faults"])),
        Tool::new(
            "--region, four software events",
            counted(&["-e", "page-faults,context-switches,cpu-migrations,minor-faults"]),
        ),
        Tool::new(
            "--region, three events and a clock",
            counted(&["-e", "page-faults,context-switches,cpu-migrations,task-clock"]),
        ),
    ];
    let mut draw = Draw::new(1, 0);
    for _ in 0..rounds {
        round(&mut tools, &mut draw)?;
    }
    println!("a mark of a region, {rounds} rounds of two turns of {MARKS} marks each:");
    for tool in &tools {
        let of_rounds: Vec<f64> = tool.rounds.iter().map(|turn| turn.0).collect();
        let [low, middle, high] = interval_of_median(&of_rounds);
        let goal = GOALS_NS[usize::from(tool.name.contains("event") || tool.name.contains("clock"))];
        println!(
            "  {:<36} {middle:7.1} ns  (95 % interval {low:.1} … {high:.1})  goal: below {goal:.0} ns",
            tool.name
        );
    }
    Ok(())
}

fn within(program: &Path, marked: &Path, events: &[&str]) -> Result<(f64, f64), ChoreError> {
    let mut command = Command::new(program);
    command.args(["run", "--quiet", "--store", "none", "-r", "1", "--show-output", "--region", "parse"]);
    figure(command.args(events).arg(format!("{} cost {MARKS}", marked.display())))
}

/// Nanoseconds per mark that the program prints, twice.
fn figure(command: &mut Command) -> Result<(f64, f64), ChoreError> {
    let printed = String::from_utf8_lossy(&output(command)?.stdout).into_owned();
    let number = printed.lines().find_map(|line| line.strip_suffix(" ns per mark")?.parse().ok());
    let ns: f64 = number.ok_or_else(|| super::failed("the program that marks", &printed))?;
    Ok((ns, ns))
}
