//! Runs a test program under a configuration, and reads its results from its log.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fauxplat_sys::signal;

use super::configuration::Configuration;
use crate::cargo::Executable;
use crate::error::ChoreError;

/// Time after which a test program counts as hanging, even on a slow machine.
const LIMIT: Duration = Duration::from_secs(45 * 60);

/// Results of the tests of a program.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Tests {
    pub(super) passed: usize,
    /// Names of failed tests; a program that reported no test at all has one entry.
    pub(super) failed: Vec<String>,
    /// Reasons that tests printed for skipping something although they passed.
    pub(super) skipped: Vec<String>,
}

impl Tests {
    /// Reads results from the log of a program; `how` says how the program ended.
    pub(super) fn of_log(log: &str, ended_well: bool, how: &str) -> Self {
        let mut tests = Tests::default();
        for line in log.lines() {
            match line.strip_prefix("test ").and_then(|line| line.rsplit_once(" ... ")) {
                Some((_, "ok")) => tests.passed += 1,
                Some((_, end)) if end.starts_with("ok (") => tests.passed += 1,
                Some((name, "FAILED")) => tests.failed.push(name.to_owned()),
                _ if line.trim_start().starts_with("skipped") => tests.skipped.push(line.trim().to_owned()),
                _ => {}
            }
        }
        if !ended_well && tests.failed.is_empty() {
            tests.failed.push(format!("the whole program: {how}"));
        }
        tests
    }
}

/// Runs a test program with its output in the file `log`, and ends processes that it leaves running.
pub(super) fn run(
    program: &Executable,
    configuration: &Configuration,
    filters: &[&str],
    log: &Path,
) -> Result<Tests, ChoreError> {
    let out = File::create(log).map_err(ChoreError::at(log))?;
    let both = out.try_clone().map_err(ChoreError::at(log))?;
    let mut command = configuration.command(program)?;
    command.args(filters).arg("--show-output").stdout(out).stderr(both).stdin(Stdio::null());
    let mut child = command.spawn().map_err(ChoreError::at(&program.path))?;
    let end = Instant::now() + LIMIT;
    let status = loop {
        match child.try_wait().map_err(ChoreError::at(&program.path))? {
            Some(status) => break Some(status),
            None if Instant::now() > end => break None,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    // The program leads a process group whose number is its process id, even if it has become the leader of a session.
    signal::send_to_group(child.id() as i32, signal::SIGKILL);
    if status.is_none() {
        child.wait().map_err(ChoreError::at(&program.path))?;
    }
    let text = String::from_utf8_lossy(&fs::read(log).map_err(ChoreError::at(log))?).into_owned();
    let how =
        status.map_or_else(|| format!("it did not end within {} s", LIMIT.as_secs()), |it| it.to_string());
    Ok(Tests::of_log(&text, status.is_some_and(|status| status.success()), &how))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_harness_says_is_counted() {
        let log = "running 3 tests\ntest a::b ... ok\ntest c ... FAILED\ntest d ... ignored\n\
                   ---- a::b stdout ----\nskipped: no second CPU\ntest kills on a machine ... ok (45 kills)\n\
                   test result: FAILED. 1 passed; 1 failed\n";
        let tests = Tests::of_log(log, false, "exit status: 101");
        assert_eq!(
            (tests.passed, tests.failed, tests.skipped),
            (2, vec!["c".into()], vec!["skipped: no second CPU".into()])
        );
        let died = Tests::of_log("running 3 tests\ntest a ... ok\n", false, "signal: 6 (SIGABRT)");
        assert_eq!(died.failed, ["the whole program: signal: 6 (SIGABRT)"]);
    }
}
