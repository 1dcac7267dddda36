//! Machines made of files are changed and put back. The guardian is this very program, so the test has no harness.
//!
//! Needs root: the journal that belongs to somebody else, which says so where it cannot be made.
#![expect(clippy::disallowed_macros, reason = "a test without a harness says what it did")]

mod journals;
mod knobs;
mod machine;
mod others;

use std::process::ExitCode;

/// The word by which this program becomes the guardian.
const GUARD: &str = "guard";

type Case = (&'static str, fn());

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == GUARD) {
        let done = fauxplat_tuning::guard(&words[1..]);
        return if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let cases: Vec<Case> = [knobs::CASES, others::CASES, journals::CASES].concat();
    if words.iter().any(|word| word == "--list") {
        cases.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let asked: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let wanted = |case: &&Case| asked.is_empty() || asked.iter().any(|word| case.0.contains(word.as_str()));
    let failed = cases.iter().filter(wanted).filter(|case| !passes(case)).count();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn passes((name, case): &Case) -> bool {
    let passed = std::panic::catch_unwind(case).is_ok();
    println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
    passed
}
