//! Tests with stores of other versions: stores of an earlier build are migrated, and an earlier build can read the
//! result.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{command, header, open_sample, sample};
use fauxplat_model::{Metric, metrics_of};
use fauxplat_store::{Access, Filter, State, Store, VERSION};
use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::{TempDir, tempdir};

/// Returns a copy of a store that the build of schema version 2 wrote: `run`, `compare` and `aa` of programs that do
/// nothing.
fn version_2() -> (TempDir, PathBuf) {
    let directory = tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    fs::write(&path, include_bytes!("../fixtures/version-2.sqlite")).unwrap();
    (directory, path)
}

/// Returns the number of runs and the sum of their wall times for each experiment.
fn sums(path: &Path) -> Vec<(i64, i64)> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection
        .prepare("SELECT COUNT(*), SUM(wall_ns) FROM sample GROUP BY experiment ORDER BY experiment")
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn what_an_earlier_build_wrote_is_migrated_whole() {
    let (_directory, path) = version_2();
    let before = sums(&path);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.access(), Access::ReadWrite);
    assert_eq!(sums(&path), before);
    let mut list = store.list(&Filter::default()).unwrap();
    list.reverse();
    let kinds: Vec<&str> = list.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds, ["run", "compare", "aa"]);
    let mut names = Vec::new();
    for (row, (runs, wall_ns)) in list.iter().zip(before) {
        let loaded = store.load(row.id).unwrap();
        assert_eq!((row.state, loaded.samples.len() as i64), (State::Finished, runs));
        let sum: u64 = loaded.samples.iter().filter_map(|sample| sample.get(Metric::WALL)).sum();
        assert_eq!(sum, wall_ns as u64);
        assert!(loaded.findings.is_some() && loaded.plan.is_none());
        assert_eq!(metrics_of(&loaded.samples), Metric::BUILT_IN);
        assert!(loaded.header.origin.is_empty() && row.origin.is_empty());
        assert!(loaded.header.warnings.iter().all(|warning| !warning.contains("another version")));
        names.push(loaded.header.uuid.unwrap());
    }
    for name in &names {
        let parts: Vec<usize> = name.split('-').map(str::len).collect();
        assert_eq!((parts, &name[14..15]), (vec![8, 4, 4, 4, 12], "4"), "{name}");
        assert!("89ab".contains(&name[19..20]), "{name}");
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 3);
    let mut later = store.begin(&header(), "run", &[command("a")]).unwrap();
    later.append(&open_sample(0)).unwrap();
    assert_eq!(store.load(later.id()).unwrap().samples, [open_sample(0)]);
}

/// SQL statements of the build with schema version 2 are accepted by a store of this version. That build opens a newer
/// store for reading only, but another process of it may be writing while the store is migrated.
#[test]
fn the_statements_of_an_earlier_build_still_run() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let store = Store::open(&path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    experiment.append_all(&[sample(0), open_sample(1)]).unwrap();
    let id = experiment.finish(&header(), None, State::Finished).unwrap();

    let connection = Connection::open(&path).unwrap();
    let text = include_str!("../fixtures/version-2.sql");
    let mut read = 0;
    for statement in text.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
        let mut prepared =
            connection.prepare(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        if prepared.readonly() && prepared.parameter_count() == 1 {
            let mut rows = prepared.query([id]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                row.get::<_, Value>(0).unwrap();
                read += 1;
            }
        }
    }
    // At least six statements read something: names, the record, commands, two samples and the state.
    assert!(read >= 6, "{read}");
    let insert = text.split(";\n").find(|statement| statement.contains("INSERT INTO experiment")).unwrap();
    let mut insert = connection.prepare(insert).unwrap();
    let hash: String = connection.query_row("SELECT hash FROM machine", [], |row| row.get(0)).unwrap();
    for number in 1..=insert.parameter_count() {
        insert.raw_bind_parameter(number, if number == 9 { &hash } else { "1" }).unwrap();
    }
    assert!(insert.raw_query().next().unwrap().is_some());
}

/// A migrated store has a version above that of an earlier build, which therefore does not write to it.
#[test]
fn the_version_tells_an_earlier_build_to_keep_out() {
    let (_directory, path) = version_2();
    let version = |path: &Path| -> i64 {
        let connection = Connection::open(path).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert_eq!(version(&path), 2);
    drop(Store::open(&path).unwrap());
    assert_eq!(version(&path), VERSION);
    const { assert!(VERSION > 2) };
}

/// Points of version 6 do not tell series of equal benchmarks apart, so that they are computed again.
#[test]
fn points_of_an_earlier_build_are_computed_again() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let store = Store::open(&path).unwrap();
    let experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    let id = experiment.finish(&header(), None, State::Finished).unwrap();
    assert!(store.keep_points(id, &[]).unwrap());
    assert_eq!(store.without_points().unwrap(), [] as [i64; 0]);
    drop(store);
    let earlier = "ALTER TABLE point DROP COLUMN arguments; ALTER TABLE point DROP COLUMN harness;
        ALTER TABLE point DROP COLUMN repository; ALTER TABLE point DROP COLUMN folder;
        DELETE FROM schema WHERE version > 6; PRAGMA user_version = 6";
    Connection::open(&path).unwrap().execute_batch(earlier).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.without_points().unwrap(), [id]);
    assert!(store.keep_points(id, &[]).unwrap());
    assert_eq!(store.without_points().unwrap(), [] as [i64; 0]);
}
