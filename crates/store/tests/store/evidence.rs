//! Tests of evidence other than runs, of readings that have no column, and of artifacts: they are stored at once, in
//! order, and removed with their experiment.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{child, child_store, command, header, open_sample, sample};
use crate::pieces::{histogram, pieces};
use fauxplat_model::{Counted, Evidence, Metric, metrics_of};
use fauxplat_store::{Artifact, Point, State, Store, Url};
use rusqlite::Connection;
use tempfile::{TempDir, tempdir};

fn store() -> (TempDir, Store) {
    let directory = tempdir().unwrap();
    let store = Store::open(directory.path().join("store.sqlite")).unwrap();
    (directory, store)
}

fn all(store: &Store, id: i64) -> Vec<Evidence> {
    let mut read = Vec::new();
    store.evidence(id, |evidence| read.push(evidence)).unwrap();
    read
}

#[test]
fn everything_comes_back_in_the_order_in_which_it_came() {
    let (_directory, store) = store();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    let mut written = vec![pieces().swap_remove(4)];
    for (trial, piece) in (0..).zip(pieces()) {
        written.extend([Evidence::Run(open_sample(trial)), piece, Evidence::Run(sample(100 + trial))]);
    }
    written.iter().for_each(|piece| experiment.record(piece).unwrap());
    let other = store.begin(&header(), "run", &[]).unwrap();
    assert_eq!(all(&store, experiment.id()), written);
    assert_eq!(all(&store, other.id()), []);
    let runs = written.iter().filter(|piece| matches!(piece, Evidence::Run(_))).count();
    assert_eq!(store.load(experiment.id()).unwrap().samples.len(), runs);
    assert_eq!(experiment.samples(), runs as u64);
}

#[test]
fn open_readings_come_back_with_their_metrics() {
    let (directory, store) = store();
    let mut experiment = store.begin(&header(), "run", &[]).unwrap();
    let half = Counted { enabled_ns: 100, running_ns: 50 };
    let never = Counted { enabled_ns: 100, running_ns: 0 };
    let ids = ["pmu:cycles", "pmu:instructions", "table:requests"];
    let open @ [cycles, _, requests] = ids.map(|id| Metric::from_id(id).unwrap());
    let mut samples = vec![sample(0), open_sample(1), open_sample(2)];
    samples[2].readings.set_counted(requests, half);
    samples[2].readings.set_counted(Metric::CPU, half);
    samples[2].readings.set(cycles, None);
    samples[2].readings.set_counted(cycles, never);
    experiment.append(&samples[0]).unwrap();
    experiment.append_all(&samples[1..]).unwrap();
    // A newly opened store knows the metrics only from the file, as the store of another process would.
    let loaded = Store::open(directory.path().join("store.sqlite")).unwrap().load(experiment.id()).unwrap();
    assert_eq!(loaded.samples, samples);
    assert_eq!(loaded.samples[2].readings.counted(cycles), Some(never));
    assert_eq!(&metrics_of(&loaded.samples)[Metric::BUILT_IN.len()..], open);
    let connection = Connection::open(directory.path().join("store.sqlite")).unwrap();
    let stored: Vec<(String, String)> = connection
        .prepare("SELECT id, spec FROM metric ORDER BY id")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(stored.iter().any(|(id, spec)| id == "table:requests" && spec.contains("micro-per-second")));
}

#[test]
fn an_experiment_has_a_name_of_its_own_and_its_plan() {
    let (_directory, store) = store();
    let [first, second] = [0, 1].map(|_| store.begin(&header(), "run", &[]).unwrap());
    assert_ne!(first.uuid(), second.uuid());
    first.set_plan(&serde_json::json!({ "blocks": 3 })).unwrap();
    first.set_plan(&serde_json::json!({ "blocks": 4 })).unwrap();
    let loaded = [&first, &second].map(|experiment| store.load(experiment.id()).unwrap());
    assert_eq!(loaded[0].header.uuid.as_deref(), Some(first.uuid()));
    assert_eq!(loaded[0].plan, Some(serde_json::json!({ "blocks": 4 })));
    assert_eq!(loaded[1].plan, None);
}

#[test]
fn artifacts_are_packed_and_come_back() {
    let (directory, store) = store();
    let mut experiment = store.begin(&header(), "run", &[]).unwrap();
    let data = b"the same words again and again, ".repeat(1000);
    experiment.record(&histogram(0)).unwrap();
    let number = experiment.attach("fauxplat.words/1", &data).unwrap();
    experiment.record(&histogram(1)).unwrap();
    assert_eq!(
        store.artifact(experiment.id(), number).unwrap(),
        Some(Artifact { schema: "fauxplat.words/1".into(), data })
    );
    assert_eq!(store.artifact(experiment.id(), 99).unwrap(), None);
    assert_eq!(all(&store, experiment.id()), [histogram(0), histogram(1)]);
    let connection = Connection::open(directory.path().join("store.sqlite")).unwrap();
    let largest: i64 =
        connection.query_row("SELECT MAX(LENGTH(data)) FROM artifact", [], |row| row.get(0)).unwrap();
    assert!(largest < 4000, "{largest}");
    for damage in ["data = x'00'", "bytes = 1 << 62", "bytes = 1", "bytes = -1"] {
        connection.execute_batch(&format!("UPDATE artifact SET {damage}")).unwrap();
        let error = store.evidence(experiment.id(), |_| ()).unwrap_err().to_string();
        assert!(error.contains("artifact") && error.contains("cannot be read"), "{error}");
    }
}

fn point(experiment: i64) -> Point {
    Point {
        experiment,
        number: 0,
        started: "2026-11-28T00:00:00Z".into(),
        benchmark: "a".into(),
        program: "a".into(),
        arguments: "".into(),
        harness: None,
        repository: None,
        folder: None,
        metric: "wall".into(),
        unit: "ns".into(),
        more_is_better: false,
        machine: "m".into(),
        commit: None,
        dirty: None,
        committed_s: None,
        label: None,
        host: None,
        ln: 15.0,
        error: Some(0.01),
        runs: 3,
    }
}

#[test]
fn what_is_removed_is_removed_from_every_table() {
    let directory = tempdir().unwrap();
    // The experiment waits for a server, so that the table `spool` has a row for it.
    let target = Url::parse("postgres://ada@localhost/lab").unwrap();
    let store = Store::open_spool(directory.path().join("store.sqlite"), target).unwrap();
    let write = || {
        let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
        experiment.append(&open_sample(0)).unwrap();
        pieces().iter().for_each(|piece| experiment.record(piece).unwrap());
        experiment.finish(&header(), None, State::Finished).unwrap()
    };
    let (gone, kept) = (write(), write());
    for id in [gone, kept] {
        store.add_note(id, "2026-11-28T00:00:00Z", "new compiler").unwrap();
        assert!(store.keep_points(id, &[point(id)]).unwrap());
    }
    store.remove(gone).unwrap();
    let connection = Connection::open(directory.path().join("store.sqlite")).unwrap();
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%experiment INTEGER%'")
        .unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() >= 10, "{tables:?}");
    for table in tables {
        let text = format!("SELECT COUNT(*), MIN(experiment) FROM {table}");
        let (rows, least): (i64, i64) =
            connection.query_row(&text, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert!(rows > 0 && least == kept, "{table}: {rows} {least}");
    }
    assert_eq!(all(&store, kept).len(), pieces().len() + 1);
}

/// Records samples and pieces of evidence of every kind until the process is killed, and writes down the number of
/// samples whose pieces are all stored.
fn record_for_ever(path: &Path) {
    let store = Store::open(path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    for number in 0u32.. {
        experiment.append(&open_sample(number)).unwrap();
        pieces().iter().for_each(|piece| experiment.record(piece).unwrap());
        // The file is replaced by renaming, so that a reader never sees a part of a number.
        let next = path.with_extension("next");
        fs::write(&next, number.to_string()).unwrap();
        fs::rename(next, path.with_extension("promised")).unwrap();
    }
}

#[test]
fn a_killed_writer_loses_at_most_the_piece_in_progress() {
    if let Some(path) = child_store() {
        return record_for_ever(&path);
    }
    let directory = tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let promised = || fs::read_to_string(path.with_extension("promised")).ok()?.parse::<usize>().ok();
    let mut writer = child("evidence::a_killed_writer_loses_at_most_the_piece_in_progress", &path);
    let mut writer = writer.stdout(Stdio::null()).spawn().unwrap();
    while promised().is_none_or(|rounds| rounds < 20) {
        assert!(writer.try_wait().unwrap().is_none(), "the writer ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
    let store = Store::open(&path).unwrap();
    let id = store.resolve("last").unwrap();
    assert_eq!(store.load(id).unwrap().state, State::Interrupted);
    let expected =
        (0u32..).flat_map(|number| [Evidence::Run(open_sample(number))].into_iter().chain(pieces()));
    let read = all(&store, id);
    assert!(read.len() >= 20 * (pieces().len() + 1));
    assert!(read.into_iter().zip(expected).all(|(read, written)| read == written));
}
