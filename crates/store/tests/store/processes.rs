//! Tests of stores with several processes at once, and with processes that are killed.
#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "tests print and start processes")]

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread::{sleep, spawn};
use std::time::Duration;

use crate::common::{child, child_store, command, header, sample};
use fauxplat_store::{Filter, State, Store, StoreError};

/// Returns the file in which a child process adds a byte for each sample whose `append` has succeeded.
fn promises(store: &Path) -> std::path::PathBuf {
    store.with_extension("promised")
}

/// Appends samples until the process is killed.
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

/// Starts a process that appends samples, kills it after `wait` has returned, and checks the store.
fn kill_after(path: &Path, wait: impl FnOnce()) {
    fs::write(promises(path), "").unwrap();
    let mut writer = child("processes::a_killed_writer_loses_at_most_the_run_in_progress", path);
    let mut writer = writer.stdout(Stdio::null()).spawn().unwrap();
    wait();
    writer.kill().unwrap();
    writer.wait().unwrap();
    check_what_is_left(path);
}

/// Checks that every sample whose `append` succeeded is there, in its place, and that the file is intact.
fn check_what_is_left(path: &Path) {
    let promised = fs::metadata(promises(path)).unwrap().len();
    let store = Store::open(path).unwrap();
    let Some(last) = store.list(&Filter { limit: Some(1), ..Filter::default() }).unwrap().pop() else {
        assert_eq!(promised, 0);
        return;
    };
    let loaded = store.load(last.id).unwrap();
    assert_eq!(loaded.state, State::Interrupted);
    assert!(loaded.samples.iter().enumerate().all(|(trial, kept)| *kept == sample(trial as u32)));
    // A process may be killed after it stored a sample and before it counted that sample in the file of promises. If it
    // was killed before its experiment began, the last experiment is an earlier one.
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

/// The user asks a child process to stop, in which the wait for the lock ends after about a second.
#[test]
fn a_wait_for_a_lock_ends_soon_after_a_request_to_stop() {
    const TEST: &str = "processes::a_wait_for_a_lock_ends_soon_after_a_request_to_stop";
    if let Some(path) = child_store() {
        fauxplat_store::heed(|| Some(0));
        let store = Store::open(&path).unwrap();
        let error = store.begin(&header(), "run", &[]).unwrap_err();
        assert!(matches!(error, StoreError::BusyAtStop { .. }), "{error}");
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    drop(Store::open(&path).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = child(TEST, &path).output().unwrap();
    let told = String::from_utf8_lossy(&waiting.stdout);
    assert!(waiting.status.success() && told.contains("1 passed"), "{told}");
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

/// A limit on the size of files acts like a disk that is full from there on, in the middle of any write.
#[test]
fn a_disk_that_is_full_from_any_byte_on_loses_at_most_the_run_in_progress() {
    const TEST: &str = "processes::a_disk_that_is_full_from_any_byte_on_loses_at_most_the_run_in_progress";
    if let Some(path) = child_store() {
        append_for_ever(&path);
    }
    const LAST_BYTE: usize = 600_000;
    const STEP: usize = 29_989;
    for bytes in (0..LAST_BYTE).step_by(STEP) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        fs::write(promises(&path), "").unwrap();
        let writer = child(TEST, &path);
        let line = format!("trap '' XFSZ; exec prlimit --core=0 --fsize={bytes} -- \"$@\"");
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", &line, "sh"]).arg(writer.get_program()).args(writer.get_args());
        for (name, value) in writer.get_envs() {
            limited.env(name, value.unwrap_or_default());
        }
        let done = limited.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        if done.code() == Some(127) {
            return eprintln!("skipped: prlimit is not there");
        }
        assert!(!done.success(), "{bytes}: it went on for ever");
        check_what_is_left(&path);
        // Free space is available again.
        let store = Store::open(&path).unwrap();
        let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
        experiment.append(&sample(0)).unwrap();
        experiment.finish(&header(), None, State::Finished).unwrap();
        assert_eq!(integrity(&path), "ok", "{bytes}");
    }
}

/// Returns a command that runs a child process in a new PID namespace, where a process id may belong to another process
/// than outside.
fn in_a_container(test: &str, path: &Path) -> std::process::Command {
    let inner = child(test, path);
    let mut outer = std::process::Command::new("unshare");
    outer.args(["--pid", "--fork", "--kill-child", "--mount-proc"]).arg(inner.get_program());
    outer.args(inner.get_args());
    for (name, value) in inner.get_envs() {
        outer.env(name, value.unwrap_or_default());
    }
    outer
}

/// Tries to remove the first experiment of a store; returns the result as text.
fn removed(path: &Path) -> String {
    match Store::open(path).unwrap().remove(1) {
        Ok(()) => "gone".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_runs_in_another_container_is_not_removed() {
    const TEST: &str = "processes::what_runs_in_another_container_is_not_removed";
    const ROLE: &str = "FAUXPLAT_STORE_ROLE";
    if let Some(path) = child_store() {
        match std::env::var(ROLE).as_deref() {
            Ok("write") => append_for_ever(&path),
            _ => return fs::write(path.with_extension("said"), removed(&path)).unwrap(),
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut container = in_a_container(TEST, &path);
    let mut writer =
        container.env(ROLE, "write").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while fs::metadata(promises(&path)).map_or(0, |facts| facts.len()) == 0 {
        if let Some(status) = writer.try_wait().unwrap() {
            return eprintln!("skipped: this container may make no other ({status})");
        }
        sleep(Duration::from_millis(5));
    }
    assert!(removed(&path).contains("still running"), "from outside");
    let other = in_a_container(TEST, &path).env(ROLE, "remove").stdout(Stdio::null()).status().unwrap();
    let said = fs::read_to_string(path.with_extension("said")).unwrap();
    assert!(other.success() && said.contains("still running"), "from a container beside it: {said}");
    writer.kill().unwrap();
    writer.wait().unwrap();
    // Outside of containers all processes are visible, so the store can tell that an owner has ended. The kernel ends
    // the container only after its creator has ended.
    let is_outside = fs::metadata("/proc/self/ns/pid")
        .is_ok_and(|facts| std::os::unix::fs::MetadataExt::ino(&facts) == 0xEFFF_FFFC);
    while is_outside && removed(&path) != "gone" {
        sleep(Duration::from_millis(5));
    }
}
