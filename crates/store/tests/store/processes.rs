//! Several processes at once, and processes that are killed.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread::{sleep, spawn};
use std::time::Duration;

use crate::common::{child, child_store, command, header, sample};
use fauxplat_store::{Filter, State, Store};

/// The file in which a child notes each sample that `append` has promised to keep.
fn promises(store: &Path) -> std::path::PathBuf {
    store.with_extension("promised")
}

/// Appends until somebody kills the process.
fn append_for_ever(path: &Path) {
    let store = Store::open(path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    let mut promised = fs::File::create(promises(path)).unwrap();
    for trial in 0.. {
        experiment.append(&sample(trial)).unwrap();
        promised.write_all(b".").unwrap();
    }
}

fn integrity(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// Kills a writer when the wait is over and looks at what is left.
fn kill_after(path: &Path, wait: impl FnOnce()) {
    fs::write(promises(path), "").unwrap();
    let mut writer = child("processes::a_killed_writer_loses_at_most_the_run_in_progress", path);
    let mut writer = writer.stdout(Stdio::null()).spawn().unwrap();
    wait();
    writer.kill().unwrap();
    writer.wait().unwrap();

    let promised = fs::metadata(promises(path)).unwrap().len();
    let store = Store::open(path).unwrap();
    let Some(last) = store.list(&Filter { limit: Some(1), ..Filter::default() }).unwrap().pop() else {
        assert_eq!(promised, 0);
        return;
    };
    let loaded = store.load(last.id).unwrap();
    assert_eq!(loaded.state, State::Interrupted);
    assert!(loaded.samples.iter().enumerate().all(|(trial, kept)| *kept == sample(trial as u32)));
    // A killed process may not have noted a sample that it had stored, and when it was killed before its own
    // experiment began, the last one is an earlier one.
    assert!(loaded.samples.len() as u64 >= promised, "{} of {promised}", loaded.samples.len());
    assert_eq!(integrity(path), "ok");
}

#[test]
fn a_killed_writer_loses_at_most_the_run_in_progress() {
    if let Some(path) = child_store() {
        return append_for_ever(&path);
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    for _ in 0..30 {
        let delay = RandomState::new().build_hasher().finish() % 60_000;
        kill_after(&path, || sleep(Duration::from_micros(delay)));
    }
    kill_after(&path, || {
        while fs::metadata(promises(&path)).unwrap().len() < 100 {
            sleep(Duration::from_millis(1));
        }
    });
    let last = Store::open(&path).unwrap().list(&Filter::default()).unwrap().swap_remove(0);
    assert!(last.samples >= 100, "{}", last.samples);
}

/// Writes an experiment of 400 samples.
fn write_one(path: &Path) {
    let store = Store::open(path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    (0..400).for_each(|trial| experiment.append(&sample(trial)).unwrap());
    experiment.finish(&header(), None, State::Finished).unwrap();
}

#[test]
fn several_processes_create_and_write_one_store_at_once() {
    if let Some(path) = child_store() {
        return write_one(&path);
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let start =
        || child("processes::several_processes_create_and_write_one_store_at_once", &path).spawn().unwrap();
    let writers: Vec<_> = (0..6).map(|_| start()).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let store = Store::open(&path).unwrap();
    let list = store.list(&Filter::default()).unwrap();
    assert_eq!(list.len(), 6);
    for row in list {
        let samples = store.load(row.id).unwrap().samples;
        assert!(samples.len() == 400 && samples.iter().enumerate().all(|(n, s)| s.trial == n as u32));
        assert_eq!(row.state, State::Finished);
    }
    assert_eq!(integrity(&path), "ok");
}

#[test]
fn a_writer_waits_for_a_lock_that_is_held_for_five_seconds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let store = Store::open(&path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[]).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let holder = spawn(move || {
        sleep(Duration::from_millis(5200));
        other.execute_batch("COMMIT").unwrap();
    });
    experiment.append(&sample(0)).unwrap();
    assert!(holder.is_finished() || holder.join().is_ok());
    assert_eq!(store.load(experiment.id()).unwrap().samples.len(), 1);
}

#[test]
fn reading_goes_on_while_another_writes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let (writer, reader) = (Store::open(&path).unwrap(), Store::open(&path).unwrap());
    let mut experiment = writer.begin(&header(), "run", &[]).unwrap();
    for trial in 0..50 {
        experiment.append(&sample(trial)).unwrap();
        assert_eq!(reader.list(&Filter::default()).unwrap()[0].samples, u64::from(trial) + 1);
    }
}
