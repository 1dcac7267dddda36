//! Checks the machine and the store after a disk has failed at a system call by which a program would change it.

mod disk;
mod journal;
mod store;

use std::fs;
use std::path::Path;

use fauxplat_sys::process::Exit;

use crate::machine::Fake;
use crate::progress::Progress;
use disk::{ERRORS, Fault};

/// A program that changes files, with the checks that must hold after its end.
trait Subject {
    fn name(&self) -> &str;
    /// Runs the program on an intact disk; returns the number of calls at which a fault could be.
    fn calls(&self) -> u32;
    /// Runs the program on a disk that fails, and checks the result; returns whether something was left undone.
    fn meet(&self, fault: Fault) -> bool;
}

/// Number of faults that a test tries with each subject; a campaign tries all.
const FEW: usize = 30;

/// Tries some faults with each writer of the journal; returns a report of the results.
pub(crate) fn of_the_journal(fake: &Fake) -> String {
    few(&journal::subjects(fake))
}

/// Tries some faults with each way of writing a store; returns a report of the results.
pub(crate) fn of_the_store() -> String {
    few(&store::subjects(&store::Seed::new()))
}

/// Tries every fault with the subjects whose names contain the given word. Prints a line of the record for each
/// subject.
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

/// Tries at most this many faults with a subject, evenly spread. Results of an interrupted earlier campaign are not
/// tried again.
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

/// Words in the file that records a campaign's progress, for the results of faults.
const FAILED: &str = "failed";
const DONE: &str = "done";

/// All faults of a program with this many calls: a single failing call, with each error in turn, and a disk that fails
/// from a call on.
fn faults(calls: u32) -> Vec<Fault> {
    let of_a_call = |at| {
        let errors = ERRORS.into_iter();
        errors.flat_map(move |errno| [false, true].map(|for_good| Fault { at, for_good, errno }))
    };
    (0..calls).flat_map(of_a_call).collect()
}

/// Distance, in the list of all faults, between the faults that are tried. The distance has no common divisor with the
/// six kinds of faults, so that each kind occurs equally often.
fn step(all: usize, most: usize) -> usize {
    let kinds_alike = |step: &usize| !step.is_multiple_of(2) && !step.is_multiple_of(3);
    (all.div_ceil(most).max(1)..).find(kinds_alike).expect("a number")
}

/// Whether a program ended with an error (exit code 3). Its standard error, in the file `said`, must then have a
/// message about the error.
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
