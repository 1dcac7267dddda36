//! Boots a guest, runs tests in it, reads its output, and records the outcome of each test.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::artifacts::Built;
use super::{HOST, Outcome, Tally, Test};
use crate::cargo::{self, root};
use crate::error::ChoreError;

/// Inputs that the guests of all shapes share.
pub(super) struct Bed {
    pub(super) artifacts: Built,
    /// Time at which the tests of all shapes have to be over.
    pub(super) end: Instant,
}

/// Exit codes of `vm/run` for a guest that reached its time limit, and for one that died.
const TIME_IS_UP: i32 = 124;
const DIED: i32 = 125;

/// Seconds after which a test counts as hanging. A busy machine is several times slower than the one on which the tests
/// were timed, and a slow test is no failure; the limit for all tests together comes first anyway.
fn limit_s(test: &Test) -> u64 {
    test.seconds * 8
}

impl Bed {
    /// Runs the tests of a shape, prints a line for each, and returns the counts. Errors outside of the tests count as
    /// failures of the tests that are left.
    pub(super) fn run(&self, shape: &str, tests: &[Test]) -> Tally {
        let mut boot = Boot { shape, left: tests.to_vec(), tally: Tally::default() };
        if let Err(error) = self.try_run(&mut boot) {
            boot.end_all(Outcome::Failed, &error.to_string());
        }
        boot.tally
    }

    fn try_run(&self, boot: &mut Boot<'_>) -> Result<(), ChoreError> {
        let seconds = self.end.saturating_duration_since(Instant::now()).as_secs();
        let job = job_folder(boot.shape)?;
        if seconds == 0 {
            boot.end_all(Outcome::Skipped, "the time for all guests is up");
            return Ok(());
        }
        if let Err(why) = self.artifacts.lay_out(boot.shape, &job)? {
            boot.end_all(Outcome::Skipped, &why);
            return Ok(());
        }
        let code = follow(command(boot, &job, seconds)?, boot, &job)?;
        match code {
            TIME_IS_UP => boot.end_all(Outcome::Skipped, "the time for all guests is up"),
            DIED => boot.end_all(Outcome::Failed, "the guest died"),
            code => boot.end_all(Outcome::Failed, &format!("the guest ended with {code} before this test")),
        }
        Ok(())
    }
}

/// Makes an empty folder for a shape below cargo's target folder, where logs can be read after the run; returns its
/// path.
fn job_folder(shape: &str) -> Result<PathBuf, ChoreError> {
    let job = cargo::target()?.join("vm").join(shape);
    if job.exists() {
        fs::remove_dir_all(&job).map_err(ChoreError::at(&job))?;
    }
    fs::create_dir_all(job.join("log")).map_err(ChoreError::at(&job))?;
    Ok(job)
}

/// Command that runs the tests: starts a guest, or on the host the script that a guest would run.
fn command(boot: &Boot<'_>, job: &Path, seconds: u64) -> Result<Command, ChoreError> {
    let runner = root().join("vm/guest/run-tests");
    let mut command = match boot.shape {
        HOST => Command::new(runner),
        shape => {
            let mut run = Command::new(root().join("vm/run"));
            run.args([shape, "--seconds", &seconds.to_string(), "--job"]).arg(job).args(["--", "env"]);
            run.arg(format!("FAUXPLAT={}", cargo::target()?.join("debug/fauxplat").display())).arg(runner);
            run
        }
    };
    command.args(boot.left.iter().map(|test| format!("{}:{}", test.name, limit_s(test))));
    command.env("JOB", job).stdout(Stdio::piped());
    Ok(command)
}

/// Reads the lines that `vm/guest/run-tests` prints, as they come, and returns its exit code.
fn follow(mut command: Command, boot: &mut Boot<'_>, job: &Path) -> Result<i32, ChoreError> {
    let mut child = command.spawn().map_err(ChoreError::at("vm/run"))?;
    let mut begun = Instant::now();
    for line in
        child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok)
    {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["begin", _] => begun = Instant::now(),
            ["end", name, code] => {
                let said = fs::read_to_string(job.join("log").join(name)).unwrap_or_default();
                boot.end(name, code.parse().unwrap_or(-1), &said, begun.elapsed().as_secs());
            }
            _ => println!("{}: {line}", boot.shape),
        }
    }
    let status = child.wait().map_err(ChoreError::at("vm/run"))?;
    Ok(status.code().unwrap_or(-1))
}

/// Tests of a shape that have not ended yet, and the counts of those that have.
struct Boot<'a> {
    shape: &'a str,
    left: Vec<Test>,
    tally: Tally,
}

impl Boot<'_> {
    fn end(&mut self, name: &str, code: i32, said: &str, seconds: u64) {
        let Some(index) = self.left.iter().position(|test| test.name == name) else { return };
        let test = self.left.remove(index);
        let outcome = Outcome::of_code(code);
        if outcome == Outcome::Failed && !said.trim().is_empty() {
            println!("{}", said.trim_end());
        }
        let last = match code {
            TIME_IS_UP => format!("it did not end within {} s", limit_s(&test)),
            _ => said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned(),
        };
        self.print(&test, outcome, &format!("({seconds} s) {last}"));
    }

    fn end_all(&mut self, outcome: Outcome, why: &str) {
        for test in std::mem::take(&mut self.left) {
            self.print(&test, outcome, why);
        }
    }

    fn print(&mut self, test: &Test, outcome: Outcome, note: &str) {
        self.tally.count(outcome);
        println!("{:<8} {} {}: {} {}", outcome.word(), self.shape, test.name, test.title, note.trim());
    }
}
