//! Fuzzing for as long as one likes.

use std::process::{Command, Stdio};

use crate::cargo::{self, root};
use crate::error::ChoreError;

/// Minutes of each target, unless told otherwise.
const MINUTES: f64 = 10.0;

/// Brings targets to so many minutes each.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (mut minutes, mut by_mutator, mut targets) = (MINUTES, false, Vec::new());
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--minutes" => {
                let given = words.next().and_then(|minutes| minutes.parse().ok());
                minutes = given.ok_or(ChoreError::Usage(super::USAGE))?;
            }
            "--mutator" => by_mutator = true,
            option if option.starts_with('-') => return Err(ChoreError::Usage(super::USAGE)),
            target => targets.push(target),
        }
    }
    match by_mutator || !has_cargo_fuzz() {
        true => mutator(minutes, &targets),
        false => libfuzzer(minutes, &targets),
    }
}

fn has_cargo_fuzz() -> bool {
    let mut probe = Command::new("cargo");
    probe.args(["+nightly", "fuzz", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// The mutator of `fuzz/`, which keeps count by itself.
fn mutator(minutes: f64, targets: &[&str]) -> Result<(), ChoreError> {
    println!(
        "by the mutator without feedback: cargo-fuzz or a nightly toolchain is not installed, or not wanted"
    );
    let (folder, minutes) = (super::folder("fuzz")?.display().to_string(), minutes.to_string());
    let words = ["--folder", &folder, "--minutes", &minutes];
    cargo::run("fauxplat-fuzz", &["--release"], &[&words, targets].concat())
}

/// libFuzzer by way of cargo-fuzz. What it finds goes to a folder of the campaign, from which the next one goes on.
fn libfuzzer(minutes: f64, targets: &[&str]) -> Result<(), ChoreError> {
    let all = names()?;
    let chosen: Vec<&str> = match targets {
        [] => all.iter().map(String::as_str).collect(),
        targets => targets.to_vec(),
    };
    let mut failed = Vec::new();
    for target in chosen {
        let found = super::folder(&format!("fuzz/{target}"))?;
        let (area, name) = target.split_once('-').unwrap_or((target, ""));
        let mut run = Command::new("cargo");
        run.args(["+nightly", "fuzz", "run", "--fuzz-dir", "fuzz/libfuzzer", target]).arg(&found);
        run.arg(root().join("fuzz").join(area).join("corpus").join(name)).arg("--");
        run.arg(format!("-max_total_time={}", (minutes * 60.0) as u64)).arg("-print_final_stats=1");
        let status = run.current_dir(root()).status().map_err(ChoreError::at("cargo"))?;
        if !status.success() {
            failed.push(target.to_owned());
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(ChoreError::Bench(format!("targets that crashed: {}", failed.join(", ")))),
    }
}

/// The targets, as the manifest of the fuzzing crate lists them.
fn names() -> Result<Vec<String>, ChoreError> {
    let path = root().join("fuzz/libfuzzer/Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
    let names = text.split("[[bin]]").skip(1).filter_map(|part| part.split('"').nth(1));
    Ok(names.map(str::to_owned).collect())
}
