//! Tests that records are read from a store exactly as written.

use crate::common::{command, header, sample};
use fauxplat_model::document::Findings;
use fauxplat_model::{
    Command, Condition, Definition, MachineFacts, Metric, MetricSet, Outcome, Phase, Reading, Readings,
    RunFindings, Sample, Summary,
};
use fauxplat_store::{ExperimentRow, Filter, Measured, SessionPairs, State, Store, StoreError};
use proptest::prelude::*;

fn store() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("new/directories/store.sqlite")).unwrap();
    (directory, store)
}

fn findings(median: f64) -> Findings {
    let wall = Summary {
        metric: Metric::WALL,
        n: 3,
        median,
        mean: median,
        low: Some(median),
        high: Some(median),
        sd: 0.0,
        min: median,
        max: median,
        percentiles: [median; 4],
        p99: None,
        outliers: 0,
        first_thread: false,
        intervals: Vec::new(),
    };
    let run = RunFindings { summaries: vec![wall], ..RunFindings::default() };
    Findings::Run(vec![run])
}

/// Records a finished `run` of these commands with this many samples.
fn record(store: &Store, started: &str, names: &[&str], samples: u32) -> i64 {
    let header = fauxplat_model::document::Header { started: started.into(), ..header() };
    let commands: Vec<_> = names.iter().map(|name| command(name)).collect();
    let mut experiment = store.begin(&header, "run", &commands).unwrap();
    (0..samples).for_each(|trial| experiment.append(&sample(trial)).unwrap());
    experiment.finish(&header, Some(&findings(5_004_000.0)), State::Finished).unwrap()
}

#[test]
fn an_experiment_comes_back_as_it_was() {
    let (_directory, store) = store();
    let commands = [command("a"), command("b")];
    let mut experiment = store.begin(&header(), "run", &commands).unwrap();
    let samples: Vec<Sample> = (0..40).map(sample).collect();
    samples.iter().for_each(|sample| experiment.append(sample).unwrap());
    assert_eq!(experiment.samples(), 40);
    let mut last = header();
    last.warnings.push("one run failed".into());
    last.uuid = Some(experiment.uuid().to_owned());
    let id = experiment.finish(&last, Some(&findings(5_004_000.0)), State::Finished).unwrap();

    let loaded = store.load(id).unwrap();
    last.id = Some(id);
    assert_eq!(loaded.header, last);
    assert_eq!(loaded.commands, commands);
    assert_eq!(loaded.samples, samples);
    assert_eq!((loaded.kind.as_str(), loaded.state), ("run", State::Finished));
    assert_eq!(loaded.findings, Some(findings(5_004_000.0)));
    assert_eq!(loaded.findings_json.unwrap()[0]["summaries"][0]["metric"], "wall");
    assert_eq!(loaded.summary.as_deref(), Some("5.004 ms"));
}

#[test]
fn a_list_shows_the_newest_first() {
    let (_directory, store) = store();
    let first = record(&store, "2026-10-01T00:00:00Z", &["a", "b"], 3);
    let second = record(&store, "2026-11-01T00:00:00Z", &["c"], 0);
    let list = store.list(&Filter::default()).unwrap();
    let expected = ExperimentRow {
        id: first,
        origin: header().origin,
        started: "2026-10-01T00:00:00Z".into(),
        kind: "run".into(),
        state: State::Finished,
        names: vec!["a".into(), "b".into()],
        samples: 3,
        summary: Some("5.004 ms".into()),
    };
    assert_eq!(list.iter().map(|row| row.id).collect::<Vec<_>>(), [second, first]);
    assert_eq!(list[1], expected);
    assert_eq!(list[0].samples, 0);
}

#[test]
fn a_filter_narrows_the_list() {
    let (_directory, store) = store();
    let old = record(&store, "2026-10-01T00:00:00Z", &["a", "b"], 1);
    let new = record(&store, "2026-11-01T00:00:00Z", &["c"], 1);
    let running = store.begin(&header(), "compare", &[command("d")]).unwrap();
    let ids =
        |filter: Filter| -> Vec<i64> { store.list(&filter).unwrap().iter().map(|row| row.id).collect() };
    let all = Filter::default;
    assert_eq!(ids(Filter { kind: Some("run".into()), ..all() }), [new, old]);
    assert_eq!(ids(Filter { since: Some("2026-10-15".into()), ..all() }), [running.id(), new]);
    assert_eq!(ids(Filter { name: Some("b".into()), ..all() }), [old]);
    assert_eq!(ids(Filter { name: Some("sort -n c".into()), ..all() }), [new]);
    assert_eq!(ids(Filter { state: Some(State::Running), ..all() }), [running.id()]);
    assert_eq!(ids(Filter { limit: Some(2), ..all() }), [running.id(), new]);
    assert_eq!(ids(Filter { limit: Some(1), kind: Some("run".into()), ..all() }), [new]);
}

#[test]
fn an_experiment_is_named_by_number_or_as_the_last() {
    let (_directory, store) = store();
    assert!(matches!(store.resolve("last"), Err(StoreError::NoSuchExperiment { .. })));
    let id = record(&store, "2026-11-01T00:00:00Z", &["a"], 1);
    assert_eq!(store.resolve("last").unwrap(), id);
    assert_eq!(store.resolve(&id.to_string()).unwrap(), id);
    assert!(matches!(store.resolve("77"), Err(StoreError::NoSuchExperiment { .. })));
    assert!(matches!(store.resolve("first"), Err(StoreError::BadId { .. })));
    assert!(matches!(store.load(77), Err(StoreError::NoSuchExperiment { .. })));
}

#[test]
fn a_dropped_experiment_is_interrupted_and_keeps_its_samples() {
    let (_directory, store) = store();
    let mut experiment = store.begin(&header(), "compare", &[command("a")]).unwrap();
    experiment.append(&sample(0)).unwrap();
    let id = experiment.id();
    assert_eq!(store.load(id).unwrap().state, State::Running);
    drop(experiment);
    let loaded = store.load(id).unwrap();
    assert_eq!((loaded.state, loaded.samples.len(), loaded.findings), (State::Interrupted, 1, None));
}

#[test]
fn removal_takes_everything_of_one_experiment_and_nothing_of_another() {
    let (_directory, store) = store();
    let gone = record(&store, "2026-10-01T00:00:00Z", &["a"], 20_000);
    let kept = record(&store, "2026-11-01T00:00:00Z", &["b"], 3);
    let full = store.size().unwrap();
    assert_eq!((full.experiments, full.samples), (2, 20_003));
    store.remove(gone).unwrap();
    store.vacuum().unwrap();
    let small = store.size().unwrap();
    assert_eq!((small.experiments, small.samples), (1, 3));
    assert!(small.file_bytes < full.file_bytes / 4, "{small:?} {full:?}");
    assert!(matches!(store.load(gone), Err(StoreError::NoSuchExperiment { .. })));
    assert!(matches!(store.remove(gone), Err(StoreError::NoSuchExperiment { .. })));
    let loaded = store.load(kept).unwrap();
    assert_eq!((loaded.samples.len(), loaded.header.machine), (3, header().machine));
}

#[test]
fn a_running_experiment_is_not_removed() {
    let (_directory, store) = store();
    let experiment = store.begin(&header(), "run", &[]).unwrap();
    assert!(matches!(store.remove(experiment.id()), Err(StoreError::StillRunning { .. })));
    let id = experiment.finish(&header(), None, State::Failed).unwrap();
    store.remove(id).unwrap();
}

/// Records an experiment of two programs whose blocks have these log ratios of the second over the first.
fn measure(store: &Store, kind: &str, machine: &MachineFacts, programs: [&str; 2], log_ratios: &[f64]) {
    let header = fauxplat_model::document::Header { machine: machine.clone(), ..header() };
    let mut experiment = store.begin(&header, kind, &programs.map(program)).unwrap();
    for (block, ratio) in log_ratios.iter().enumerate() {
        for (place, wall) in [1e9, 1e9 * ratio.exp()].into_iter().enumerate() {
            let mut sample = sample(2);
            (sample.block, sample.command) = (block as u32, place as u16);
            (sample.phase, sample.outcome) = (Phase::Measured, Outcome::Exited(0));
            sample.readings.set(Metric::WALL, Some(wall.round() as u64));
            experiment.append(&sample).unwrap();
        }
    }
    experiment.finish(&header, None, State::Finished).unwrap();
}

/// Returns a command with one argument whose program is identified by its hash at any path.
fn program(hash: &str) -> Command {
    let path = format!("/somewhere/{hash}");
    Command { program_sha256: Some(hash.into()), argv: vec![path, "-x".into()], ..command(hash) }
}

/// Returns a metric with the definition of an experiment for which the user named no metrics.
fn measured(metric: Metric) -> Measured<'static> {
    static PLAIN: std::sync::LazyLock<Definition> = std::sync::LazyLock::new(Definition::default);
    Measured { metric, definition: &PLAIN }
}

#[test]
fn sessions_of_a_program_are_those_of_its_hash_on_this_machine() {
    let (_directory, store) = store();
    let here = header().machine;
    let booted_again = MachineFacts { boot_id: "c".into(), ..here.clone() };
    let elsewhere = MachineFacts { kernel: "5.10".into(), ..here.clone() };
    measure(&store, "run", &here, ["old", "other"], &[0.0, 0.0]);
    measure(&store, "compare", &booted_again, ["other", "old"], &[0.5]);
    measure(&store, "aa", &here, ["old", "old"], &[0.0, 0.0, 0.0]);
    measure(&store, "compare", &elsewhere, ["old", "other"], &[0.0]);
    measure(&store, "sweep", &here, ["old", "other"], &[0.0]);

    let sessions = store.sessions_of(&here, &program("old"), measured(Metric::WALL)).unwrap();
    let readings: Vec<&[f64]> = sessions.iter().map(|session| session.readings.as_slice()).collect();
    assert_eq!(readings.len(), 3, "{sessions:?}");
    assert_eq!(
        (readings[0].len(), readings[1], readings[2].len()),
        (2, &[1e9 * 0.5f64.exp()].map(f64::round)[..], 3)
    );
    let moved = Command { argv: vec!["./elsewhere".into(), "-x".into()], ..program("old") };
    assert_eq!(store.sessions_of(&here, &moved, measured(Metric::WALL)).unwrap(), sessions);
    for other in [
        Command { argv: vec!["old".into(), "-y".into()], ..program("old") },
        Command { program_sha256: None, ..program("old") },
        program("older"),
        Command { condition: Condition { nice: Some(10), ..Condition::default() }, ..program("old") },
        Command {
            condition: Condition { stdin: Some("/dev/null".into()), ..Condition::default() },
            ..program("old")
        },
    ] {
        assert_eq!(store.sessions_of(&here, &other, measured(Metric::WALL)).unwrap(), []);
    }
}

#[test]
fn sessions_of_a_pair_are_comparisons_of_both_whichever_came_first() {
    let (_directory, store) = store();
    let here = header().machine;
    measure(&store, "compare", &here, ["old", "new"], &[0.25, 0.5]);
    measure(&store, "compare", &here, ["new", "old"], &[0.5, 0.5, 0.5]);
    measure(&store, "compare", &here, ["old", "other"], &[0.5, 0.5]);
    measure(&store, "aa", &here, ["old", "old"], &[0.5, 0.5]);
    measure(&store, "compare", &here, ["old", "new"], &[0.5]);
    let (old, new) = (program("old"), program("new"));
    let sessions = store.sessions_of_pair(&here, (&old, &new), measured(Metric::WALL)).unwrap();
    let rounded = |session: &SessionPairs| -> Vec<i64> {
        session.log_ratios.iter().map(|ratio| (ratio * 1e4).round() as i64).collect()
    };
    assert_eq!(sessions.iter().map(rounded).collect::<Vec<_>>(), [vec![2500, 5000], vec![-5000; 3]]);
    assert_eq!(store.sessions_of_pair(&here, (&old, &new), measured(Metric::SYSTEM)).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_sample_comes_back(
        numbers in (any::<u32>(), any::<u32>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>()),
        more in (any::<u16>(), any::<u16>(), 0..i64::MAX as u64),
        readings in proptest::array::uniform15(proptest::option::of(0..=i64::MAX as u64)),
        ended in (0u8..3, any::<u8>(), any::<bool>()),
    ) {
        let (trial, block, command, position, cpu_first, cpu_last) = numbers;
        let (left_behind, env_pad_bytes, started_ns) = more;
        let outcome = match ended.0 {
            0 => Outcome::Exited(ended.1),
            1 => Outcome::Signaled(ended.1),
            _ => Outcome::TimedOut,
        };
        let phase = if ended.2 { Phase::Warmup } else { Phase::Measured };
        let readings = readings.map(Reading::from);
        let sample = Sample {
            trial, block, command, position, phase, outcome, cpu_first, cpu_last, left_behind, env_pad_bytes,
            started_ns, readings: Readings::new(MetricSet::built_in(), readings),
        };
        let (_directory, store) = store();
        let mut experiment = store.begin(&header(), "run", &[]).unwrap();
        experiment.append(&sample).unwrap();
        prop_assert_eq!(store.load(experiment.id()).unwrap().samples, vec![sample]);
    }
}
