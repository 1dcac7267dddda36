//! Every verb, ended early in every way: the results so far are sound, stored and reported.

use fauxplat_experiment::measure::aa::{Calibration, Stratum};
use fauxplat_experiment::{Finished, Kind};
use fauxplat_launch::simulated::{Behaviour, Machine};
use fauxplat_model::{Definition, Rule, Runs};
use fauxplat_report::Format;
use fauxplat_store::State;

use crate::calibration::calibrated;
use crate::explanation::explained_on;
use crate::support::{Heard, Laboratory, MS, free, noisy, report, reports_render};
use crate::sweeping::swept_on;
use crate::trouble::filled;

/// A function that makes a long experiment of a verb, on a machine that the closure changes.
type Verb = fn(&Laboratory, &dyn Fn(&mut Machine)) -> Finished;

const VERBS: [(&str, Verb); 5] =
    [("run", run), ("compare", compare), ("sweep", sweep), ("explain", explain), ("aa", aa)];

/// Two programs that are too similar for a quick answer.
fn pair() -> Vec<Behaviour> {
    vec![noisy("a", 5.0 * MS), noisy("b", 5.02 * MS)]
}

fn changed(change: &dyn Fn(&mut Machine)) -> Machine {
    let mut machine = Machine::quiet(1, pair());
    change(&mut machine);
    machine
}

fn run(laboratory: &Laboratory, change: &dyn Fn(&mut Machine)) -> Finished {
    laboratory.run(Definition { runs: Runs::Count(100_000), ..free() }, changed(change))
}

fn compare(laboratory: &Laboratory, change: &dyn Fn(&mut Machine)) -> Finished {
    laboratory.compare(free(), changed(change))
}

fn sweep(laboratory: &Laboratory, change: &dyn Fn(&mut Machine)) -> Finished {
    swept_on(laboratory, 8, |_| noisy("", 5.0 * MS), change)
}

fn explain(laboratory: &Laboratory, change: &dyn Fn(&mut Machine)) -> Finished {
    explained_on(laboratory, changed(change))
}

fn aa(laboratory: &Laboratory, change: &dyn Fn(&mut Machine)) -> Finished {
    let asked = Calibration { strata: vec![Stratum::Plain], comparisons: 1000, power: None, rivals: false };
    calibrated(laboratory, &asked, Rule { max_pairs: 12, ..Rule::default() }, change)
}

/// Number of runs of the empty program before the first measured run.
const FLOOR_RUNS: u64 = 15;

#[test]
fn a_spawner_that_dies_leaves_a_sound_record_whenever_it_does() {
    for (name, verb) in VERBS {
        for runs in [0, 3, 41] {
            let laboratory = Laboratory::new();
            let finished = verb(&laboratory, &|machine| machine.dies_at_run = Some(FLOOR_RUNS + runs));
            laboratory.is_sound(&finished, State::Failed);
            let failure = finished.failed.as_ref().unwrap();
            assert_eq!(failure.kind(), Kind::Bug, "{name} after {runs}: {failure}");
            // Each comparison of a calibration starts a new launcher, which runs no empty program.
            let landed = if name == "aa" { FLOOR_RUNS + runs } else { runs };
            assert_eq!(finished.record().samples.len() as u64, landed, "{name} after {runs}");
            assert!(landed > 0 || !finished.has_measured(), "{name} after {runs}");
            let text = report(&finished, Format::Text).unwrap();
            assert!(text.contains("as its description says"), "{name} after {runs}: {text}");
        }
    }
}

#[test]
fn a_user_who_stops_gets_what_was_measured_whenever_it_was() {
    for (name, verb) in VERBS {
        for stopped_at_ns in [1, 13_000_000, 150_000_000] {
            let laboratory = Laboratory::new();
            let finished = verb(&laboratory, &|machine| machine.stopped_at_ns = Some(stopped_at_ns));
            laboratory.is_sound(&finished, State::Stopped);
            assert!(finished.failed.is_none(), "{name} at {stopped_at_ns}: {:?}", finished.failed);
            let record = finished.record();
            assert!(
                record.samples.iter().all(|sample| sample.outcome.is_success()),
                "{name}: a cut run is none"
            );
            let ends_ns = |sample: &fauxplat_model::Sample| {
                sample.started_ns + sample.get(fauxplat_model::Metric::WALL).unwrap_or(0)
            };
            let is_before = |sample| name == "aa" || ends_ns(sample) <= stopped_at_ns;
            assert!(record.samples.iter().all(is_before), "{name} at {stopped_at_ns}");
            let interrupted = record.header.warnings.iter().any(|warning| warning.contains("interrupted"));
            assert!(interrupted, "{name} at {stopped_at_ns}: {:?}", record.header.warnings);
        }
    }
}

#[test]
fn a_full_store_keeps_what_it_has_and_the_report_has_all() {
    for (name, verb) in VERBS {
        for room in [0, 24] {
            let laboratory = Laboratory::new();
            filled(&laboratory, room);
            let finished = verb(&laboratory, &|machine| machine.stopped_at_ns = Some(400_000_000));
            assert!(finished.failed.is_none(), "{name} with {room}: {:?}", finished.failed);
            let failure = finished.stored.as_ref().unwrap_err();
            assert_eq!(failure.kind(), Kind::Machine, "{name} with {room}: {failure}");
            assert!(failure.to_string().contains("store.sqlite"), "{name} with {room}: {failure}");
            let (stored, record) = (laboratory.stored(), finished.record());
            assert_eq!(stored.samples, record.samples[..room as usize], "{name} with {room}");
            assert!(
                record.samples.len() > room as usize + 1,
                "{name}: it went on, and what did not fit is in the report"
            );
            assert!(stored.findings.is_none(), "{name} with {room}");
            reports_render(&finished);
            let end = Heard::Finished { state: "failed", samples: record.samples.len() };
            assert_eq!(laboratory.heard().last(), Some(&end), "{name} with {room}");
        }
    }
}

/// Every random choice depends only on the seed, not on the time or on earlier experiments.
#[test]
fn the_same_seed_gives_the_same_experiment_again() {
    for (name, verb) in VERBS {
        let again = |seed| {
            let laboratory = Laboratory::new();
            let finished = verb(&laboratory, &|machine| {
                (machine.seed, machine.stopped_at_ns) = (seed, Some(250_000_000));
            });
            (finished.record().samples.to_vec(), laboratory.stored().plan)
        };
        let [first, second, other] = [11, 11, 12].map(again);
        assert!(!first.0.is_empty() && first == second, "{name}");
        assert_ne!(first.0, other.0, "{name}: the machine is another one");
        assert_eq!(first.1, other.1, "{name}: the plan is that of the experiment's own seed");
    }
}

/// An experiment without a store is measured and reported nevertheless.
#[test]
fn without_a_store_nothing_is_missing_but_the_number() {
    let laboratory = Laboratory::new();
    let machine = Machine { stopped_at_ns: Some(100_000_000), ..Machine::quiet(1, pair()) };
    let definition = Definition { runs: Runs::Count(100_000), ..free() };
    let mut beginning = laboratory.beginning("run", definition, machine);
    beginning.store = None;
    let make = |definition: &mut Definition, _: &fauxplat_experiment::Machine| {
        Ok(["a", "b"].map(|name| crate::support::command(name, &definition.condition)).to_vec())
    };
    let mut driver = fauxplat_experiment::Driver::of(beginning, make).unwrap();
    let (findings, failed) = fauxplat_experiment::measure::run::run(&mut driver, Default::default());
    let finished = driver.finish(fauxplat_model::document::Findings::Run(findings), failed);
    assert!(finished.stored.is_ok() && finished.record().header.id.is_none());
    assert!(finished.record().samples.len() > 10);
    assert_eq!(laboratory.heard().first(), Some(&Heard::Begun { id: None, commands: 2 }));
    let told = laboratory.heard().into_iter().filter_map(|one| match one {
        Heard::Samples(samples) => Some(samples.len()),
        _ => None,
    });
    assert_eq!(told.sum::<usize>(), finished.record().samples.len());
    assert!(report(&finished, Format::Text).unwrap().contains("interrupted"));
}
