//! `sweep`: a level that was made slower is found, and no level is found without one.

use fauxplat_experiment::{Failure, Finished, Kind, measure};
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{self, Behaviour, Machine, When};
use fauxplat_model::document::Findings;
use fauxplat_model::{CommandLine, Definition, Rule, SweepAnswer, SweepFindings};
use fauxplat_store::State;
use fauxplat_sys::process::Exit;

use crate::support::{Laboratory, MS, free, noisy};

/// Makes a sweep over a parameter with `levels` levels; `describe` gives the behaviour of the program at each.
fn swept(laboratory: &Laboratory, levels: u32, describe: impl Fn(u32) -> Behaviour) -> Finished {
    swept_on(laboratory, levels, describe, &|_| ())
}

/// As [`swept`], on a machine that the closure `change` changes.
pub(crate) fn swept_on(
    laboratory: &Laboratory,
    levels: u32,
    describe: impl Fn(u32) -> Behaviour,
    change: &dyn Fn(&mut Machine),
) -> Finished {
    let program = laboratory.program();
    let quoted = shell_words::quote(&program);
    let numbers: Vec<String> = (0..levels).map(|level| level.to_string()).collect();
    let definition = Definition {
        commands: vec![CommandLine { command: format!("{quoted} {{n}}"), ..CommandLine::default() }],
        sweep: Some(format!("n={}", numbers.join(","))),
        rule: Rule { max_pairs: 60, ..Rule::default() },
        ..free()
    };
    let programs =
        (0..levels).map(|level| Behaviour { name: format!("{program} {level}"), ..describe(level) });
    let mut machine = Machine { drift_per_s: 0.01, ..Machine::quiet(3, programs.collect()) };
    change(&mut machine);
    let beginning = laboratory.beginning("sweep", definition, machine);
    let (mut driver, prepared) = measure::sweep::begin(beginning).unwrap();
    match measure::sweep::sweep(&mut driver, &prepared, false) {
        Ok(findings) => driver.finish(Findings::Sweep(Box::new(findings)), None),
        Err(failure) => driver.give_up(failure),
    }
}

fn found(finished: &Finished) -> &SweepFindings {
    let Findings::Sweep(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
    found
}

#[test]
fn a_level_that_is_slower_is_found_and_named() {
    let laboratory = Laboratory::new();
    let slow = |level| noisy("", if level == 5 { 5.5 * MS } else { 5.0 * MS });
    let finished = swept(&laboratory, 8, slow);
    laboratory.is_sound(&finished, State::Finished);
    let finding = &found(&finished).finding;
    assert_eq!(finding.answer, SweepAnswer::Effect);
    assert_eq!((finding.peaks_total, finding.peaks[0].level.as_str()), (1, "5"));
    let ratio = found(&finished).levels[5].ratio.unwrap();
    assert!((ratio - 1.1).abs() < 0.01, "{ratio}");
}

#[test]
fn equal_levels_have_no_effect() {
    let laboratory = Laboratory::new();
    let finished = swept(&laboratory, 8, |_| noisy("", 5.0 * MS));
    laboratory.is_sound(&finished, State::Finished);
    let finding = &found(&finished).finding;
    assert_eq!((finding.answer, finding.peaks_total), (SweepAnswer::NoEffect, 0));
    assert!(finding.difference_high_ratio < 1.0 + finding.margin, "{finding:?}");
    assert!(found(&finished).levels.iter().all(|level| level.runs > 0 && level.failures == 0));
}

fn failing(when: When) -> Behaviour {
    let end = RunEnd::Ended(Exit::Signal(6));
    Behaviour { failures: vec![simulated::Failure { when, end }], ..noisy("", 5.0 * MS) }
}

#[test]
fn a_level_at_which_the_command_fails_is_a_finding() {
    let laboratory = Laboratory::new();
    let one = |level| if level == 2 { failing(When::Every(1)) } else { noisy("", 5.0 * MS) };
    let finished = swept(&laboratory, 8, one);
    laboratory.is_sound(&finished, State::Finished);
    let failing = &found(&finished).finding.failing;
    assert_eq!((failing.len(), failing[0].level.as_str(), failing[0].exit_status), (1, "2", 134));
    assert_eq!(failing[0].runs, failing[0].failures);
}

#[test]
fn a_command_that_fails_at_every_level_is_none() {
    let laboratory = Laboratory::new();
    let finished = swept(&laboratory, 8, |_| failing(When::Every(1)));
    laboratory.is_sound(&finished, State::Failed);
    let failed: &Failure = finished.failed.as_ref().unwrap();
    assert_eq!(failed.kind(), Kind::Command);
    assert!(failed.to_string().contains("signal 6 (SIGABRT)"), "{failed}");
    assert!(finished.record().samples.len() < 10);
}
