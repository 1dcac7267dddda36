//! The test bed of virtual machines: builds programs for the tests, boots a guest for each shape in which tests run,
//! and counts outcomes.
//!
//! A test is a script in `vm/tests` whose head says where it runs ([`listing`]). All tests of a shape share one boot.
//! As many shapes run at the same time as there are CPUs, since an emulated guest keeps one CPU busy.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a chore starts programs and prints"
)]

mod artifacts;
mod guest;
mod listing;
mod outcome;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::cargo::{self, root};
use crate::error::ChoreError;
use guest::Bed;
use listing::Test;
use outcome::{Outcome, Tally};

/// Time limit in seconds for all guests together, without builds. Tests for which the time does not suffice are skipped
/// with a message, since `make test` has to take less than 20 minutes.
const SECONDS: u64 = 300;

/// Name of the shape whose tests run on this machine, outside of any guest.
const HOST: &str = "host";

/// Exit code of `vm/build` and `vm/run` if the test bed is not available.
const CANNOT: i32 = 3;

pub(crate) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (seconds, names) = options(words)?;
    let chosen = listing::choose(listing::read(&root().join("vm/tests"))?, names)?;
    let (shapes, mut tally) = buildable(listing::by_shape(&chosen))?;
    if !shapes.is_empty() {
        let bed =
            Bed { artifacts: artifacts::build(&shapes)?, end: Instant::now() + Duration::from_secs(seconds) };
        tally += side_by_side(&bed, shapes);
    }
    println!("{tally}");
    tally.verdict()
}

/// Seconds after which a campaign of kills counts as hanging and is ended.
const KILLS_SECONDS: u64 = 7200;

/// Runs the campaign of kills in a guest of this shape; the folder `known` stores the progress.
pub(crate) fn kills(shape: &str, words: &[&str], known: &Path) -> Result<(), ChoreError> {
    let built = cargo::build_tests(&["--release", "--package", "fauxplat-cli", "--test", "kills"])?;
    let kills = built.first().ok_or(ChoreError::Metadata("the test program `kills`"))?;
    let words = [&["campaign", "--progress", "/job/kills.progress"], words].concat();
    let command: Vec<&OsStr> =
        [kills.path.as_os_str()].into_iter().chain(words.into_iter().map(OsStr::new)).collect();
    in_guest(shape, KILLS_SECONDS, Some(known), &command)
}

/// Runs a command in a guest of this shape, with the folder at `/job`, and ends the command after `seconds`.
pub(crate) fn in_guest(
    shape: &str,
    seconds: u64,
    job: Option<&Path>,
    command: &[&OsStr],
) -> Result<(), ChoreError> {
    let mut run = Command::new(root().join("vm/run"));
    run.args([shape, "--seconds", &seconds.to_string()]);
    run.args(job.iter().flat_map(|folder| ["--job".as_ref(), folder.as_os_str()])).arg("--").args(command);
    let status = run.status().map_err(ChoreError::at("vm/run"))?;
    let failed = || ChoreError::Bench(format!("what ran in {shape} ended with {status}"));
    status.success().then_some(()).ok_or_else(failed)
}

fn options<'a>(words: &'a [&'a str]) -> Result<(u64, &'a [&'a str]), ChoreError> {
    let usage = ChoreError::Usage("usage: cargo xtask vm [--seconds N] [TEST | SHAPE]…");
    match words {
        ["--seconds", number, names @ ..] => {
            number.parse().map(|seconds| (seconds, names)).map_err(|_| usage)
        }
        [option, ..] if option.starts_with('-') => Err(usage),
        names => Ok((SECONDS, names)),
    }
}

/// Name of a shape, and its tests in the order in which they run.
type Shape = (String, Vec<Test>);

/// Prepares the guests of these shapes. Shapes that cannot be built on this machine are left out, and their tests count
/// as skipped. Returns the other shapes and the counts.
fn buildable(shapes: Vec<Shape>) -> Result<(Vec<Shape>, Tally), ChoreError> {
    let (mut kept, mut tally) = (Vec::new(), Tally::default());
    for (shape, tests) in shapes {
        match build_shape(&shape)? {
            None => kept.push((shape, tests)),
            Some(why) => {
                println!("skipped  {shape}, {} tests: {why}", tests.len());
                tally.skip(tests.len());
            }
        }
    }
    // Tests of the host need a working guest too, so they are skipped if no shape with a guest remains.
    if kept.iter().all(|(shape, _)| shape == HOST) {
        tally.skip(kept.drain(..).map(|(_, tests)| tests.len()).sum());
    }
    Ok((kept, tally))
}

/// Builds the guest of a shape; returns the reason if this machine cannot build it, else `None`.
fn build_shape(shape: &str) -> Result<Option<String>, ChoreError> {
    if shape == HOST {
        return Ok(None);
    }
    let mut build = Command::new(root().join("vm/build"));
    let output = build.arg(shape).stdout(Stdio::inherit()).output().map_err(ChoreError::at("vm/build"))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(None),
        Some(CANNOT) => Ok(Some(said.lines().last().unwrap_or_default().to_owned())),
        _ => Err(ChoreError::Bench(format!("vm/build {shape}: {said}"))),
    }
}

/// Runs the tests of all shapes on as many threads as there are CPUs, and returns the counts.
fn side_by_side(bed: &Bed, shapes: Vec<Shape>) -> Tally {
    let lanes = std::thread::available_parallelism().map_or(1, usize::from).min(shapes.len());
    let waiting = Mutex::new(shapes.into_iter());
    let next = || waiting.lock().ok()?.next();
    let lane = || {
        std::iter::from_fn(next).fold(Tally::default(), |sum, (shape, tests)| sum + bed.run(&shape, &tests))
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        lanes
            .into_iter()
            .map(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .sum()
    })
}
