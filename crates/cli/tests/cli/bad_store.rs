//! Stores that cannot be used at all, and stores that can only be read.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::{Done, Lab, runs};

const RUN: [&str; 4] = ["run", "true", "--runs", "3"];

#[test]
fn a_file_that_is_not_a_database_is_left_as_it_is() {
    for lab in Lab::both() {
        let text = "These are the notes of somebody, and no database at all.\n".repeat(50);
        lab.write("store.sqlite", &text);
        let done = lab.run(&RUN).complains(2, &["store.sqlite", "not an SQLite database", "--store PATH"]);
        assert_eq!(done.out, "");
        lab.run(&["history", "list"]).complains(2, &["store.sqlite", "not an SQLite database"]);
        assert_eq!(lab.read("store.sqlite"), text);
    }
}

#[test]
fn a_folder_and_a_device_are_no_store() {
    let lab = Lab::new();
    fs::create_dir(lab.path("store.sqlite")).unwrap();
    lab.run(&RUN).complains(2, &["store.sqlite", "a directory", "--store PATH"]);
    let done = Done::of(lab.bare(&["run", "true", "--store", "/dev/null"]));
    done.complains(2, &["/dev/null", "a special file"]);
    let done = Done::of(lab.bare(&["run", "true", "--store", "/proc/version/store"]));
    done.complains(3, &["/proc/version/store", "cannot be"]);
}

/// Root may write to any file, so the test of a read-only store needs an ordinary user.
#[test]
fn a_read_only_store_can_be_read_and_is_not_written() {
    let lab = Lab::ordinary();
    fs::create_dir(lab.path("data")).unwrap();
    fs::set_permissions(lab.path("data"), fs::Permissions::from_mode(0o777)).unwrap();
    let store = lab.file("data/store");
    let with_store = |words: &[&str]| Done::of(lab.bare(&[words, &["--store", &store]].concat()));
    with_store(&RUN).succeeds();
    let before = fs::read(&store).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(lab.path("data"), fs::Permissions::from_mode(0o555)).unwrap();
    let done = with_store(&RUN).complains(3, &["data/store", "read-only", "--store PATH"]);
    assert_eq!(done.out, "");
    with_store(&["history", "rm", "1"]).complains(3, &["data/store", "read-only"]);
    let shown = with_store(&["history", "export", "last"]).succeeds().json();
    assert_eq!(runs(&shown, 0).len(), 3);
    assert_eq!(fs::read(&store).unwrap(), before);
    let done = Done::of(lab.bare(&["run", "true", "--store", &lab.file("data/other")]));
    done.complains(3, &["data/other", "cannot be created"]);
    fs::set_permissions(lab.path("data"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_store_that_may_not_be_read_is_named() {
    let lab = Lab::ordinary();
    lab.write("store.sqlite", "");
    fs::set_permissions(lab.path("store.sqlite"), fs::Permissions::from_mode(0o000)).unwrap();
    lab.run(&RUN).complains(3, &["store.sqlite", "cannot be opened"]);
}

/// The header of an SQLite file holds the schema version at byte 60, see <https://www.sqlite.org/fileformat.html>.
#[test]
fn a_newer_store_is_read_and_never_overwritten() {
    for lab in Lab::both() {
        lab.run(&RUN).succeeds();
        let mut bytes = fs::read(lab.path("store.sqlite")).unwrap();
        bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
        fs::write(lab.path("store.sqlite"), &bytes).unwrap();
        let done = lab.run(&RUN).complains(3, &["store.sqlite", "version 99", "update fauxplat"]);
        assert_eq!(done.out, "");
        assert_eq!(runs(&lab.last(), 0).len(), 3);
        assert_eq!(lab.json(&["history", "list"])["experiments"].as_array().unwrap().len(), 1);
        lab.run(&["history", "rm", "1"]).complains(3, &["version 99"]);
        assert_eq!(fs::read(lab.path("store.sqlite")).unwrap(), bytes);
    }
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let lab = Lab::new();
    lab.run(&RUN).succeeds();
    let mut bytes = fs::read(lab.path("store.sqlite")).unwrap();
    bytes[68..72].copy_from_slice(b"Else");
    fs::write(lab.path("store.sqlite"), &bytes).unwrap();
    lab.run(&RUN).complains(2, &["store.sqlite", "another program"]);
    assert_eq!(fs::read(lab.path("store.sqlite")).unwrap(), bytes);
}

/// A limit of the store's file size ends the experiment as a full disk does; earlier results stay intact.
#[test]
fn a_full_store_names_its_file_and_keeps_what_it_has() {
    for lab in Lab::both() {
        lab.run(&RUN).succeeds();
        let store = lab.file("store.sqlite");
        let line = format!(
            "trap '' XFSZ; ulimit -f 600; exec '{}' run true --runs 100000 --store '{store}'",
            lab.starter().join("' '")
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]);
        lab.settle(&mut shell);
        let done = Done::of(shell).complains(3, &["store.sqlite", "intact"]);
        assert!(done.out.contains("runs"), "what was measured is reported: {}", done.out);
        assert!(!runs(&lab.last(), 0).is_empty());
        assert_eq!(runs(&lab.json(&["history", "export", "1"]), 0).len(), 3);
        lab.run(&RUN).succeeds();
    }
}

/// `compare` traces each command once before its experiment begins in the store, and a disk that is full by then takes
/// no report away. The limit holds the files of fauxplat, and not a record with these long command lines.
#[test]
fn a_disk_that_is_full_before_the_first_counted_run_takes_no_report_away() {
    let lab = Lab::new();
    lab.run(&RUN).succeeds();
    let line = format!(
        "x=$(printf '%060000d' 0); trap '' XFSZ; ulimit -f 600; exec '{}' compare \"true $x\" \"true a $x\" \
         --names a,b --max-pairs 6 --format json --store '{}'",
        lab.starter().join("' '"),
        lab.file("store.sqlite")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]);
    lab.settle(&mut shell);
    let done = Done::of(shell).ends_with(3);
    assert!(done.err.contains("the store has nothing") && done.err.contains("intact"), "{done:?}");
    let document = done.json();
    assert!(document["commands"].as_array().is_some_and(|commands| commands.len() == 2), "{document}");
    assert!(document["warnings"].to_string().contains("the store has nothing"), "{}", document["warnings"]);
    assert_eq!(lab.json(&["history", "list"])["experiments"].as_array().unwrap().len(), 1);
    lab.run(&RUN).succeeds();
}
