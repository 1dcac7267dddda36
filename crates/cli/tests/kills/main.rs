//! Kills the tuner, its process group, or the guardian too, at any of its system calls, and checks that the machine is
//! as it was: every knob, every CPU, every task's affinity, every cpuset, every interrupt.
//!
//! The tuner is traced by `ptrace(2)` and does not notice: it goes from one system call to the next, and is ended
//! before or after one of them. In this way each step of writing the journal is interrupted in some round, and also
//! everything between the steps.
//!
//! As a test, this program makes a few rounds. `cargo xtask campaign kills [N [WORD]]` makes N rounds of the scenarios
//! whose names have the word, and prints a record. `cargo xtask campaign interrupts` presses Ctrl-C instead, on a real
//! terminal, at any moment of every verb that measures, or ends the verb with SIGKILL (`--kill`). `cargo xtask campaign
//! faults [WORD]` tries every error of a disk at every call. Each campaign can be interrupted and continued.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "this program starts the tuner and its victims by itself, and prints what it finds"
)]

mod actors;
mod campaign;
mod faults;
mod interrupts;
mod machine;
mod progress;
mod round;
mod state;
mod traced;

use std::path::PathBuf;

use machine::{Fake, Native};
use progress::Progress;

/// The argument with which this program becomes a task that the tuner disturbs.
const ACTOR: &str = "__actor";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [ACTOR, kind] => actors::act(kind),
        ["faults", "--progress", file, ref rest @ ..] => faults::run(rest, Progress::of(Some(file))),
        ["faults", ref rest @ ..] => faults::run(rest, Progress::default()),
        ["campaign", "--progress", file, ref rest @ ..] => long(rest, Progress::of(Some(file))),
        ["campaign", ref rest @ ..] => long(rest, Progress::default()),
        ["interrupts", "--progress", file, ref rest @ ..] => interrupts::run(rest, Progress::of(Some(file))),
        ["interrupts", ref rest @ ..] => interrupts::run(rest, Progress::default()),
        // A word chooses the tests whose names contain it, as with the usual test harness, which this program does not
        // use.
        _ => tests(words.iter().find(|word| !word.starts_with('-')).map_or("", String::as_str)),
    }
}

/// Runs the long campaign, with the arguments `[N [WORD]]`: the number of rounds, 1000 by default, and a word in the
/// names of scenarios.
fn long(words: &[&str], progress: Progress) {
    let rounds = words.first().map_or(1000, |rounds| rounds.parse().expect("a number of rounds"));
    campaign::run(rounds, words.get(1).unwrap_or(&""), progress);
}

/// The fauxplat binary under test: that of this build, or the file that `FAUXPLAT_BINARY` names where the build folder
/// is not available.
fn fauxplat() -> PathBuf {
    let named = std::env::var_os("FAUXPLAT_BINARY").map(PathBuf::from);
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_fauxplat").into())
}

fn tests(filter: &str) {
    let test = |name: &str, body: &dyn Fn() -> String| {
        if name.contains(filter) {
            println!("test {name} ... ok ({})", body());
        }
    };
    test("kills on a made-up machine", &|| campaign::few(&Fake::new().scenarios(), 45));
    test("a disk that fails under the journal", &|| faults::of_the_journal(&Fake::new()));
    test("a disk that fails under the store", &|| faults::of_the_store());
    let native = match Native::enter() {
        Ok(native) => native,
        Err(why) => return println!("skipped: kills on this machine, and hotplug: {why}"),
    };
    test("kills on this machine", &|| campaign::few(&native.scenarios(), 9));
    test("journals of this machine", &|| native.journals());
    test("who may run where, after shields and hotplug", &|| native.matrix());
}
