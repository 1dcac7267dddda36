//! Effects that `sweep` finds on this machine, false effects in a negative control, and the cost of a sweep.

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::{coming_and_going, compile, failed, fauxplat, output, print_ratio, scratch};
use crate::error::ChoreError;

/// Seeds of the sweeps of the negative control.
const QUIET_SEEDS: RangeInclusive<u64> = 1..=100;
/// Number of sweeps between two lines of progress, since the negative control takes most of an hour.
const TOLD_AFTER: u64 = 10;
/// Number of rounds in which the cost of a run is measured.
const COST_ROUNDS: u32 = 9;

/// Runs the named parts of the bench, or all.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let all = ["positive", "negative", "exhaustive", "cost"];
    let parts = if words.is_empty() { &all[..] } else { words };
    parts.iter().try_for_each(|part| match *part {
        "positive" => positive(),
        "negative" => negative(QUIET_SEEDS),
        "exhaustive" => exhaustive(),
        "cost" => cost(),
        other => negative(seeds(other).ok_or(ChoreError::Usage(
            "usage: cargo xtask bench sweep [positive | negative[=FIRST..LAST] | exhaustive | cost]…",
        ))?),
    })
}

/// Parses a part of the negative control, such as `negative=51..100`, for machines that are not free long enough for
/// all of it.
fn seeds(part: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = part.strip_prefix("negative=")?.split_once("..")?;
    Some(first.parse().ok()?..=last.parse().ok()?)
}

/// Runs one sweep, and returns its document and its wall time in seconds.
fn sweep(words: &[&str], subject: &str) -> Result<(Value, f64), ChoreError> {
    let mut command = Command::new(fauxplat()?);
    command.arg("sweep").args(words).arg(subject).args(["--quiet", "--store", "none", "--format", "json"]);
    let start = Instant::now();
    let printed = output(&mut command)?.stdout;
    let took_s = start.elapsed().as_secs_f64();
    Ok((serde_json::from_slice(&printed).map_err(|error| failed("report", &error))?, took_s))
}

/// The answer of a sweep in one line.
fn told(document: &Value, took_s: f64) -> String {
    let finding = &document["finding"];
    let number = |value: &Value| value.as_f64().map_or("–".to_owned(), |number| format!("{number:.4}"));
    format!(
        "{}: p {}, typical difference {} ({} to {}), period {} ({} to {}), {} peaks; {} runs of {}, {took_s:.1} s",
        finding["answer"].as_str().unwrap_or("?"),
        number(&finding["p_value"]),
        number(&finding["difference_ratio"]),
        number(&finding["difference_low_ratio"]),
        number(&finding["difference_high_ratio"]),
        number(&finding["period"]),
        number(&finding["period_low"]),
        number(&finding["period_high"]),
        finding["peaks_total"],
        document["runs_done"],
        document["runs_exhaustive"],
    )
}

/// Command line of a program that loads eight bytes on its stack and prints their address. At known sizes of the
/// environment, these bytes straddle cache lines.
fn straddle() -> Result<String, ChoreError> {
    Ok(format!("{} 20000 1", compile("sweep/straddle.c", &["-O1"])?.display()))
}

/// Sizes of the environment at which the loaded bytes straddle a page, by the addresses that the program prints.
fn crossing(subject: &str) -> Result<Vec<u64>, ChoreError> {
    let program = subject.split(' ').next().unwrap_or_default();
    let mut sizes = Vec::new();
    for size in 0..=4096u64 {
        let mut run = Command::new("setarch");
        // As in the sweep, the environment is one string of exactly `size` bytes, including its terminator.
        run.args(["-R", program, "20000", "1"]).env_clear();
        if size > 1 {
            run.env("A", "x".repeat(size.saturating_sub(3) as usize));
        }
        let printed = output(&mut run)?.stdout;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let place =
            text.lines().nth(1).and_then(|line| u64::from_str_radix(line.trim_start_matches("0x"), 16).ok());
        if place.is_some_and(|place| place % 4096 > 4088) {
            sizes.push(size);
        }
    }
    Ok(sizes)
}

/// Sweeps the program of [`straddle`], which has an effect, a period and an outlier without ASLR, and no effect with
/// ASLR.
fn positive() -> Result<(), ChoreError> {
    let subject = straddle()?;
    println!("positive control: {subject}");
    println!("sizes at which the word crosses a page: {:?}", crossing(&subject)?);
    for aslr in ["off", "on"] {
        let (document, took_s) = sweep(&["env-size=0..4096", "--aslr", aslr], &subject)?;
        println!("  ASLR {aslr}: {}", told(&document, took_s));
        for peak in document["finding"]["peaks"].as_array().into_iter().flatten().take(4) {
            println!("    peak at {}: ratio {}", peak["level"], peak["ratio"]);
        }
    }
    Ok(())
}

/// Sweeps a program that cannot depend on its environment, while a load on each CPU comes and goes at random.
fn negative(seeds: RangeInclusive<u64>) -> Result<(), ChoreError> {
    let options = ["-O2", "-static", "-nostdlib", "-ffreestanding"];
    let subject = compile("sweep/registers.c", &options)?.display().to_string();
    let online = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let burners = (0..online).map(coming_and_going).collect::<Result<Vec<_>, _>>()?;
    let mut answers = std::collections::BTreeMap::new();
    let start = Instant::now();
    for (done, seed) in (1..).zip(seeds.clone()) {
        let seed = seed.to_string();
        let words = ["env-size=0..4096:256", "--aslr", "off", "--seed", &seed];
        let (document, _) = sweep(&words, &subject)?;
        let answer = document["finding"]["answer"].as_str().unwrap_or("?").to_owned();
        *answers.entry(answer).or_insert(0u32) += 1;
        if done % TOLD_AFTER == 0 {
            println!("  after {done} sweeps: {answers:?}");
        }
    }
    let took_s = start.elapsed().as_secs_f64();
    println!(
        "negative control: sweeps {seeds:?} of {subject} over env-size=0..4096:256 beside {online} burners"
    );
    println!("  answers: {answers:?} in {took_s:.0} s; goal: no effect in at least 95 of 100");
    drop(burners);
    Ok(())
}

/// Compares an exhaustive sweep with an adaptive one of the same factor, with as many sizes as the exhaustive one can
/// afford.
fn exhaustive() -> Result<(), ChoreError> {
    let subject = straddle()?;
    println!("a sweep of all 8193 sizes, ASLR off: {subject}");
    let (adaptive, took_s) = sweep(&["env-size=0..8192", "--aslr", "off"], &subject)?;
    println!("  adaptive: {}", told(&adaptive, took_s));
    let (small, small_s) = sweep(&["env-size=0..1024", "--aslr", "off"], &subject)?;
    println!("  0..1024, adaptive: {}", told(&small, small_s));
    let words = ["env-size=0..1024", "--aslr", "off", "--exhaustive", "--blocks", "8"];
    let (document, exhaustive_s) = sweep(&words, &subject)?;
    println!("  0..1024, exhaustive, 8 blocks: {}", told(&document, exhaustive_s));
    let per_run_s = exhaustive_s / document["runs_done"].as_f64().unwrap_or(1.0);
    let whole_s = per_run_s * adaptive["runs_exhaustive"].as_f64().unwrap_or(0.0);
    let share =
        adaptive["runs_done"].as_f64().unwrap_or(0.0) / adaptive["runs_exhaustive"].as_f64().unwrap_or(1.0);
    println!("  8193 × 100, extrapolated from {:.3} ms a run: {:.0} min", per_run_s * 1e3, whole_s / 60.0);
    println!(
        "  share of the exhaustive runs: {share:.4} (goal: below 0.01), time {took_s:.1} s (goal: below 60)"
    );
    Ok(())
}

/// Compares the runs per second of a sweep with those of a bare loop of `vfork`.
fn cost() -> Result<(), ChoreError> {
    let bare = compile("instrument/bare.c", &[])?;
    let empty = compile("instrument/empty.c", &["-static", "-nostdlib", "-ffreestanding"])?;
    let mut ratios = Vec::new();
    for _ in 0..COST_ROUNDS {
        let before = bare_ns(&bare, &empty)?;
        let mine = swept_ns(&empty)?;
        let after = bare_ns(&bare, &empty)?;
        ratios.push((before + after) / 2.0 / mine);
    }
    println!("runs per second of a sweep (start and report included) over those of the bare spawn loop:");
    print_ratio("fauxplat sweep env-size=0..4096:8 --exhaustive", &ratios, "goal: at least 0.85");
    Ok(())
}

/// Number of runs of the sweep, and of the bare loop, in a round.
const COST_RUNS: u32 = 10_260;

fn bare_ns(bare: &Path, empty: &Path) -> Result<f64, ChoreError> {
    let printed = output(Command::new(bare).arg(COST_RUNS.to_string()).arg(empty))?.stdout;
    let text = String::from_utf8_lossy(&printed).into_owned();
    let first = text.split_whitespace().next().and_then(|word| word.parse().ok());
    first.ok_or_else(|| failed("the bare loop", &"it did not print a number"))
}

/// Nanoseconds per run of a sweep over 513 sizes in 20 blocks, which are [`COST_RUNS`] runs.
fn swept_ns(empty: &Path) -> Result<f64, ChoreError> {
    let mut command = Command::new(fauxplat()?);
    let words =
        ["sweep", "env-size=0..4096:8", "--exhaustive", "--blocks", "20", "--quiet", "--store", "none"];
    command.args(words).arg(empty).arg("--output").arg(scratch()?.join("sweep.txt")).stdout(Stdio::null());
    let start = Instant::now();
    output(&mut command)?;
    Ok(start.elapsed().as_nanos() as f64 / f64::from(COST_RUNS))
}
