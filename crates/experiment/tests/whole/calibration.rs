//! `aa`: a calibration counts the false verdicts of many complete comparisons, and the true differences that are found.

use fauxplat_experiment::measure::aa::{Calibration, Stratum, calibrate, twice};
use fauxplat_experiment::{Driver, Finished};
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{Behaviour, Failure, Machine, When};
use fauxplat_model::document::Findings;
use fauxplat_model::{AaFindings, CommandLine, Definition, Rule};
use fauxplat_store::State;
use fauxplat_sys::process::Exit;

use crate::support::{Laboratory, MS, free, noisy};

/// Makes a calibration of one program, which is copied and never executed, on a machine that `change` changes.
pub(crate) fn calibrated(
    laboratory: &Laboratory,
    asked: &Calibration,
    rule: Rule,
    change: impl Fn(&mut Machine),
) -> Finished {
    let program = laboratory.program();
    let mut definition = Definition { rule, ..free() };
    definition.commands =
        vec![CommandLine { command: shell_words::quote(&program).into(), ..CommandLine::default() }];
    twice(&mut definition).unwrap();
    let mut machine = Machine::quiet(9, vec![Behaviour { name: program, ..noisy("", 5.0 * MS) }]);
    change(&mut machine);
    let mut driver = Driver::of_commands(laboratory.beginning("aa", definition, machine)).unwrap();
    match calibrate(&mut driver, asked) {
        Ok((findings, failed)) => driver.finish(Findings::Aa(findings), failed),
        Err(failure) => driver.give_up(failure),
    }
}

fn found(finished: &Finished) -> &AaFindings {
    let Findings::Aa(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
    found
}

#[test]
fn identical_copies_are_called_different_no_more_often_than_the_level_says() {
    let laboratory = Laboratory::new();
    let strata = vec![Stratum::Plain, Stratum::Layout];
    let asked = Calibration { strata, comparisons: 50, power: None, rivals: false };
    let rule = Rule { level: 0.05, max_pairs: 40, ..Rule::default() };
    let finished = calibrated(&laboratory, &asked, rule, |machine| machine.drift_per_s = 0.01);
    laboratory.is_sound(&finished, State::Finished);
    let names: Vec<&str> = found(&finished).strata.iter().map(|stratum| stratum.name.as_str()).collect();
    assert_eq!(names, ["plain", "layout"]);
    for stratum in &found(&finished).strata {
        assert_eq!(stratum.comparisons, 50);
        // 5 % of 50, plus three standard errors.
        assert!(stratum.false_verdicts <= 7, "{stratum:?}");
        // With forty pairs some comparisons remain inconclusive.
        assert!(stratum.equivalent > 30, "{stratum:?}");
    }
}

#[test]
fn more_work_is_found_with_its_amount() {
    let laboratory = Laboratory::new();
    let asked =
        Calibration { strata: vec![Stratum::Plain], comparisons: 2, power: Some((0.05, 20)), rivals: false };
    let finished = calibrated(&laboratory, &asked, Rule::default(), |_| ());
    laboratory.is_sound(&finished, State::Finished);
    let power = &found(&finished).power[0];
    assert_eq!((power.comparisons, power.found, power.wrong_sign), (20, 20, 0));
    assert!((power.effect_mean_ratio / 1.05 - 1.0).abs() < 0.01, "{power:?}");
}

/// The blocks of several comparisons have distinct numbers, so that the record can be divided into comparisons again.
#[test]
fn comparisons_of_one_record_have_blocks_of_their_own() {
    let laboratory = Laboratory::new();
    let asked = Calibration { strata: vec![Stratum::Plain], comparisons: 5, power: None, rivals: false };
    let rule = Rule { max_pairs: 12, ..Rule::default() };
    let finished = calibrated(&laboratory, &asked, rule, |_| ());
    let samples = finished.record().samples;
    assert!(samples.is_sorted_by_key(|sample| sample.block));
    let (last, pairs) = (samples.last().unwrap().block, found(&finished).strata[0].pairs_mean);
    assert!(f64::from(last) >= 5.0 * pairs - 1.0, "{last} {pairs}");
}

#[test]
fn a_user_who_stops_it_gets_the_comparisons_that_were_complete() {
    let laboratory = Laboratory::new();
    let asked = Calibration { strata: vec![Stratum::Plain], comparisons: 1000, power: None, rivals: false };
    let rule = Rule { max_pairs: 12, ..Rule::default() };
    let finished =
        calibrated(&laboratory, &asked, rule, |machine| machine.stopped_at_ns = Some(2_000_000_000));
    laboratory.is_sound(&finished, State::Stopped);
    let stratum = &found(&finished).strata[0];
    assert!((2..1000).contains(&stratum.comparisons), "{stratum:?}");
}

/// Comparisons that were complete before the calibration failed are reported, in any stratum.
#[test]
fn a_calibration_that_fails_keeps_the_comparisons_before() {
    let laboratory = Laboratory::new();
    let asked = Calibration { strata: vec![Stratum::Plain], comparisons: 1000, power: None, rivals: false };
    let rule = Rule { max_pairs: 12, ..Rule::default() };
    let finished = calibrated(&laboratory, &asked, rule, |machine| machine.dies_at_run = Some(300));
    laboratory.is_sound(&finished, State::Failed);
    let stratum = &found(&finished).strata[0];
    assert!((2..1000).contains(&stratum.comparisons), "{stratum:?}");
    let pairs = stratum.pairs_mean * f64::from(u32::try_from(stratum.comparisons).unwrap());
    assert!(pairs <= finished.record().samples.len() as f64 / 2.0, "{stratum:?}");
    assert!(finished.failed.as_ref().unwrap().to_string().contains("as its description says"));
}

#[test]
fn a_calibration_that_fails_at_once_finds_nothing() {
    let laboratory = Laboratory::new();
    let asked =
        Calibration { strata: vec![Stratum::Plain], comparisons: 5, power: Some((0.05, 5)), rivals: false };
    let finished = calibrated(&laboratory, &asked, Rule::default(), |machine| {
        let end = RunEnd::Ended(Exit::Status(1));
        machine.programs[0].failures = vec![Failure { when: When::Every(1), end }];
    });
    laboratory.is_sound(&finished, State::Failed);
    let found = found(&finished);
    assert!(found.strata.is_empty() && found.power.is_empty(), "{found:?}");
}
