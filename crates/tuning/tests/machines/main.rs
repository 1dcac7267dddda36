//! Machines made of files are tuned and restored. The guardian process is this test program, which therefore has no
//! harness.
//!
//! Cases that need another user or a mount need root, and report if they cannot run.
#![expect(clippy::disallowed_macros, reason = "a test without a harness says what it did")]

mod disks;
mod journals;
mod knobs;
mod machine;
mod others;
mod strangers;

use std::path::Path;
use std::process::ExitCode;

use fauxplat_tuning::{Restore, Root, TuneError, Tuning, restore, settings};

/// Word on the command line with which this program becomes the guardian.
const GUARD: &str = "guard";
/// Words on the command line with which this program tunes a machine and lets it stay so, tunes it for a moment, or
/// restores it. The paths of the root and of the journal follow.
const KEEP: &str = "keep";
const HOLD: &str = "hold";
const RESTORE: &str = "restore";
/// Word with which this program prints the default path of the journal.
const WHERE: &str = "where";

const SETTINGS: [&str; 3] = ["swappiness=1", "ksm=off", "stat-interval=7"];

type Case = (&'static str, fn());

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == GUARD) {
        let done = fauxplat_tuning::guard(&words[1..]);
        return if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if words.first().is_some_and(|word| word == WHERE) {
        println!("{}", fauxplat_tuning::default_journal().display());
        return ExitCode::SUCCESS;
    }
    if let [verb @ (KEEP | HOLD | RESTORE), root, journal] =
        words.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        let done = perform(verb, &Root::new(Path::new(root)), Path::new(journal));
        return done.map_or_else(
            |error| {
                eprintln!("{error}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let cases: Vec<Case> =
        [knobs::CASES, others::CASES, journals::CASES, strangers::CASES, disks::CASES].concat();
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

/// Carries out the action that `verb` names, in a process that a test has started with limits.
fn perform(verb: &str, root: &Root, journal: &Path) -> Result<(), TuneError> {
    if verb == RESTORE {
        return restore(root, journal, Restore::default(), "test").map(drop);
    }
    let mut tuned = Tuning {
        root: root.clone(),
        journal: journal.to_owned(),
        settings: settings(&SETTINGS.map(str::to_owned))?,
        command: false,
        machine_wide: true,
        all_or_nothing: false,
        wait: true,
        replace: false,
        max: None,
        argv: &machine::WORDS.map(str::to_owned),
        guardian_verb: GUARD,
    }
    .apply()?;
    match verb {
        KEEP => tuned.keep(false).map(drop),
        _ => tuned.restore().map(drop),
    }
}
