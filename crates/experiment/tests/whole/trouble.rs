//! Experiments that end early: the results so far are kept and reported, with the reason.

use fauxplat_experiment::measure::index::{Power, index};
use fauxplat_experiment::{Beginning, Driver, Finished, Kind};
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{Behaviour, Failure, Machine, When};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, Phase, Policy, Runs, StoppedBy, Verdict};
use fauxplat_report::Format;
use fauxplat_store::{State, Store};
use fauxplat_sys::process::Exit;

use crate::support::{Heard, Laboratory, MS, free, noisy, report, verdict};

fn many() -> Definition {
    Definition { runs: Runs::Count(100_000), ..free() }
}

fn measured(finished: &Finished) -> usize {
    finished.record().samples.iter().filter(|sample| sample.phase == Phase::Measured).count()
}

/// A machine whose spawner dies long before the work is done.
fn deadly(median_ns: f64, programs: &[&str]) -> Machine {
    let programs = programs.iter().map(|name| noisy(name, median_ns)).collect();
    Machine { dies_at_run: Some(60), ..Machine::quiet(1, programs) }
}

#[test]
fn a_spawner_that_dies_leaves_every_run_that_was_over() {
    for median_ns in [5.0 * MS, 0.05 * MS] {
        let laboratory = Laboratory::new();
        let finished = laboratory.run(many(), deadly(median_ns, &["a"]));
        laboratory.is_sound(&finished, State::Failed);
        let failure = finished.failed.as_ref().unwrap();
        assert_eq!(failure.kind(), Kind::Bug, "{failure}");
        // The 15 runs of the empty program come before the first run of the record.
        assert_eq!(finished.record().samples.len(), 60 - 15);
        assert!(finished.has_measured());
        let text = report(&finished, Format::Text).unwrap();
        assert!(text.contains("as its description says") && text.contains("45 runs"), "{text}");
    }
}

#[test]
fn a_comparison_whose_spawner_dies_shows_its_runs() {
    let laboratory = Laboratory::new();
    let finished = laboratory.compare(free(), deadly(5.0 * MS, &["a", "b"]));
    laboratory.is_sound(&finished, State::Failed);
    assert!(matches!(finished.record().findings, Findings::Run(found) if found.len() == 2));
    assert_eq!(finished.record().samples.len(), 45);
}

/// On the machine of this test so many tasks end at once that the kernel cannot report all of them.
#[test]
fn a_report_says_of_how_many_runs_the_account_was_lost() {
    let laboratory = Laboratory::new();
    let machine = Machine { lossy_runs: 3, ..Machine::quiet(1, vec![noisy("a", 5.0 * MS)]) };
    let finished = laboratory.run(Definition { runs: Runs::Count(5), ..free() }, machine);
    laboratory.is_sound(&finished, State::Finished);
    let lost = "migrations of 3 runs: more of their processes ended";
    assert!(finished.record().header.not_measured.iter().any(|it| it.contains(lost)));
    for format in [Format::Text, Format::Json] {
        let text = report(&finished, format).unwrap();
        // Text for a terminal is wrapped.
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(lost), "{text}");
    }
}

#[test]
fn the_user_stops_a_run() {
    for median_ns in [5.0 * MS, 0.05 * MS] {
        let laboratory = Laboratory::new();
        let machine =
            Machine { stopped_at_ns: Some(200_000_000), ..Machine::quiet(1, vec![noisy("a", median_ns)]) };
        let finished = laboratory.run(many(), machine);
        laboratory.is_sound(&finished, State::Stopped);
        assert!(finished.failed.is_none() && measured(&finished) > 10);
        assert!(finished.record().header.warnings[0].contains("interrupted"));
        // A run that the interrupt cut off does not count.
        let samples = finished.record().samples;
        assert!(samples.iter().all(|sample| sample.outcome.is_success()));
        assert!(report(&finished, Format::Text).unwrap().contains("interrupted"));
    }
}

#[test]
fn the_user_stops_a_comparison() {
    let laboratory = Laboratory::new();
    let programs = vec![noisy("a", 5.0 * MS), noisy("b", 5.02 * MS)];
    let machine = Machine { stopped_at_ns: Some(150_000_000), ..Machine::quiet(1, programs) };
    let finished = laboratory.compare(free(), machine);
    laboratory.is_sound(&finished, State::Stopped);
    assert_eq!(verdict(&finished).0, Verdict::Inconclusive);
    let Findings::Compare(found) = finished.record().findings else { unreachable!() };
    assert_eq!(found.comparisons[0].stopped_by, StoppedBy::Interrupt);
}

#[test]
fn the_user_stops_before_the_first_run() {
    let laboratory = Laboratory::new();
    let machine = Machine { stopped_at_ns: Some(1), ..Machine::quiet(1, vec![noisy("a", MS)]) };
    let finished = laboratory.run(Definition { warmup: 1, ..many() }, machine);
    laboratory.is_sound(&finished, State::Stopped);
    assert_eq!(finished.record().samples.len(), 0);
}

/// A comparison tolerates one failure in thirty runs, but not one in three.
#[test]
fn a_comparison_bears_a_few_failed_runs_and_not_many() {
    let failing = |when| {
        let failures = vec![Failure { when, end: RunEnd::Ended(Exit::Status(2)) }];
        vec![noisy("a", 5.0 * MS), Behaviour { failures, ..noisy("b", 6.0 * MS) }]
    };
    let laboratory = Laboratory::new();
    let finished = laboratory.compare(free(), Machine::quiet(1, failing(When::Run(5))));
    laboratory.is_sound(&finished, State::Finished);
    assert_eq!(verdict(&finished).0, Verdict::Different);
    let Findings::Compare(found) = finished.record().findings else { unreachable!() };
    // The two pairs of a block share their random order, so both are dropped.
    assert_eq!((found.commands[1].failures, found.comparisons[0].dropped_pairs), (1, 2));
    let laboratory = Laboratory::new();
    let finished = laboratory.compare(free(), Machine::quiet(1, failing(When::Every(3))));
    laboratory.is_sound(&finished, State::Failed);
    let line = finished.failed.as_ref().unwrap().to_string();
    assert!(line.contains("`b` ended with status 2"), "{line}");
    let rule =
        " runs failed, and 3 or more end the experiment where they are more than a tenth of its blocks (";
    assert!(line.contains("; 3 of ") && line.contains(rule), "{line}");
}

/// An SQL expression that fails by an overflow where the condition holds. A trigger would be simpler, but the store
/// refuses databases with triggers.
fn failing_where(condition: &str) -> String {
    format!("ABS(-9223372036854775807 - ({condition}))")
}

/// Makes the store refuse all samples after the first `samples`, and all findings.
pub(crate) fn filled(laboratory: &Laboratory, samples: u32) {
    drop(laboratory.store());
    let store = rusqlite::Connection::open(laboratory.store_path()).unwrap();
    let indexes = format!(
        "CREATE INDEX s ON sample ({}); CREATE INDEX f ON experiment ({});",
        failing_where(&format!("sequence >= {samples}")),
        failing_where("findings IS NOT NULL")
    );
    store.execute_batch(&indexes).unwrap();
}

#[test]
fn a_store_that_takes_no_more_keeps_what_it_has_and_the_report_has_all() {
    let laboratory = Laboratory::new();
    filled(&laboratory, 30);
    let definition = Definition { runs: Runs::Count(60), ..free() };
    let finished = laboratory.run(definition, Machine::quiet(1, vec![noisy("a", 5.0 * MS)]));
    assert!(finished.failed.is_none(), "{:?}", finished.failed);
    let failure = finished.stored.as_ref().unwrap_err();
    assert_eq!(failure.kind(), Kind::Machine);
    let line = failure.to_string();
    assert!(line.contains("store.sqlite") && line.contains("30 of 60 runs"), "{line}");
    let stored = stored_as_it_is(&laboratory);
    assert_eq!(stored.samples, finished.record().samples[..30]);
    let text = report(&finished, Format::Text).unwrap();
    assert!(finished.has_measured() && text.contains("60 runs"), "{text}");
    assert!(finished.record().header.warnings.contains(&line));
    let last = laboratory.heard().pop();
    assert_eq!(last, Some(Heard::Finished { state: "failed", samples: 60 }));
}

/// A store that works again, as after a lock, has everything at the end.
#[test]
fn a_store_that_refuses_for_a_while_has_everything_at_the_end() {
    let laboratory = Laboratory::new();
    filled(&laboratory, 30);
    let path = laboratory.store_path();
    let definition = Definition { runs: Runs::Count(60), ..free() };
    let mut driver = laboratory.begin("run", definition, Machine::quiet(1, vec![noisy("a", 5.0 * MS)]));
    let (findings, failed) = fauxplat_experiment::measure::run::run(&mut driver, Default::default());
    let store = rusqlite::Connection::open(path).unwrap();
    store.execute_batch("DROP INDEX s; DROP INDEX f;").unwrap();
    let finished = driver.finish(Findings::Run(findings), failed);
    assert_eq!(finished.record().samples.len(), 60);
    laboratory.is_sound(&finished, State::Finished);
}

#[test]
fn a_comparison_whose_store_is_full_has_its_verdict() {
    let laboratory = Laboratory::new();
    filled(&laboratory, 20);
    let programs = vec![noisy("a", 0.1 * MS), noisy("b", 0.12 * MS)];
    let finished = laboratory.compare(free(), Machine::quiet(1, programs));
    assert!(finished.failed.is_none(), "{:?}", finished.failed);
    assert_eq!(finished.stored.as_ref().unwrap_err().kind(), Kind::Machine);
    assert_eq!(verdict(&finished).0, Verdict::Different);
    let stored = stored_as_it_is(&laboratory);
    assert!(stored.samples.len() <= 20, "what lands together is stored together or not at all");
    assert_eq!(stored.samples, finished.record().samples[..stored.samples.len()]);
    assert!(finished.record().samples.len() > 20 && finished.has_measured());
}

/// Workers of fauxplat have shifts of work instead of runs.
#[test]
fn an_index_whose_store_is_full_is_that_of_all_turns() {
    let laboratory = Laboratory::new();
    drop(laboratory.store());
    let store = rusqlite::Connection::open(laboratory.store_path()).unwrap();
    let full = failing_where("number >= 5");
    store.execute_batch(&format!("CREATE INDEX s ON shift ({full});")).unwrap();
    let machine = Machine::quiet(1, Vec::new());
    let beginning = Beginning {
        machine: fauxplat_experiment::Machine::here(),
        ..laboratory.beginning("index", Definition::default(), machine)
    };
    let mut driver = Driver::of_workers(beginning).unwrap();
    let asked = Power {
        cpu: None,
        all_cpus: false,
        together: false,
        duration: "100ms".parse().unwrap(),
        policy: Some(Policy::Other),
    };
    let found = index(&mut driver, &asked).unwrap();
    let finished = driver.finish(Findings::Index(found), None);
    assert!(finished.failed.is_none(), "{:?}", finished.failed);
    let line = finished.stored.as_ref().unwrap_err().to_string();
    assert!(line.contains("the store has 5 of "), "{line}");
    let Findings::Index(found) = finished.record().findings else { unreachable!() };
    assert!(found.cpus.len() == 1 && finished.has_measured());
    let stored = laboratory.stored();
    assert_eq!(stored.state, State::Failed);
    assert!(stored.header.warnings.iter().any(|warning| warning.contains("store.sqlite")));
    let mut rounds = 0;
    laboratory.store().evidence(1, |_| rounds += 1).unwrap();
    assert_eq!(rounds, 5);
}

fn stored_as_it_is(laboratory: &Laboratory) -> fauxplat_store::StoredExperiment {
    let store: Store = laboratory.store();
    let stored = store.load(1).unwrap();
    assert!(stored.findings.is_none());
    stored
}
