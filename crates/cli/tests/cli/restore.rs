//! `restore` when it is interrupted, waits, or is refused by the kernel, on made-up machines.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use fauxplat_sys::signal;

use crate::common::{Done, SIGINT, SIGTERM, eventually};
use crate::made_up::{Bench, INTERVAL};

fn start(bench: &Bench, words: &[&str]) -> Child {
    bench.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn end(mut child: Child) -> Done {
    assert!(eventually(|| child.try_wait().unwrap().is_some()), "it does not end");
    Done::from(child.wait_with_output().unwrap())
}

/// `restore` waits for other writers of the journal. The test locks the journal, so a restoration that has begun waits
/// there until the signals have arrived.
#[test]
fn a_restoration_that_has_begun_goes_on_to_its_end() {
    for asking in [SIGINT, SIGTERM, signal::SIGHUP] {
        let bench = Bench::new();
        bench.run(&["tune", "quiet", "--set", "cpu:1=offline"]).succeeds();
        let journal = fs::File::open(bench.journal()).unwrap();
        journal.lock().unwrap();
        let restoring = start(&bench, &["restore"]);
        let holds = || fs::read_to_string(format!("{}.lock", bench.journal())).unwrap().contains("restore");
        assert!(eventually(holds), "it does not begin");
        signal::send(restoring.id() as i32, asking);
        signal::send(restoring.id() as i32, asking);
        drop(journal);
        end(restoring).succeeds();
        assert!(bench.is_as_before() && !PathBuf::from(bench.journal()).exists(), "signal {asking}");
    }
}

/// An interrupted wait for the lock changes nothing, and the message says so.
#[test]
fn whoever_waits_and_is_interrupted_changed_nothing() {
    let bench = Bench::new();
    let first = start(&bench, &["tune", "quiet", "--for", "sh", "-c", "touch began; exec sleep 1000"]);
    assert!(eventually(|| bench.lab.path("began").exists()));
    for words in [&["restore", "--wait"][..], &["tune", "--set", "stat-interval=5", "--wait"]] {
        let waiting = start(&bench, words);
        let listens = || {
            let status = fs::read_to_string(format!("/proc/{}/status", waiting.id())).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
            u64::from_str_radix(caught, 16).unwrap() >> (SIGTERM - 1) & 1 == 1
        };
        assert!(eventually(listens), "{words:?}");
        signal::send(waiting.id() as i32, SIGTERM);
        let done = end(waiting).complains(3, &["waiting for", "journal.lock", "nothing was changed"]);
        assert!(!done.err.contains("put back"), "{done:?}");
        assert_eq!(bench.get(INTERVAL), "120", "the first goes on");
    }
    signal::send(first.id() as i32, SIGTERM);
    end(first);
    assert!(bench.is_as_before());
}

/// A read-only kernel file represents a knob that does not accept its old value. A second attempt would fail as well,
/// so the advice is a different one.
#[test]
fn a_value_that_is_refused_is_left_to_the_user() {
    let bench = Bench::new();
    let fixed = "/proc/sys/kernel/cap_last_cap";
    let held = fs::read_to_string(fixed).unwrap();
    bench.run(&["tune", "--set", &format!("stat-interval={}", held.trim())]).succeeds();
    fs::remove_file(bench.path(INTERVAL)).unwrap();
    std::os::unix::fs::symlink(fixed, bench.path(INTERVAL)).unwrap();
    let journal = bench.journal();
    let by_hand = ["stat_interval", "by hand", &format!("remove the journal {journal}")];
    let document = bench.run(&["restore", "--format", "json"]).ends_with(3).json();
    let said = document["warnings"][0].as_str().unwrap();
    assert!(by_hand.iter().all(|words| said.contains(words)) && !said.contains("--force"), "{said}");
    let done = bench.run(&["tune", "--set", "governor=performance"]).complains(3, &by_hand);
    assert!(!done.err.contains("name a place") && !done.err.contains("--force"), "{done:?}");
    // The advice in the message, removing the journal, works.
    fs::remove_file(&journal).unwrap();
    bench.run(&["tune", "--set", "governor=performance"]).succeeds();
    bench.run(&["restore"]).succeeds();
}
