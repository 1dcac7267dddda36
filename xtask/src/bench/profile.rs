//! Cost of `profile` for the profiled program, and accuracy of the profile.

mod events;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use fauxplat_stats::draw::Draw;
use serde_json::Value;

use super::instrument::{Tool, Turn, installed, round};
use super::{compile, failed, fauxplat, output, print_ratio, scratch};
use crate::error::ChoreError;
pub(super) use events::run as events;

/// Argument of the profiled program: rounds of arithmetic that take about a second.
const WORK: &str = "400000";
/// Samples per second that both tools, fauxplat and perf, take.
const HZ: &str = "997";
/// Command lines that start a program in different ways, all of which have to give the same profile.
const LAUNCHERS: [&str; 5] = [
    "{}",
    "env {}",
    "timeout 60 {}",
    "sh -c '{}; true'",
    "python3 -c 'import subprocess; subprocess.run(\"{}\".split())'",
];
/// Goal for the share of 95 % intervals that contain the true share of a function.
const INSIDE_MIN: f64 = 0.90;
/// Goal for the share of samples with a wrong caller.
const WRONG_MAX: f64 = 0.03;

/// Measures the cost of profiling in turns with `perf record`, and then compares the shares of functions in profiles
/// with those that the program measured itself.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let program = fauxplat()?;
    let shares = compile("profile/shares.c", &["-pthread", "-g"])?;
    cost(&program, &shares, rounds)?;
    truth(&program, &shares, rounds * 5)
}

fn cost(program: &Path, shares: &Path, rounds: u32) -> Result<(), ChoreError> {
    let bare = || own_cpu(Command::new(shares).arg(WORK));
    let mut tools = vec![
        Tool::new("bare", bare),
        Tool::new("ours", || own_cpu(&mut ours(program, &format!("{} {WORK}", shares.display()), &[]))),
        Tool::new("ours by frame pointers", || {
            own_cpu(&mut ours(
                program,
                &format!("{} {WORK}", shares.display()),
                &["--unwind", "frame-pointers"],
            ))
        }),
    ];
    if installed("perf") {
        tools.push(Tool::new("perf", || perf(shares, "dwarf")));
        tools.push(Tool::new("perf by frame pointers", || perf(shares, "fp")));
    }
    let mut draw = Draw::new(1, 0);
    for _ in 0..rounds {
        round(&mut tools, &mut draw)?;
    }
    let of = |name: &str| tools.iter().find(|tool| tool.name == name).map_or(&[][..], |tool| &tool.rounds);
    let ratios = |name: &str, base: &str| -> Vec<f64> {
        let one = |(it, base): (&Turn, &Turn)| it.0 / base.0;
        of(name).iter().zip(of(base)).map(one).collect()
    };
    println!(
        "CPU time of a program that works for a second, {HZ} samples a second, {rounds} rounds of two turns each:"
    );
    print_ratio("fauxplat profile over no profiler", &ratios("ours", "bare"), "");
    print_ratio("perf record (dwarf) over no profiler", &ratios("perf", "bare"), "");
    print_ratio("fauxplat profile over perf record", &ratios("ours", "perf"), "goal: at most 1");
    print_ratio("profile by frame pointers over no profiler", &ratios("ours by frame pointers", "bare"), "");
    print_ratio(
        "profile by frame pointers over perf record -g",
        &ratios("ours by frame pointers", "perf by frame pointers"),
        "goal: at most 1",
    );
    Ok(())
}

fn ours(program: &Path, command: &str, words: &[&str]) -> Command {
    let mut profile = Command::new(program);
    profile.args(["profile", "--quiet", "--store", "none", "--show-output", "-F", HZ, "-e", "cpu-clock"]);
    profile.args(words).args(["--export", "json=/dev/null"]).arg(command);
    profile
}

fn perf(shares: &Path, method: &str) -> Result<Turn, ChoreError> {
    let data = scratch()?.join("perf.data");
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-e", "cpu-clock", "-F", HZ, "--call-graph", method, "-o"]).arg(&data);
    own_cpu(perf.arg("--").arg(shares).arg(WORK))
}

/// CPU time that the program reports for itself, in microseconds, twice.
fn own_cpu(command: &mut Command) -> Result<Turn, ChoreError> {
    let output = output(command)?;
    let printed = [output.stdout, output.stderr].concat();
    let figures = figures(&String::from_utf8_lossy(&printed));
    let us = figures
        .get("cpu_us")
        .copied()
        .ok_or_else(|| failed("the program", &"it did not say what it took"))?;
    Ok((us, us))
}

/// Parses lines that consist of a word and a number; other lines are ignored.
fn figures(text: &str) -> BTreeMap<String, f64> {
    let one = |line: &str| {
        let (name, number) = line.trim().split_once(' ')?;
        Some((name.to_owned(), number.parse().ok()?))
    };
    text.lines().filter_map(one).collect()
}

/// Counts over all profiles in which the program was started in the same way.
#[derive(Default)]
struct Seen {
    shares: u32,
    inside: u32,
    samples: f64,
    wrong: f64,
}

/// Compares profiles with the program's own measurement, for short and deep stacks, one thread and two, and each of
/// [`LAUNCHERS`].
fn truth(program: &Path, shares: &Path, runs: u32) -> Result<(), ChoreError> {
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    for run in 0..runs {
        let launcher = LAUNCHERS[run as usize % LAUNCHERS.len()];
        let words = ["1 0", "2 0", "1 40"][run as usize / LAUNCHERS.len() % 3];
        let command = launcher.replace("{}", &format!("{} {WORK} {words}", shares.display()));
        hold(program, &command, seen.entry(launcher).or_default())?;
    }
    println!("true shares inside the 95 % intervals, and samples with a wrong caller, {runs} runs:");
    for (launcher, seen) in &seen {
        let (inside, wrong) = (f64::from(seen.inside) / f64::from(seen.shares), seen.wrong / seen.samples);
        println!(
            "  {launcher:<68} {:3} of {:3} ({:5.1} %)  wrong callers {:.3} %",
            seen.inside,
            seen.shares,
            inside * 100.0,
            wrong * 100.0
        );
    }
    let all = seen.values().fold([0.0; 4], |sum, one| {
        [
            sum[0] + f64::from(one.inside),
            sum[1] + f64::from(one.shares),
            sum[2] + one.wrong,
            sum[3] + one.samples,
        ]
    });
    let (inside, wrong) = (all[0] / all[1], all[2] / all[3]);
    println!(
        "  all: {:.1} % inside (goal: {:.0} %), wrong callers {:.3} % (goal: below {:.0} %)",
        inside * 100.0,
        INSIDE_MIN * 100.0,
        wrong * 100.0,
        WRONG_MAX * 100.0
    );
    Ok(())
}

/// Compares one profile with the program's own measurement, and adds the result to `seen`.
fn hold(program: &Path, command: &str, seen: &mut Seen) -> Result<(), ChoreError> {
    let report = scratch()?.join("profile.json");
    let mut profile = ours(program, command, &["--user-only"]);
    let output = output(profile.arg("--export").arg(format!("json={}", report.display())))?;
    let truth = figures(&String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
    let text = std::fs::read_to_string(&report).map_err(ChoreError::at(&report))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| failed("the profile", &error))?;
    let names = ["fifty", "thirty", "fifteen", "five"];
    let took = |name: &str| truth.get(name).copied().unwrap_or(0.0);
    let all: f64 = names.iter().map(|name| took(name)).sum();
    let functions = document["profiles"][0]["functions"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| functions.iter().find(|it| it["name"] == name);
    // The program's own figures do not include time of launchers (shell, loader), so shares are taken of the samples in
    // the four functions.
    let samples = |name: &str| of(name).and_then(|it| it["self_samples"].as_f64()).unwrap_or(0.0);
    let sampled: f64 = names.iter().map(|name| samples(name)).sum();
    for name in names {
        let (low, high) = fauxplat_stats::proportion::wilson(samples(name) as u64, sampled as u64, 0.95);
        seen.shares += 1;
        seen.inside += u32::from((low..=high).contains(&(took(name) / all)));
    }
    let (right, counted) = callers(&document, &names);
    seen.samples += counted;
    seen.wrong += counted - right;
    Ok(())
}

/// Number of samples in these functions that have the right caller, and number of all samples in these functions.
fn callers(document: &Value, names: &[&str]) -> (f64, f64) {
    let frames = document["frames"].as_array().cloned().unwrap_or_default();
    let name = |frame: &Value| frame.as_u64().and_then(|at| frames.get(at as usize)?["name"].as_str());
    let (mut right, mut counted) = (0.0, 0.0);
    for stack in document["stacks"].as_array().into_iter().flatten() {
        let stack_frames: Vec<&str> =
            stack["frames"].as_array().into_iter().flatten().filter_map(name).collect();
        let Some((_, before)) = stack_frames.split_last().filter(|(leaf, _)| names.contains(leaf)) else {
            continue;
        };
        let samples = stack["samples"][0].as_f64().unwrap_or(0.0);
        counted += samples;
        let called: Vec<&&str> = before.iter().rev().take_while(|name| **name != "work").collect();
        let is_called =
            before.contains(&"work") && called.iter().all(|name| matches!(**name, "timed" | "deeper"));
        right += if is_called { samples } else { 0.0 };
    }
    (right, counted)
}

/// Goal for the number of comparisons, out of 20, in which profiles of half a minute find the slower function.
const FOUND_MIN: u32 = 19;

/// Profiles two programs of which one is 5 % slower in one function, and two copies of the same program, `times` times
/// each.
pub(super) fn differences(times: u32) -> Result<(), ChoreError> {
    let program = fauxplat()?;
    let first = compile("profile/shares.c", &["-pthread", "-g"])?;
    let second = scratch()?.join("shares-grown");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-g", "-pthread", "-DFIVE=10", "-o"])
        .arg(&second)
        .arg(crate::cargo::root().join("benches/profile/shares.c"));
    output(&mut cc)?;
    let (mut found, mut falsely) = (0, 0);
    for _ in 0..times {
        let (name, points, names) = told(&program, &first, &second)?;
        found += u32::from(name == "five");
        println!("  grown by 5 %: first is {name} ({points:+.2} points); called different: {names}");
        let (_, _, names) = told(&program, &first, &first)?;
        falsely += u32::from(!names.is_empty());
        println!("  identical: called different: {}", if names.is_empty() { "none" } else { &names });
    }
    println!("the grown function named first in {found} of {times} (goal: {FOUND_MIN} of 20)");
    println!(
        "any function named in {falsely} of {times} comparisons of identical programs (goal: none of 20)"
    );
    Ok(())
}

/// Name of the function that differs most, or `none`; by how many percentage points of the program's time it is slower;
/// and names of all functions that are called different.
fn told(program: &Path, a: &Path, b: &Path) -> Result<(String, f64, String), ChoreError> {
    let report = scratch()?.join("profile.json");
    let mut profile = Command::new(program);
    profile
        .args([
            "profile",
            "--quiet",
            "--store",
            "none",
            "-F",
            HZ,
            "--max-time",
            "30s",
            "--format",
            "json",
            "--output",
        ])
        .arg(&report);
    output(profile.args([a, b].map(|path| format!("{} {WORK}", path.display()))))?;
    let text = std::fs::read_to_string(&report).map_err(ChoreError::at(&report))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| failed("the profile", &error))?;
    let difference = &document["differences"][0];
    let error = difference["error"].as_f64().unwrap_or(0.0);
    let functions = difference["functions"].as_array().cloned().unwrap_or_default();
    let is_called = |it: &&Value| {
        it["p_adjusted"].as_f64().is_some_and(|p| p <= error)
            || it["total_p_adjusted"].as_f64().is_some_and(|p| p <= error)
    };
    let called: Vec<&str> = functions.iter().filter(is_called).filter_map(|it| it["name"].as_str()).collect();
    let leads = functions.first().filter(|it| it["p_adjusted"].as_f64().is_some_and(|p| p <= error));
    let name = leads.and_then(|it| it["name"].as_str()).unwrap_or("none").to_owned();
    let seconds = leads.and_then(|it| it["self_s"].as_f64()).unwrap_or(0.0);
    let points = 100.0 * seconds / difference["a_cpu_s"].as_f64().unwrap_or(1.0);
    Ok((name, points, called.join(", ")))
}
