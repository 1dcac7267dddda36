//! Times for which a user waits: for `--help`, and for the first report.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::{fauxplat, output, print_ratio, quartiles};
use crate::error::ChoreError;

/// Goal for the time of `--help` in milliseconds; people do not notice shorter waits.
const HELP_GOAL_MS: f64 = 10.0;
const REPORT_GOAL_S: f64 = 1.0;

/// Measures `--help` and the first report: in milliseconds and seconds, as the goals are stated, and `--help` also as a
/// ratio to the time of an empty program.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let program = fauxplat()?;
    let (mut help, mut first, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let empty_ms = seconds(Path::new("true"), &[])? * 1e3;
        let help_ms = seconds(&program, &["--help"])? * 1e3;
        help.push(help_ms);
        ratio.push(help_ms / empty_ms);
    }
    // The first report takes about a second, so it is only timed in a fifth of the rounds.
    for _ in 0..rounds.div_ceil(5) {
        first.push(seconds(&program, &["true", "--store", "none"])?);
    }
    print_goal("--help", "ms", &help, HELP_GOAL_MS);
    print_ratio("--help against the start of true", &ratio, "");
    print_goal("fauxplat true, start to report", "s", &first, REPORT_GOAL_S);
    Ok(())
}

/// Seconds from the start of a program to its end.
fn seconds(program: &Path, words: &[&str]) -> Result<f64, ChoreError> {
    let begun = Instant::now();
    output(Command::new(program).args(words))?;
    Ok(begun.elapsed().as_secs_f64())
}

fn print_goal(name: &str, unit: &str, values: &[f64], goal: f64) {
    let (low, middle, high) = quartiles(values);
    let missed = if middle < goal { "" } else { "  ABOVE THE GOAL" };
    println!(
        "  {name:<30} {middle:.2} {unit}  (quartiles {low:.2} … {high:.2}), goal: below {goal} {unit}{missed}"
    );
}
