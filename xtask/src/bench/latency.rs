//! `latency timer` compared with `cyclictest` of rt-tests: latencies of waking up, and whether a stall shows in the
//! report.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fauxplat_analyze::{Judge, Stand};
use fauxplat_model::{Metric, Rule, Sample, Verdict};
use fauxplat_sys::signal;
use serde_json::Value;

use super::{failed, fauxplat, output};
use crate::error::ChoreError;

/// Number of runs of each tool, which take turns.
const BLOCKS: u32 = 24;
/// Activations in a run, one every millisecond.
const ACTIVATIONS: &str = "2000";
/// Length of a stall of a tool, and number of stalls of each tool.
const STALL: Duration = Duration::from_millis(50);
const STALLS: u32 = 5;

/// Percentiles of the latencies of a run in nanoseconds, as either tool reports them.
struct Figures {
    p50_ns: u64,
    p99_ns: u64,
}

/// Runs the named parts of the bench; without names, `timer` and `stall`.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    if Command::new("cyclictest").arg("--help").output().is_err() {
        println!("cyclictest is not installed (package rt-tests): nothing to compare with");
        return Ok(());
    }
    let parts = if words.is_empty() { &["timer", "stall"][..] } else { words };
    parts.iter().try_for_each(|part| match *part {
        "timer" => race("timer"),
        "edge" => race("edge"),
        "stall" => stall(),
        _ => Err(ChoreError::Usage("usage: cargo xtask bench latency [timer | edge | stall]…")),
    })
}

/// Number of the last CPU, since the first one serves most interrupts.
fn cpu() -> String {
    (std::thread::available_parallelism().map_or(1, std::num::NonZero::get) - 1).to_string()
}

fn ours(test: &str) -> Result<Command, ChoreError> {
    let mut command = Command::new(fauxplat()?);
    command.args(["latency", test, "--policy", "fifo:90", "--interval", "1ms", "--count", ACTIVATIONS]);
    command.args(["--cpu", &cpu(), "--format", "json", "--store", "none", "--quiet"]);
    Ok(command)
}

/// The command of `cyclictest` with the policy, interval, CPU and locked memory that fauxplat uses; all other options
/// have their defaults.
fn theirs() -> Command {
    let mut command = Command::new("cyclictest");
    command.args(["-q", "-m", "-t", "1", "-p", "90", "--policy=fifo", "-i", "1000", "-l", ACTIVATIONS]);
    command.args(["-N", "-h", "1000000", "-a", &cpu()]);
    command
}

/// Runs a test of `latency` in turns with `cyclictest`.
fn race(test: &str) -> Result<(), ChoreError> {
    let rule = Rule { max_pairs: BLOCKS, ..Rule::default() };
    let mut judges = [Judge::new(&rule, 2, 1), Judge::new(&rule, 2, 1)];
    let mut medians = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    for block in 0..BLOCKS {
        let turns = if block % 2 == 0 { [0, 1] } else { [1, 0] };
        let mut figures = [None, None];
        for turn in turns {
            figures[turn] = Some(if turn == 0 { cyclictest()? } else { fauxplat_test(test)? });
        }
        let [Some(theirs), Some(ours)] = figures else { continue };
        for (at, of) in [(0, (theirs.p50_ns, ours.p50_ns)), (1, (theirs.p99_ns, ours.p99_ns))] {
            judges[at].block(&[sample(block, 0, of.0), sample(block, 1, of.1)]);
            medians[at][0].push(of.0 as f64);
            medians[at][1].push(of.1 as f64);
        }
    }
    println!(
        "latency {test}: {BLOCKS} alternating runs of {ACTIVATIONS} activations, fifo:90, 1 ms, CPU {}; goal: not above cyclictest",
        cpu()
    );
    for (at, name) in ["p50", "p99"].into_iter().enumerate() {
        let [theirs, ours] = [0, 1].map(|side| super::quartiles(&medians[at][side]).1 / 1e3);
        let stand = judges[at].stand(1).ok_or_else(|| failed("the judge", &"it saw no pair"))?;
        println!(
            "  {name}: cyclictest {theirs:.2} µs, fauxplat {ours:.2} µs (medians of runs); {}",
            told(&stand)
        );
    }
    Ok(())
}

fn told(stand: &Stand) -> String {
    let Stand { verdict, pairs, effect_ratio, ci_low_ratio, ci_high_ratio, .. } = *stand;
    let words = match verdict {
        Verdict::Different if effect_ratio < 1.0 => "fauxplat is below",
        Verdict::Different => "fauxplat is ABOVE",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "no difference is shown",
    };
    format!("ratio {effect_ratio:.3} ({ci_low_ratio:.3} … {ci_high_ratio:.3}, {pairs} pairs): {words}")
}

/// A figure in nanoseconds as a sample for the judge, as a reading of the metric wall time, which has the same unit.
fn sample(block: u32, command: u16, figure_ns: u64) -> Sample {
    Sample {
        trial: block * 2 + u32::from(command),
        block,
        command,
        position: command,
        started_ns: u64::from(block) * 1_000_000_000,
        ..Sample::of([(Metric::WALL, figure_ns)].into())
    }
}

fn fauxplat_test(test: &str) -> Result<Figures, ChoreError> {
    let test = test_of(&output(&mut ours(test)?)?.stdout)?;
    let field = |name: &str| test[name].as_u64().ok_or_else(|| failed("report", &name));
    Ok(Figures { p50_ns: field("p50_ns")?, p99_ns: field("p99_ns")? })
}

fn test_of(printed: &[u8]) -> Result<Value, ChoreError> {
    let document: Value = serde_json::from_slice(printed).map_err(|error| failed("report", &error))?;
    Ok(document["tests"][0].clone())
}

fn cyclictest() -> Result<Figures, ChoreError> {
    let bins = bins(&output(&mut theirs())?.stdout);
    let at = |share| percentile(&bins, share).ok_or_else(|| failed("cyclictest", &"it printed no histogram"));
    Ok(Figures { p50_ns: at(0.5)?, p99_ns: at(0.99)? })
}

/// Parses lines of two numbers, latency and count. The latency is in nanoseconds if `cyclictest` was given `-N`, and
/// else in microseconds.
fn bins(printed: &[u8]) -> Vec<(u64, u64)> {
    let bin = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    String::from_utf8_lossy(printed).lines().filter_map(bin).collect()
}

fn percentile(bins: &[(u64, u64)], share: f64) -> Option<u64> {
    let all: u64 = bins.iter().map(|bin| bin.1).sum();
    let wanted = (all as f64 * share).ceil() as u64;
    let mut seen = 0;
    let reached = |bin: &&(u64, u64)| {
        seen += bin.1;
        seen >= wanted.max(1)
    };
    bins.iter().find(reached).map(|bin| bin.0)
}

/// Stops each tool for a known time in the middle of a run, and prints whether its report shows the stall.
fn stall() -> Result<(), ChoreError> {
    println!(
        "a stall of {} ms in a run with an activation every millisecond, {STALLS} times each:",
        STALL.as_millis()
    );
    for _ in 0..STALLS {
        let (printed, stopped) = stopped(&mut ours("timer")?)?;
        let test = test_of(&printed)?;
        let late = |of: &Value| of["histogram"].as_array().map_or(0, |bins| counted(bins));
        println!(
            "  fauxplat, stalled for {:.1} ms: {} activations later than 2 ms, {} with missed ones; {} missed",
            stopped.as_secs_f64() * 1e3,
            late(&test),
            late(&test["corrected"]),
            test["missed"]
        );
        let mut command = theirs();
        // The stalls exceed the range of a histogram in nanoseconds, so `-N` is left out, and the histogram is in
        // microseconds.
        command.args(["-h", "100000"]);
        let words: Vec<_> = command.get_args().filter(|word| *word != "-N").map(ToOwned::to_owned).collect();
        let (printed, stopped) = self::stopped(Command::new("cyclictest").args(words))?;
        let late: u64 = bins(&printed).iter().filter(|bin| bin.0 > 2000).map(|bin| bin.1).sum();
        println!(
            "  cyclictest, stalled for {:.1} ms: {late} activations later than 2 ms, missed ones not reported",
            stopped.as_secs_f64() * 1e3
        );
    }
    Ok(())
}

fn counted(bins: &[Value]) -> u64 {
    bins.iter().filter(|bin| bin[0].as_u64() > Some(2_000_000)).filter_map(|bin| bin[1].as_u64()).sum()
}

/// Runs a command that is stopped once and continued; returns its output and the time for which it was stopped.
fn stopped(command: &mut Command) -> Result<(Vec<u8>, Duration), ChoreError> {
    let started = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let child: Child = started.map_err(|error| failed("start", &error))?;
    let pid = child.id() as i32;
    std::thread::sleep(Duration::from_millis(900));
    signal::send(pid, SIGSTOP);
    let begun = Instant::now();
    std::thread::sleep(STALL);
    signal::send(pid, SIGCONT);
    let stood = begun.elapsed();
    let done = child.wait_with_output().map_err(|error| failed("end", &error))?;
    Ok((done.stdout, stood))
}

/// Signal numbers, see `signal(7)`.
const SIGSTOP: i32 = 19;
const SIGCONT: i32 = 18;
