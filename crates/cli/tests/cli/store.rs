//! The store with two writers, and after fauxplat was killed.

use std::fs;
use std::time::Duration;

use crate::common::{Done, Lab, SIGKILL, alive, eventually, number, runs};

/// Number of runs that were begun: each writes a byte to the log.
fn begun(lab: &Lab) -> usize {
    fs::metadata(lab.path("log")).map_or(0, |log| log.len() as usize)
}

/// Each run first marks its beginning in a log, so that the log can be compared with the store.
#[test]
fn a_killed_fauxplat_has_stored_all_but_the_run_in_progress() {
    for (lab, wait_for) in Lab::both().into_iter().zip([3, 20]).chain([(Lab::new(), 70)]) {
        let live = lab.start(&["run", "--shell", "printf x >> log; sleep 0.005", "--runs", "100000"]);
        assert!(eventually(|| begun(&lab) >= wait_for));
        live.signal(SIGKILL);
        live.end();
        settled(&lab);
        let last = lab.last();
        let (begun, stored) = (begun(&lab), runs(&last, 0).len());
        assert!(stored <= begun && begun <= stored + 1, "{begun} runs were begun and {stored} stored");
        assert!(
            runs(&last, 0).iter().all(|run| run["exit_status"] == 0 && number(run, "wall_ns") >= 5_000_000)
        );
        assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "interrupted");
        lab.run(&["run", "true", "--runs", "2"]).succeeds();
    }
}

/// Waits until no run is begun any more.
fn settled(lab: &Lab) {
    let mut before = usize::MAX;
    assert!(eventually(|| {
        let now = begun(lab);
        std::thread::sleep(Duration::from_millis(60));
        std::mem::replace(&mut before, now) == now
    }));
}

#[test]
fn a_killed_fauxplat_leaves_no_measured_process_behind() {
    for lab in Lab::both() {
        let live =
            lab.start(&["run", "--shell", "sleep 86484 & setsid sleep 86485 & touch begun; sleep 86486"]);
        assert!(eventually(|| lab.path("begun").exists()));
        let left = || ["sleep 86484", "sleep 86485", "sleep 86486"].into_iter().map(alive).sum::<usize>();
        assert!(eventually(|| left() == 3));
        live.signal(SIGKILL);
        assert!(eventually(|| left() == 0), "{} processes live on", left());
        live.end();
        // The tree of a traced run is ended as well.
        fs::remove_file(lab.path("begun")).unwrap();
        let live = lab.start(&["compare", "--shell", "touch begun; sleep 86484", "true"]);
        assert!(eventually(|| lab.path("begun").exists() && left() == 1));
        live.signal(SIGKILL);
        assert!(eventually(|| left() == 0), "{} processes live on", left());
        live.end();
    }
}

#[test]
fn two_fauxplats_write_at_once() {
    let lab = Lab::new();
    let words = ["run", "sleep 0.002", "--runs", "60"];
    let lives: Vec<_> = (0..3).map(|_| lab.start(&words)).collect();
    for live in lives {
        live.end().succeeds();
    }
    let list = lab.json(&["history", "list"]);
    let experiments = list["experiments"].as_array().unwrap();
    assert_eq!(experiments.len(), 3);
    assert!(experiments.iter().all(|one| one["samples"] == 60 && one["state"] == "finished"), "{list}");
    for id in ["1", "2", "3"] {
        assert_eq!(runs(&lab.json(&["history", "export", id]), 0).len(), 60);
    }
}

/// While one process measures, another lists the experiment as running.
#[test]
fn a_running_experiment_is_seen_and_protected() {
    let lab = Lab::new();
    let live = lab.start(&["run", "--shell", "printf x >> log; sleep 0.005", "--runs", "100000"]);
    assert!(eventually(|| begun(&lab) >= 3));
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "running");
    let refused = lab.run(&["history", "rm", "1"]);
    assert!(refused.code != Some(0) && refused.err.contains("still running"), "{refused:?}");
    live.signal(crate::common::SIGINT);
    live.end().ends_with(130);
    lab.run(&["history", "rm", "1"]).succeeds();
}

/// An option wins over the environment, and the environment over the user's data directory.
#[test]
fn the_environment_names_the_default_store() {
    let lab = Lab::new();
    let told = |store: &str, words: &[&str]| {
        let mut command = lab.bare(words);
        command.env("FAUXPLAT_STORE", store);
        Done::of(command)
    };
    let run = ["run", "-r", "2", "true"];
    told("named.sqlite", &["history", "list"]).complains(2, &["there is no such store"]);
    told("named.sqlite", &run).succeeds();
    assert!(told("named.sqlite", &["history", "list"]).succeeds().out.contains("true"));
    assert!(!lab.path(".local").exists(), "nothing is in the data directory");
    told("named.sqlite", &[&run[..], &["--store", "given.sqlite"]].concat()).succeeds();
    assert!(lab.path("given.sqlite").exists());
    told("none", &run).succeeds();
    told("none", &["history", "list"]).complains(2, &["--store none"]);
    told("named.sqlite", &[&run[..], &["--output", "named.sqlite"]].concat())
        .complains(2, &["would overwrite it"]);
    told("", &run).succeeds();
    assert!(lab.path(".local/share/fauxplat/store.sqlite").exists(), "an empty value names none");
    let help = lab.run(&["run", "--help"]).succeeds();
    assert!(help.out.contains("FAUXPLAT_STORE"));
}
