//! Time that an examination of the machine takes, and cost of the warnings that precede every experiment.

use std::process::Command;
use std::time::Instant;

use super::{failed, fauxplat, output, quartiles};
use crate::cargo;
use crate::error::ChoreError;

/// Number of runs of each of [`KINDS`].
const ROUNDS: usize = 20;
const GOAL_MS: f64 = 300.0;
const WARNINGS_GOAL_US: f64 = 2000.0;

/// Names and arguments of the commands to time, which take turns so that all see the same machine.
const KINDS: [(&str, &[&str]); 4] = [
    ("doctor, interval 100 ms (the default)", &["doctor"]),
    ("doctor --all --format json, interval 100 ms", &["doctor", "--all", "--format", "json"]),
    ("doctor --interval 1ms: all but the waiting", &["doctor", "--interval", "1ms"]),
    ("fauxplat --version: the start alone", &["--version"]),
];

pub(super) fn run() -> Result<(), ChoreError> {
    let fauxplat = fauxplat()?;
    let mut times_ms = [const { Vec::new() }; KINDS.len()];
    for _ in 0..ROUNDS {
        for ((_, words), times_ms) in KINDS.iter().zip(&mut times_ms) {
            let started = Instant::now();
            output(Command::new(&fauxplat).args(*words))?;
            times_ms.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    println!("Time of a look at this machine, {ROUNDS} runs of each kind in turns; goal: below {GOAL_MS} ms");
    for ((name, _), times_ms) in KINDS.iter().zip(&times_ms) {
        let (low, middle, high) = quartiles(times_ms);
        let worst = times_ms.iter().copied().fold(0.0, f64::max);
        let verdict = if worst < GOAL_MS { "" } else { "  ABOVE THE GOAL" };
        println!("  {name:<46} {middle:.1} ms (quartiles {low:.1} … {high:.1}, worst {worst:.1}){verdict}");
    }
    warnings()
}

fn warnings() -> Result<(), ChoreError> {
    let words = ["run", "--quiet", "--release", "--package", "fauxplat-hazards", "--example", "cost"];
    let told = output(Command::new("cargo").args(words).current_dir(cargo::root()))?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [median, worst] = numbers[..] else { return Err(failed("the example `cost`", &text)) };
    let verdict = if median < WARNINGS_GOAL_US { "" } else { "  ABOVE THE GOAL" };
    println!("Time for the warnings of one experiment, of 200; goal: below {WARNINGS_GOAL_US} µs");
    println!("  median {median} µs, worst {worst} µs{verdict}");
    Ok(())
}
