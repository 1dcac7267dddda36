//! What becomes of the machine and of the store when a disk fails, at every call by which a program would change it.

mod disk;
mod journal;
mod store;

use std::fs;
use std::path::Path;

use fauxplat_sys::process::Exit;

use crate::machine::Fake;
use crate::progress::Progress;
use disk::{ERRORS, Fault};

/// A program that changes files, and what has to be true after its end.
trait Subject {
    fn name(&self) -> &str;
    /// Runs it on a disk that is whole; how many calls would have met a fault.
    fn calls(&self) -> u32;
    /// Runs it on a disk that fails, and looks at what is left; whether something was left undone.
    fn meet(&self, fault: Fault) -> bool;
}

/// So many faults of each subject in a test. A campaign takes them all.
const FEW: usize = 30;

/// Faults under whatever journals are written by.
pub(crate) fn of_the_journal(fake: &Fake) -> String {
    few(&journal::subjects(fake))
}

/// Faults under stores.
pub(crate) fn of_the_store() -> String {
    few(&store::subjects(&store::Seed::new()))
}

/// Every fault of the subjects whose name has the word. Prints a line of the record for each subject.
pub(crate) fn run(words: &[&str], mut progress: Progress) {
    if let Some(why) = cannot_be_tried() {
        return println!("{why}");
    }
    let (fake, seed) = (Fake::new(), store::Seed::new());
    let word = words.first().unwrap_or(&"");
    let mut total = 0;
    for subject in journal::subjects(&fake).iter().chain(&store::subjects(&seed)) {
        if subject.name().contains(word) {
            let found = under(subject.as_ref(), usize::MAX, &mut progress);
            println!("{found}");
            total += found.tried;
        }
    }
    println!("{total} faults, and after each of them all was as it has to be");
    progress.finish();
}

fn few(subjects: &[Box<dyn Subject + '_>]) -> String {
    if let Some(why) = cannot_be_tried() {
        return why.into();
    }
    let told: Vec<String> = subjects
        .iter()
        .map(|subject| {
            let found = under(subject.as_ref(), FEW, &mut Progress::default());
            format!("{}: {} faults of {} calls", found.name, found.tried, found.calls)
        })
        .collect();
    told.join(", ")
}

fn cannot_be_tried() -> Option<&'static str> {
    cfg!(not(target_arch = "x86_64")).then_some("skipped: calls are answered on x86-64 alone")
}

/// What a subject showed.
struct Found {
    name: String,
    calls: u32,
    tried: usize,
    failed: usize,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Found { name, calls, tried, failed } = self;
        write!(
            f,
            "{name:<24} {tried:>5} faults of {calls:>4} calls: {failed:>5} left something undone, {:>5} kept it from \
             nothing",
            tried - failed
        )
    }
}

/// Lets a subject meet at most so many faults, evenly spread. Those that a campaign has met already are counted as they were.
fn under(subject: &dyn Subject, most: usize, progress: &mut Progress) -> Found {
    let calls = subject.calls();
    let all = faults(calls);
    let mut found = Found { name: subject.name().to_owned(), calls, tried: 0, failed: 0 };
    for fault in all.iter().step_by(step(all.len(), most)) {
        let round = format!("{}, {fault:?}", found.name);
        let failed = match progress.of_round(&round) {
            Some(shown) => shown == FAILED,
            None => {
                let failed = subject.meet(*fault);
                progress.note(&round, if failed { FAILED } else { DONE });
                failed
            }
        };
        found.tried += 1;
        found.failed += usize::from(failed);
    }
    found
}

/// What the file of a campaign says of a fault.
const FAILED: &str = "failed";
const DONE: &str = "done";

/// Every fault of a program that makes so many calls: one alone, with each error in turn, and a disk that is gone.
fn faults(calls: u32) -> Vec<Fault> {
    let of_a_call = |at| {
        let errors = ERRORS.into_iter();
        errors.flat_map(move |errno| [false, true].map(|for_good| Fault { at, for_good, errno }))
    };
    (0..calls).flat_map(of_a_call).collect()
}

/// How far apart the faults are that are taken of so many. With the kinds of a call, of which there are six, it has no
/// divisor in common, so that each kind comes as often.
fn step(all: usize, most: usize) -> usize {
    let kinds_alike = |step: &usize| !step.is_multiple_of(2) && !step.is_multiple_of(3);
    (all.div_ceil(most).max(1)..).find(kinds_alike).expect("a number")
}

/// Whether a program ended with an error, which it has to tell in a line of its own; the file is its standard error.
#[track_caller]
fn failed(exit: Exit, said: &Path, when: &str) -> bool {
    let said = fs::read_to_string(said).expect("what it said");
    match exit {
        Exit::Status(0) => false,
        Exit::Status(3) => {
            assert!(
                said.lines().any(|line| line.starts_with("fauxplat: ")),
                "{when}: no reason but {said:?}"
            );
            true
        }
        other => panic!("{when}: {other:?}: {said}"),
    }
}
