//! Tests of calls that change a whole process: each test case runs on the first thread of a separate process, and
//! compares the effect with `/proc`.
//!
//! Root is needed for the real-time policy, whose case reports when it is not permitted.
#![expect(clippy::disallowed_methods, reason = "the test starts itself, and processes to wait for")]
#![expect(clippy::disallowed_macros, reason = "a test without a harness says what it did")]

mod child;
mod process;
mod sched;
mod signal;

use std::process::{Command, ExitCode};

/// Environment variable of the process that runs one case: the name of the case.
const CASE: &str = "FAUXPLAT_TEST_CASE";

type Case = (&'static str, fn());

fn cases() -> Vec<Case> {
    [sched::CASES, child::CASES, process::CASES, signal::CASES].concat()
}

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let case = cases().into_iter().find(|case| case.0 == name);
        case.unwrap_or_else(|| panic!("there is no case {name}")).1();
        return ExitCode::SUCCESS;
    }
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if std::env::args().any(|word| word == "--list") {
        cases().iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let wanted = |case: &Case| asked.is_empty() || asked.iter().any(|word| case.0.contains(word.as_str()));
    let failed = cases().into_iter().filter(wanted).filter(|case| !passes(case.0)).count();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn passes(name: &str) -> bool {
    let passed = Command::new("/proc/self/exe").env(CASE, name).status().unwrap().success();
    println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
    passed
}

/// Returns a field of `/proc/PID/stat` by its number in `proc_pid_stat(5)`, from 4 on.
fn stat_field(line: &str, number: usize) -> i64 {
    let behind_name = line.rsplit_once(')').unwrap().1;
    behind_name.split_whitespace().nth(number - 3).unwrap().parse().unwrap()
}

/// Returns the value of a key in a file such as `/proc/self/status`.
fn value(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.map(|value| value.trim().to_owned())
}
