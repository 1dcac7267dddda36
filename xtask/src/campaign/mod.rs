//! Campaigns: chores that take hours, can be interrupted and resumed, and leave a record.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a chore starts programs, looks at the clock and prints"
)]

mod bisect;
mod bounds;
mod burner;
mod configuration;
mod drawn;
mod elsewhere;
mod fuzz;
mod gates;
mod kinds;
mod labs;
mod machines;
mod peers;
mod program;
mod server;
mod verdicts;
mod why;

use std::path::PathBuf;

use crate::error::ChoreError;
use crate::{cargo, vm};

const USAGE: &str = "usage: cargo xtask campaign CAMPAIGN
  kills [--in SHAPE] [N [SCENARIO]]           end the tuner with SIGKILL at its system calls, and compare the machine
  interrupts [--kill] [--seed S] [N [VERB]]   press Ctrl-C on a terminal at random moments of each measuring verb, or kill it
  faults [SUBJECT]                            a disk that fails at every call by which journal and store are written
  fuzz [--minutes N] [--mutator] [TARGET]…    fuzz each target for so many minutes (10), by cargo-fuzz if installed
  drawn [--cases N] [PACKAGE]…                property tests with many (5000) new random cases, to the first failure
  verdicts [--minutes N] [KIND]…              what `compare` says of everyday programs: identical, 2 % apart, slow now and then
  labs [--in SHAPE] [--minutes N] [NAME]…     every lab, here or in a guest, within so many minutes (60); those that are on
                                              record already are not run again
  bisect [N]                                  N (20) searches of a planted change of 3 %, and of none, beside a burner
  gates [--beside-burner] [PERCENT|same [N]]  what `--fail-if slower` says of N (20) regressions of PERCENT (3) of real programs;
                                              with `same` how soon a program is equivalent to itself
  gates printed [PERCENT [N]]                 the same for a number that a program prints with 3 % of noise, within 20 s
  bounds [N]                                  N (50) comparisons of peak memory as an ordinary user, of each of ten kinds
  why [--beside-burner] [--program FILE] [WORD]…
                                              pairs with a planted cause and such a word in their names: is it named first?
  peers [WORD]…                               what perf, cg_diff and flame graphs show first for the pairs of `why`
  server [--kills N]                          sixteen writers of a shared store, whose server is killed (8 times) in their midst
  elsewhere [--in CONFIGURATION]… [PACKAGE]…  every test under every configuration of machine and user, or the test programs
                                              that are named, as `--program cli.blink`
All but `server` go on where they were ended; their results are kept in target/campaign.";

pub(crate) fn run(words: &[&str]) -> Result<(), ChoreError> {
    match words {
        ["kills", "--in", shape, rest @ ..] => vm::kills(shape, rest, &folder(&format!("kills/{shape}"))?),
        ["kills", rest @ ..] => of_kills("campaign", "kills.progress", rest),
        ["interrupts", rest @ ..] => of_kills("interrupts", "interrupts.progress", rest),
        ["faults", rest @ ..] => of_kills("faults", "faults.progress", rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["drawn", rest @ ..] => drawn::run(rest),
        ["verdicts", rest @ ..] => verdicts::run(rest),
        ["labs", rest @ ..] => labs::run(rest),
        ["bisect", rest @ ..] => bisect::run(rest),
        ["gates", rest @ ..] => gates::run(rest),
        ["bounds", rest @ ..] => bounds::run(rest),
        ["why", rest @ ..] => why::run(rest),
        ["peers", rest @ ..] => peers::run(rest),
        ["server", rest @ ..] => server::run(rest),
        ["elsewhere", rest @ ..] => elsewhere::run(rest),
        _ => Err(ChoreError::Usage(USAGE)),
    }
}

/// Runs a campaign of the test program `kills`, which stores its progress in a file of this name.
fn of_kills(word: &str, file: &str, rest: &[&str]) -> Result<(), ChoreError> {
    let progress = folder("")?.join(file).display().to_string();
    cargo::run_test("fauxplat-cli", "kills", &[&[word, "--progress", &progress], rest].concat())
}

/// Creates the folder in which a campaign stores its progress, and returns its path.
fn folder(name: &str) -> Result<PathBuf, ChoreError> {
    let folder = cargo::target()?.join("campaign").join(name);
    std::fs::create_dir_all(&folder).map_err(ChoreError::at(&folder))?;
    Ok(folder)
}
