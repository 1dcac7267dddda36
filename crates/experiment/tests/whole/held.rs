//! Runs whose process exists before its program begins, so that tools can attach.

use fauxplat_experiment::Failure;
use fauxplat_launch::simulated::Machine;
use fauxplat_model::{Definition, Outcome, Runs};

use crate::support::{Heard, Laboratory, MS, free, noisy};

fn machine() -> Machine {
    Machine::quiet(1, vec![noisy("a", MS), noisy("b", MS)])
}

#[test]
fn somebody_attaches_before_the_program_begins_and_no_sample_comes_of_it() {
    let laboratory = Laboratory::new();
    let mut driver = laboratory.begin("run", free(), machine());
    let mut attached = None;
    let outcome = driver.hold(1, |pid| {
        attached = Some(pid);
        Ok(())
    });
    assert_eq!(outcome.unwrap(), Some(Outcome::Exited(0)));
    let pid = attached.expect("the process was there");
    assert!(laboratory.heard().contains(&Heard::Held { command: 1, pid }));
    assert!(driver.samples().is_empty(), "a held run is no timed sample");
}

#[test]
fn whoever_cannot_attach_ends_the_run_and_the_next_one_begins() {
    let laboratory = Laboratory::new();
    let definition = Definition { runs: Runs::Count(3), ..free() };
    let mut driver = laboratory.begin("run", definition, machine());
    let refused = driver.hold(0, |_| Err(Failure::machine("no counter is left")));
    assert_eq!(refused.unwrap_err().to_string(), "no counter is left");
    assert_eq!(driver.hold(0, |_| Ok(())).unwrap(), Some(Outcome::Exited(0)));
    let (_, failed) = fauxplat_experiment::measure::run::run(&mut driver, Default::default());
    assert!(failed.is_none());
    assert_eq!(driver.samples().len(), 6);
}

#[test]
fn a_stop_before_the_program_begins_is_no_run() {
    let laboratory = Laboratory::new();
    let stopped = Machine { stopped_at_ns: Some(500_000), ..machine() };
    let mut driver = laboratory.begin("run", free(), stopped);
    // The runs of the empty program alone take longer than the time until the stop.
    let outcome = driver.hold(0, |_| panic!("there is nothing to attach to"));
    assert_eq!(outcome.unwrap(), None);
}
