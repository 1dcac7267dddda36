//! Real searches of `bisect`: histories of 200 commits in which one commit, or none, makes a program of 5 ms slower by
//! 3 %, beside a process that burns a CPU all the time.
//!
//! The document of each search is kept, so an interrupted campaign continues with the searches that are missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::USAGE;
use super::burner::Burner;
use crate::cargo;
use crate::error::ChoreError;

/// Number of commits of a history after its good end.
const COMMITS: usize = 200;
/// Wall time of the searched program in seconds.
const PROGRAM_S: f64 = 0.005;
/// Factor by which the planted commit lengthens the work of the program.
const CHANGE: f64 = 1.03;

/// Source of a program whose loop the compiler cannot shorten; the build takes `COUNT` from the file `count` of the
/// commit.
const PROGRAM: &str = "int main(void) { for (volatile long i = 0; i < COUNT; i++) {} return 0; }\n";
const BUILD: &str = "cc -O1 -DCOUNT=\"$(cat count)\" -o program program.c";

/// Makes this many searches (20 by default) with a planted change, and as many without one.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let searches: usize = match words {
        [] => 20,
        [count] => count.parse().map_err(|_| ChoreError::Usage(USAGE))?,
        _ => return Err(ChoreError::Usage(USAGE)),
    };
    let folder = super::folder("bisect")?;
    let fauxplat = cargo::build_release()?;
    let count = calibrated(&folder)?;
    let _burner = Burner::start()?;
    for number in 0..searches {
        for is_planted in [true, false] {
            let document =
                folder.join(format!("{}-{number}.json", if is_planted { "planted" } else { "none" }));
            if !document.exists() {
                search(&fauxplat, (&folder, &document), count, is_planted.then(|| place(number)))?;
            }
            println!("{}", told(&document, is_planted.then(|| place(number)))?);
        }
    }
    Ok(())
}

/// Index of the commit with the planted change in the search of this number; the indices are spread over the history.
fn place(number: usize) -> usize {
    1 + (number * 77 + 38) % COMMITS
}

/// Number of iterations with which the loop takes [`PROGRAM_S`] on this machine, by the fastest of five runs.
fn calibrated(folder: &Path) -> Result<u64, ChoreError> {
    const PROBE: u64 = 20_000_000;
    fs::write(folder.join("program.c"), PROGRAM).map_err(ChoreError::at(folder))?;
    fs::write(folder.join("count"), PROBE.to_string()).map_err(ChoreError::at(folder))?;
    shell(folder, BUILD)?;
    let timed = |_| -> Result<f64, ChoreError> {
        let begun = Instant::now();
        shell(folder, "./program")?;
        Ok(begun.elapsed().as_secs_f64())
    };
    let fastest_s =
        (0..5).map(timed).collect::<Result<Vec<f64>, _>>()?.into_iter().fold(f64::INFINITY, f64::min);
    Ok((PROBE as f64 * PROGRAM_S / fastest_s) as u64)
}

fn search(
    fauxplat: &Path,
    (folder, document): (&Path, &Path),
    count: u64,
    place: Option<usize>,
) -> Result<(), ChoreError> {
    let top = folder.join("repository");
    let cache = folder.join("cache");
    for old in [&top, &cache] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(ChoreError::at(old))?;
        }
        fs::create_dir_all(old).map_err(ChoreError::at(old))?;
    }
    fs::write(top.join("program.c"), PROGRAM).map_err(ChoreError::at(&top))?;
    let changed = (count as f64 * CHANGE) as u64;
    let from = place.unwrap_or(COMMITS + 1);
    shell(
        &top,
        &format!(
            "git init -q -b main . && for i in $(seq 0 {COMMITS}); do echo $i > number; \
             if [ $i -lt {from} ]; then echo {count}; else echo {changed}; fi > count; git add -A; \
             git -c user.name=n -c user.email=e commit -qm \"number $i\"; done"
        ),
    )?;
    let fresh = document.with_extension("new");
    let status = Command::new(fauxplat)
        .args(["bisect", "--good", &format!("HEAD~{COMMITS}"), "--build", BUILD, "--store", "none"])
        .args(["--format", "json", "--output", &fresh.display().to_string(), "./program"])
        .env("XDG_CACHE_HOME", &cache)
        .current_dir(&top)
        .status()
        .map_err(ChoreError::at(fauxplat))?;
    if !status.success() {
        return Err(ChoreError::Bench(format!("bisect: {status}")));
    }
    fs::rename(&fresh, document).map_err(ChoreError::at(document))
}

/// Line about a search: whether its answer is right, wrong or open, and how long it took.
fn told(document: &Path, place: Option<usize>) -> Result<String, ChoreError> {
    let text = fs::read_to_string(document).map_err(ChoreError::at(document))?;
    let found: Value = serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))?;
    let planted = place.map_or("none planted".to_owned(), |place| format!("planted at {place}"));
    let measured_s = found["elapsed_s"].as_f64().unwrap_or(0.0) - found["build_s"].as_f64().unwrap_or(0.0);
    let steps = found["steps"].as_array().map_or(0, Vec::len);
    let is_right = match place {
        Some(place) => {
            let name = found["found"]["commit"]["name"].as_str().unwrap_or_default();
            found["answer"] == "commit" && name.ends_with(&format!(" number {place}"))
        }
        None => found["answer"] == "no-change",
    };
    let word = match (is_right, &found["answer"]) {
        (true, _) => "right",
        (false, answer) if answer == "commit" => "WRONG",
        (false, _) => "open",
    };
    let summary = found["summary"].as_str().unwrap_or_default();
    Ok(format!("{word}: {planted}: {summary}; {steps} steps, {measured_s:.0} s without the builds"))
}

fn shell(folder: &Path, line: &str) -> Result<(), ChoreError> {
    let done = Command::new("sh").args(["-c", line]).current_dir(folder).stdout(Stdio::null()).status();
    match done.map_err(ChoreError::at(PathBuf::from("sh")))? {
        status if status.success() => Ok(()),
        status => Err(ChoreError::Bench(format!("`{line}`: {status}"))),
    }
}
