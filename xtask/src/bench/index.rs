//! Coverage of the interval that `index` reports: how often the values of repetitions lie within it.

use std::process::Command;

use fauxplat_load::Rhythm;
use serde_json::Value;

use super::{burner, failed, fauxplat, output, quartiles};
use crate::error::ChoreError;

/// Number of repetitions, and the number of those that have to agree.
const REPEATS: usize = 20;
const GOAL: usize = 18;

struct Repeat {
    value: f64,
    low: f64,
    high: f64,
}

/// Runs the named parts, or both: `plain`, and `burner` with a load on another CPU. `--duration` is passed on to
/// `index`.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (parts, duration) = match words {
        [parts @ .., "--duration", duration] => (parts, *duration),
        parts => (parts, "10s"),
    };
    let parts = if parts.is_empty() { &["plain", "burner"][..] } else { parts };
    parts.iter().try_for_each(|part| match *part {
        "plain" => repeats(duration, false),
        "burner" => repeats(duration, true),
        _ => Err(ChoreError::Usage("usage: cargo xtask bench index [plain | burner]… [--duration TIME]")),
    })
}

fn repeats(duration: &str, beside: bool) -> Result<(), ChoreError> {
    let online = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let neighbour = match beside {
        true if online < 2 => {
            println!("a burner on another CPU takes a second CPU");
            return Ok(());
        }
        true => Some(burner(online - 1, Rhythm::Share(100))?),
        false => None,
    };
    let all = (0..REPEATS).map(|_| repeat(duration)).collect::<Result<Vec<_>, _>>()?;
    drop(neighbour);
    let how = if beside { format!(", burner on CPU {}", online - 1) } else { String::new() };
    println!("{REPEATS} repetitions of `index --cpu 0 --duration {duration}`{how}");
    let values: Vec<f64> = all.iter().map(|it| it.value).collect();
    let (low, middle, high) = quartiles(&values);
    println!("  FauxPlat/s: median {middle:.1} (quartiles {low:.1} … {high:.1})");
    let one = |it: &Repeat| format!("{:.1} ±{:.2} %", it.value, (it.high - it.low) / it.value / 2.0 * 100.0);
    println!("  {}", all.iter().map(one).collect::<Vec<_>>().join(", "));
    let inside = |one: &Repeat, other: &Repeat| other.low <= one.value && one.value <= other.high;
    let agree = |one: &&Repeat| all.iter().filter(|other| inside(one, other)).count() >= GOAL;
    let agreeing = all.iter().filter(agree).count();
    println!(
        "  {agreeing} of {REPEATS} lie inside the 95 % intervals of at least {GOAL}; goal: at least {GOAL}"
    );
    let half: Vec<f64> = all.iter().map(|it| (it.high - it.low) / it.value / 2.0 * 100.0).collect();
    let (_, middle, _) = quartiles(&half);
    let widest = half.iter().copied().fold(0.0, f64::max);
    let narrow = half.iter().filter(|half| **half <= 1.0).count();
    println!(
        "  interval: ±{middle:.2} % (median), widest ±{widest:.2} %, at most ±1 % in {narrow}; goal: at most ±1 %"
    );
    Ok(())
}

fn repeat(duration: &str) -> Result<Repeat, ChoreError> {
    let mut command = Command::new(fauxplat()?);
    command.args([
        "index",
        "--cpu",
        "0",
        "--duration",
        duration,
        "--format",
        "json",
        "--store",
        "none",
        "--quiet",
    ]);
    let printed = output(&mut command)?.stdout;
    let document: Value = serde_json::from_slice(&printed).map_err(|error| failed("report", &error))?;
    let field = |name: &str| document["cpus"][0][name].as_f64().ok_or_else(|| failed("report", &name));
    Ok(Repeat { value: field("fauxplat_per_s")?, low: field("low")?, high: field("high")? })
}
