//! Tests with all kinds of files that a store's path can lead to: each has a different error, and nothing is
//! overwritten.
#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "tests print and start processes")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output};

use crate::common::{child, child_of, child_store, command, header, sample};
use fauxplat_store::{Access, Filter, SAMPLES_MAX, State, Store, StoreError, VERSION};
use rusqlite::Connection;
use tempfile::{TempDir, tempdir};

/// Returns a directory with a store that holds one finished experiment of five samples.
fn filled() -> (TempDir, PathBuf) {
    let directory = tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let store = Store::open(&path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    (0..5).for_each(|trial| experiment.append(&sample(trial)).unwrap());
    experiment.finish(&header(), None, State::Finished).unwrap();
    (directory, path)
}

#[track_caller]
fn refused(path: &Path) -> StoreError {
    let error = Store::open(path).expect_err("it must not open");
    assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

#[test]
fn a_directory_and_a_device_are_not_stores() {
    let directory = tempdir().unwrap();
    assert!(matches!(refused(directory.path()), StoreError::NotAFile { what: "a directory", .. }));
    assert!(matches!(refused(Path::new("/dev/null")), StoreError::NotAFile { what: "a special file", .. }));
}

#[test]
fn a_path_below_a_file_cannot_be_created() {
    let directory = tempdir().unwrap();
    fs::write(directory.path().join("file"), "x").unwrap();
    let error = refused(&directory.path().join("file/store.sqlite"));
    assert!(matches!(error, StoreError::CannotOpen { .. } | StoreError::CannotCreate { .. }), "{error}");
}

#[test]
fn other_contents_are_left_as_they_are() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    let text = "These are notes and not a database. ".repeat(100);
    fs::write(&path, &text).unwrap();
    assert!(matches!(refused(&path), StoreError::NotADatabase { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_database_of_another_program_is_left_as_it_is() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("places.sqlite");
    for pragma in ["user_version = 0", "user_version = 1", "application_id = 7"] {
        Connection::open(&path)
            .unwrap()
            .execute_batch(&format!("CREATE TABLE IF NOT EXISTS places (url TEXT); PRAGMA {pragma};"))
            .unwrap();
        let before = fs::read(&path).unwrap();
        assert!(matches!(refused(&path), StoreError::ForeignDatabase { .. }), "{pragma}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// A trigger runs when fauxplat writes, and a view in the place of a table when fauxplat reads, for as long as their
/// author wants.
#[test]
fn a_store_with_statements_of_somebody_else_is_refused_and_left_as_it_is() {
    const ENDLESS: &str =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c";
    let trigger = format!("CREATE TRIGGER t AFTER INSERT ON sample BEGIN {ENDLESS}; END;");
    let view = format!("ALTER TABLE experiment RENAME TO e; CREATE VIEW Experiment AS {ENDLESS};");
    for (planted, says) in [(trigger, "trigger `t`"), (view, "view `Experiment`")] {
        let (_directory, path) = filled();
        Connection::open(&path).unwrap().execute_batch(&planted).unwrap();
        let before = fs::read(&path).unwrap();
        let error = refused(&path);
        assert!(matches!(error, StoreError::Planted { .. }) && error.to_string().contains(says), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// A view of the user's own is no danger, since fauxplat does not read it.
#[test]
fn a_store_with_a_view_beside_its_tables_is_a_store() {
    let (_directory, path) = filled();
    let view = "CREATE VIEW slow AS SELECT * FROM sample WHERE wall_ns > 1000";
    Connection::open(&path).unwrap().execute_batch(view).unwrap();
    assert_eq!(Store::open(&path).unwrap().list(&Filter::default()).unwrap()[0].samples, 5);
}

/// A trigger that comes into the file while it is open does not run.
#[test]
fn a_trigger_that_comes_later_does_not_run() {
    let (_directory, path) = filled();
    let store = Store::open(&path).unwrap();
    let trigger = "CREATE TRIGGER t BEFORE INSERT ON sample BEGIN SELECT RAISE(FAIL, 'here'); END;";
    Connection::open(&path).unwrap().execute_batch(trigger).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    experiment.append(&sample(0)).unwrap();
}

#[test]
fn a_damaged_store_is_reported_and_left_as_it_is() {
    let (_directory, path) = filled();
    let mut bytes = fs::read(&path).unwrap();
    bytes[100..4096].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(refused(&path), StoreError::Damaged { .. }));
    assert_eq!(fs::read(&path).unwrap(), bytes, "it is left for whoever can mend it");
}

/// A malicious file may hold more runs than fit into memory. The number is known from the last sequence number, since
/// these have no gaps.
#[test]
fn an_experiment_of_more_runs_than_memory_should_hold_is_refused() {
    let (_directory, path) = filled();
    let store = Store::open(&path).unwrap();
    let id = store.list(&Filter::default()).unwrap()[0].id;
    let last = |number: u64| {
        let sql = "UPDATE sample SET sequence = ?1 WHERE sequence = (SELECT MAX(sequence) FROM sample)";
        Connection::open(&path).unwrap().execute(sql, [number as i64 - 1]).unwrap();
    };
    last(SAMPLES_MAX + 1);
    let error = store.load(id).unwrap_err();
    assert!(matches!(error, StoreError::TooManyRuns { runs: 10_000_001, .. }), "{error}");
    assert!(
        error.to_string().contains("10000001 runs; at most 10000000") && !error.to_string().contains('\n')
    );
    last(SAMPLES_MAX);
    assert_eq!(store.load(id).unwrap().samples.len(), 5);
}

#[test]
fn an_empty_file_becomes_a_store() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    fs::write(&path, "").unwrap();
    assert_eq!(Store::open(&path).unwrap().access(), Access::ReadWrite);
}

#[test]
fn a_newer_store_is_read_and_never_overwritten() {
    let (_directory, path) = filled();
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            r#"PRAGMA user_version = 99;
               ALTER TABLE sample ADD COLUMN future INTEGER;
               ALTER TABLE experiment ADD COLUMN mood TEXT NOT NULL DEFAULT 'good';
               CREATE TABLE planet (name TEXT);
               UPDATE experiment SET condition = '{"nice": 3, "gravity": 9.81}';"#,
        )
        .unwrap();
    let before = fs::read(&path).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.access(), Access::Newer(99));
    let id = store.list(&Filter::default()).unwrap()[0].id;
    let loaded = store.load(id).unwrap();
    assert_eq!((loaded.samples.len(), loaded.header.condition.nice), (5, Some(3)));
    assert!(loaded.header.warnings.iter().any(|warning| warning.contains("another version")));

    let newer = |error: StoreError| matches!(error, StoreError::NewerVersion { found: 99, known, .. } if known == VERSION);
    assert!(newer(store.begin(&header(), "run", &[]).unwrap_err()));
    assert!(newer(store.remove(id).unwrap_err()));
    assert!(newer(store.vacuum().unwrap_err()));
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Opens stores as a user without the right to write: a directory without write permission that holds `store.sqlite`,
/// in it `open/` with a read-only file in a writable directory, and `killed/`, where a killed writer left its log.
fn look_at_read_only(directory: &Path) {
    for path in ["store.sqlite", "open/store.sqlite", "killed/store.sqlite"].map(|name| directory.join(name))
    {
        let store = Store::open(&path).unwrap();
        assert_eq!(store.access(), Access::ReadOnly, "{}", path.display());
        let id = store.resolve("last").unwrap();
        assert_eq!(store.load(id).unwrap().samples.len(), 5);
        assert!(matches!(store.begin(&header(), "run", &[]), Err(StoreError::ReadOnly { .. })));
        assert!(matches!(store.remove(id), Err(StoreError::ReadOnly { .. })));
    }
    assert!(matches!(refused(&directory.join("new.sqlite")), StoreError::CannotCreate { .. }));
    assert!(matches!(refused(&directory.join("deeper/new.sqlite")), StoreError::CannotCreate { .. }));
    let hidden = refused(&directory.join("hidden.sqlite"));
    assert!(matches!(hidden, StoreError::CannotOpen { .. }), "{hidden}");
}

/// Checks that a child process ran its test: a child that found no test under its name would succeed too.
#[track_caller]
fn assert_ran(child: &Output) {
    let ran = String::from_utf8_lossy(&child.stdout).contains("1 passed");
    assert!(child.status.success() && ran, "{child:?}");
}

/// Leaves a read-only directory with a store whose experiment is only in the log, as after a killed process.
fn leave_log(directory: &Path) {
    let other = tempdir().unwrap();
    let path = other.path().join("store.sqlite");
    let store = Store::open(&path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[]).unwrap();
    (0..5).for_each(|trial| experiment.append(&sample(trial)).unwrap());
    fs::create_dir(directory).unwrap();
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
        fs::copy(other.path().join(name), directory.join(name)).unwrap();
        mode(&directory.join(name), 0o444);
    }
    mode(directory, 0o555);
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Checks the read-only stores in a directory. Permission bits do not bind root, so root makes the check in a child
/// process with another user id.
fn as_ordinary_user(test: &str, directory: &Path) {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return look_at_read_only(directory);
    }
    let program = tempdir().unwrap();
    mode(program.path(), 0o755);
    let copy = program.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    mode(&copy, 0o755);
    let output = child_of(&copy, test, directory).current_dir("/").uid(65534).gid(65534).output().unwrap();
    assert_ran(&output);
}

#[test]
fn a_read_only_store_is_read_and_refuses_writes() {
    if let Some(directory) = child_store() {
        return look_at_read_only(&directory);
    }
    let (directory, path) = filled();
    let (root, open) = (directory.path(), directory.path().join("open"));
    fs::create_dir(&open).unwrap();
    fs::copy(&path, open.join("store.sqlite")).unwrap();
    fs::copy(&path, root.join("hidden.sqlite")).unwrap();
    leave_log(&root.join("killed"));
    mode(&open.join("store.sqlite"), 0o444);
    mode(&open, 0o777);
    mode(&root.join("hidden.sqlite"), 0o000);
    mode(&path, 0o644);
    mode(root, 0o555);
    let before = fs::read(&path).unwrap();
    as_ordinary_user("files::a_read_only_store_is_read_and_refuses_writes", root);
    assert_eq!(fs::read(&path).unwrap(), before);
    mode(&root.join("killed"), 0o755);
    mode(root, 0o755);
}

/// Appends samples until the file system refuses one, and writes the number of stored samples to a file beside the
/// store.
fn fill_up(path: &Path) -> StoreError {
    let store = Store::open(path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    let error =
        (0..200_000).find_map(|trial| experiment.append(&sample(trial)).err()).expect("the limit is reached");
    let message = error.to_string();
    assert!(message.starts_with(path.to_str().unwrap()) && message.contains("intact"), "{message}");
    let id = experiment.id();
    let kept = experiment.samples();
    let samples = store.load(id).unwrap().samples;
    assert!(kept > 0 && samples.len() as u64 == kept, "{} of {kept}", samples.len());
    assert!(samples.iter().enumerate().all(|(trial, stored)| *stored == sample(trial as u32)));
    error
}

fn integrity(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// A limit on the file size simulates a full disk without any permission (`setrlimit(2)`, `RLIMIT_FSIZE`).
#[test]
fn a_file_size_limit_is_an_error_that_keeps_the_store() {
    if let Some(path) = child_store() {
        let error = fill_up(&path);
        assert!(matches!(error, StoreError::Io { .. } | StoreError::DiskFull { .. }), "{error}");
        return;
    }
    let (_directory, path) = filled();
    let inner = child("files::a_file_size_limit_is_an_error_that_keeps_the_store", &path);
    let mut limited = Process::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\""]).arg(inner.get_program());
    limited.args(inner.get_args()).envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.output().unwrap();
    assert_ran(&output);

    let store = Store::open(&path).unwrap();
    let list = store.list(&Filter::default()).unwrap();
    assert_eq!((list.len(), list[0].state, list[1].samples), (2, State::Interrupted, 5));
    assert!(list[0].samples > 0);
    assert_eq!(integrity(&path), "ok");
}

/// A file system of half a mebibyte in memory that is unmounted when it is dropped.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Option<SmallDisk> {
        let directory = tempdir().unwrap();
        let mut mount = Process::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"]).arg(directory.path()).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| SmallDisk(directory))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A process that another test starts at this moment holds inherited open files until it executes another
        // program.
        let unmounted = Process::new("umount").arg("--lazy").arg(self.0.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

#[test]
fn a_full_disk_is_an_error_that_keeps_the_store() {
    let Some(disk) = SmallDisk::mount() else {
        // The other tests of a full disk, with a limit of pages and of the file's size, run everywhere; only the mount
        // needs permission.
        eprintln!("NOT TESTED: a full tmpfs, since this user may not mount one");
        return;
    };
    let path = disk.0.path().join("store.sqlite");
    let ballast = disk.0.path().join("ballast");
    fs::write(&ballast, vec![1; 200 << 10]).unwrap();
    let error = fill_up(&path);
    assert!(matches!(error, StoreError::DiskFull { .. } | StoreError::Io { .. }), "{error}");
    fs::remove_file(&ballast).unwrap();

    let store = Store::open(&path).unwrap();
    let kept = store.list(&Filter::default()).unwrap();
    assert!(kept.len() == 1 && kept[0].samples > 0);
    // There was no space even to mark the experiment as interrupted, and its owner, this process, is alive.
    assert_eq!(kept[0].state, State::Running);
    let mut later = store.begin(&header(), "run", &[]).unwrap();
    later.append(&sample(0)).unwrap();
    drop(later);
    assert_eq!(integrity(&path), "ok");
    drop(store);
}

/// Under sudo the store is in the user's folder, and the user must still be able to write to it.
#[test]
fn what_root_makes_in_a_users_folder_is_the_users() {
    const NOBODY: u32 = 65_534;
    let directory = tempdir().unwrap();
    if fs::metadata(directory.path()).unwrap().uid() != 0 {
        return eprintln!("skipped: it takes root to make a folder of another user");
    }
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
    if std::os::unix::fs::chown(directory.path(), Some(NOBODY), Some(NOBODY)).is_err() {
        return eprintln!("skipped: this root may make no folder of another user");
    }
    let path = directory.path().join("a/b/store.sqlite");
    let store = Store::open(&path).unwrap();
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    experiment.append(&sample(0)).unwrap();
    let owner = |path: &Path| fs::symlink_metadata(path).unwrap().uid();
    let beside = fs::read_dir(path.parent().unwrap()).unwrap().flatten().map(|entry| entry.path());
    let made: Vec<PathBuf> =
        beside.chain([directory.path().join("a"), directory.path().join("a/b")]).collect();
    assert!(made.len() >= 4, "{made:?}");
    for path in made {
        assert_eq!(owner(&path), NOBODY, "{path:?}");
    }
}

/// A dangling link must not decide where root creates a file.
#[test]
fn no_store_is_made_where_a_link_leads() {
    let (directory, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
    let link = directory.path().join("link.sqlite");
    std::os::unix::fs::symlink(elsewhere.path().join("new"), &link).unwrap();
    assert!(matches!(refused(&link), StoreError::NotAFile { what: "a link that leads nowhere", .. }));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    // A link to a store lets a user keep the store elsewhere.
    drop(Store::open(elsewhere.path().join("new")).unwrap());
    assert_eq!(Store::open(&link).unwrap().access(), Access::ReadWrite);
}
