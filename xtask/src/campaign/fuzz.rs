//! Fuzzing for any length of time, which can be interrupted and continued.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::cargo::{self, root};
use crate::error::ChoreError;

/// Default number of minutes for which each target is fuzzed.
const MINUTES: f64 = 10.0;

/// Fuzzes each target until its total time, including earlier campaigns, reaches the requested number of minutes.
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

/// Fuzzes with the mutator of `fuzz/`, which records its own progress.
fn mutator(minutes: f64, targets: &[&str]) -> Result<(), ChoreError> {
    println!(
        "by the mutator without feedback: cargo-fuzz or a nightly toolchain is not installed, or not wanted"
    );
    let (folder, minutes) = (super::folder("fuzz")?.display().to_string(), minutes.to_string());
    let words = ["--folder", &folder, "--minutes", &minutes];
    cargo::run("fauxplat-fuzz", &["--release"], &[&words, targets].concat())
}

/// Fuzzes with libFuzzer, through cargo-fuzz. New inputs go to a folder of the campaign, from which the next campaign
/// continues.
fn libfuzzer(minutes: f64, targets: &[&str]) -> Result<(), ChoreError> {
    let all = names()?;
    let chosen: Vec<&str> = match targets {
        [] => all.iter().map(String::as_str).collect(),
        targets => targets.to_vec(),
    };
    let mut failed = Vec::new();
    for target in chosen {
        let mut done = Done::load(target)?;
        while done.seconds < minutes * 60.0 && done.crashes == 0 {
            done.leg(minutes * 60.0 - done.seconds)?;
        }
        println!(
            "{target:<20} {:>10} inputs in {:>6.0} s, {} crashes",
            done.inputs, done.seconds, done.crashes
        );
        if done.crashes > 0 {
            failed.push(target.to_owned());
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(ChoreError::Bench(format!("targets that crashed: {}", failed.join(", ")))),
    }
}

/// Totals of libFuzzer for one target, over all legs of all campaigns.
struct Done<'a> {
    target: &'a str,
    inputs: u64,
    seconds: f64,
    /// Number of inputs that crashed the target, whose files are in [`Done::artifacts`].
    crashes: usize,
}

/// Duration of a leg in seconds. Progress is recorded after each leg, so an interrupted campaign loses at most one.
const LEG_S: f64 = 120.0;

impl<'a> Done<'a> {
    fn file(target: &str) -> Result<PathBuf, ChoreError> {
        Ok(super::folder("fuzz")?.join(format!("{target}.libfuzzer")))
    }

    /// Folder with the inputs that crashed the target.
    fn artifacts(target: &str) -> Result<PathBuf, ChoreError> {
        super::folder(&format!("fuzz/crashes/{target}"))
    }

    fn load(target: &'a str) -> Result<Self, ChoreError> {
        let text = std::fs::read_to_string(Self::file(target)?).unwrap_or_default();
        let (inputs, seconds) = text.trim().split_once(' ').unwrap_or_default();
        let artifacts = Self::artifacts(target)?;
        let found = std::fs::read_dir(&artifacts).map_err(ChoreError::at(&artifacts))?.flatten();
        // libFuzzer also writes slow inputs to that folder, which are no crashes: on a busy machine any input may be
        // slow.
        let is_crash = |name: &OsStr| !name.to_string_lossy().starts_with("slow-unit-");
        let crashes = found.filter(|entry| is_crash(&entry.file_name())).count();
        Ok(Done {
            target,
            inputs: inputs.parse().unwrap_or(0),
            seconds: seconds.parse().unwrap_or(0.0),
            crashes,
        })
    }

    /// Fuzzes for at most this many seconds, at most [`LEG_S`], and copies libFuzzer's output.
    fn leg(&mut self, seconds: f64) -> Result<(), ChoreError> {
        let seconds = seconds.clamp(1.0, LEG_S);
        let begun = Instant::now();
        // Targets leave files behind, since libFuzzer exits without running destructors.
        let place = tempfile::tempdir_in(memory()).map_err(ChoreError::at("a folder for files"))?;
        let mut child =
            self.command(seconds)?.env("TMPDIR", place.path()).spawn().map_err(ChoreError::at("cargo"))?;
        let said = child.stderr.take().into_iter().flat_map(|pipe| BufReader::new(pipe).lines());
        let mut inputs = 0;
        for line in said.map_while(Result::ok) {
            if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
                inputs = count.trim().parse().unwrap_or(0);
            }
            eprintln!("{line}");
        }
        let status = child.wait().map_err(ChoreError::at("cargo"))?;
        let done = Self::load(self.target)?;
        if !status.success() && done.crashes == self.crashes {
            return Err(ChoreError::Cargo(format!("fuzz run {}", self.target)));
        }
        self.crashes = done.crashes;
        self.inputs += inputs;
        // Time for building the target before the leg does not count.
        self.seconds += begun.elapsed().as_secs_f64().min(seconds);
        let file = Self::file(self.target)?;
        std::fs::write(&file, format!("{} {:.1}\n", self.inputs, self.seconds)).map_err(ChoreError::at(&file))
    }

    fn command(&self, seconds: f64) -> Result<Command, ChoreError> {
        let (area, name) = self.target.split_once('-').unwrap_or((self.target, ""));
        let mut run = Command::new("cargo");
        run.args(["+nightly", "fuzz", "run", "--fuzz-dir", "fuzz/libfuzzer", self.target]);
        run.arg(super::folder(&format!("fuzz/{}", self.target))?);
        run.arg(root().join("fuzz").join(area).join("corpus").join(name)).arg("--");
        run.arg(format!("-max_total_time={}", seconds.ceil())).arg("-print_final_stats=1");
        run.arg(format!("-artifact_prefix={}/", Self::artifacts(self.target)?.display()));
        run.current_dir(root()).stderr(Stdio::piped());
        Ok(run)
    }
}

/// A folder in memory if there is such a file system, since most targets write files.
fn memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Names of all targets, from the manifest of the fuzzing crate.
fn names() -> Result<Vec<String>, ChoreError> {
    let path = root().join("fuzz/libfuzzer/Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
    let names = text.split("[[bin]]").skip(1).filter_map(|part| part.split('"').nth(1));
    Ok(names.map(str::to_owned).collect())
}
