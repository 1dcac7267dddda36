//! Runs of a profile: their condition, which of them count, and what an interrupted profile keeps.

use std::process::Command;

use fauxplat_sys::signal::SIGINT;

use crate::common::{Lab, eventually, first_cpu, spin};

/// A laboratory; `None`, with a message, where sampling is not permitted.
fn lab() -> Option<Lab> {
    let lab = Lab::new();
    let tried = lab.run_unstored(&["profile", "--format", "json", "true"]);
    if tried.code == Some(3) {
        println!("skipped: {}", tried.err.trim());
        return None;
    }
    Some(lab)
}

#[test]
fn a_sampled_run_is_warmed_up_placed_and_padded_as_was_said() {
    let Some(lab) = lab() else { return };
    let cpu = first_cpu();
    let place = format!("one-of:{cpu}");
    let line = "grep Cpus_allowed_list: /proc/self/status >> places; env | grep -c FAUXPLAT_PAD >> pads";
    for (words, runs) in [(&["profile", "--warmup", "2"][..], 3), (&["run", "--runs", "1", "--tree"], 2)] {
        let _old = ["places", "pads"].map(|name| std::fs::remove_file(lab.path(name)));
        let condition = ["--cpu", &place, "--env-pad", "64", "--shell", line];
        lab.run(&[words, &condition].concat()).succeeds();
        let (places, pads) = (lab.read("places"), lab.read("pads"));
        // Only the last line of each log is checked: the line of the sampled or traced run.
        let last =
            |text: &str| text.lines().last().and_then(|line| line.split_whitespace().last()?.parse().ok());
        let expected = (runs, cpu.parse::<u32>().ok(), Some(1));
        assert_eq!((places.lines().count(), last(&places), last(&pads)), expected, "{words:?}");
    }
}

/// Interrupting the single run, which is how one ends a server, gives a profile.
#[test]
fn an_interrupted_run_of_one_command_is_a_profile() {
    let Some(lab) = lab() else { return };
    let line = format!("{}; touch there; while :; do :; done", spin(200_000));
    let live = lab.start(&["profile", "--format", "json", "--shell", &line]);
    assert!(eventually(|| lab.path("there").exists()), "the command did not come so far");
    live.signal(SIGINT);
    let done = live.end();
    let document = done.json();
    let quality = &document["profiles"][0]["quality"];
    assert!(quality["samples"].as_u64() > Some(0) && quality["runs"] == 1, "{quality}");
    assert!(document["warnings"].to_string().contains("interrupted"), "{}", document["warnings"]);
    assert_eq!(lab.last()["profiles"][0]["quality"]["samples"], quality["samples"]);
}

#[test]
fn failed_runs_of_a_profile_are_kept_left_out_or_the_end_as_was_said() {
    let Some(lab) = lab() else { return };
    let profile = |words: &[&str], line: &str| {
        let common = ["profile", "--runs", "3", "--format", "json", "--output", "report.json"];
        lab.run(&[&common, words, &["--shell", line]].concat())
    };
    let report = || serde_json::from_str::<serde_json::Value>(&lab.read("report.json")).unwrap();
    let left_out = profile(&["--skip-failures"], "test $FAUXPLAT_RUN != 1");
    assert_eq!(left_out.code, Some(0), "{left_out:?}");
    assert_eq!(report()["profiles"][0]["quality"]["runs"], 2);
    assert!(report()["warnings"].to_string().contains("1 run failed and is left out"), "{}", report());
    profile(&["--ignore-failure=1"], "exit 2").complains(4, &["status 2"]);
    assert_eq!(profile(&["--ignore-failure=1"], "exit 1").code, Some(0));
    profile(&["--skip-failures", "--runs", "20"], "exit 1").reports_misuse(&["--runs"]);
    let common = ["profile", "--runs", "20", "--skip-failures", "--shell", "echo x >> tried; exit 1"];
    lab.run(&common).complains(4, &["status 1", "as those before it did"]);
    assert_eq!(lab.read("tried").lines().count(), 10);
}

/// A format that does not exist is refused before anything is measured or prepared.
#[test]
fn what_cannot_be_written_or_sampled_is_refused_before_anything_runs() {
    let lab = Lab::new();
    let refused = |words: &[&str], says: &str| {
        lab.run(&[words, &["--setup", "touch begun", "true", "false"]].concat()).complains(2, &[says]);
        assert!(!lab.path("begun").exists(), "{words:?}");
    };
    refused(&["profile", "--format", "pprof"], "holds one profile");
    refused(&["profile", "-e", "cycles", "-e", "page-faults"], "of one event");
    refused(&["run", "--simulated", "--export", "hyperfine-json=x.json"], "not timed");
    lab.run(&["profile", "--pid", "1", "--format", "go-benchmark"]).complains(2, &["go-benchmark"]);
    lab.run(&["profile", "--pid", "1", "--events", "x"]).reports_misuse(&["--events", "--pid"]);
    lab.run(&["run", "--events", "x", "--output", "x", "true"]).complains(2, &["x", "two files"]);
}

/// Processes that a sampled process starts are sampled as well, so that their time is part of the whole.
#[test]
fn the_time_of_a_process_is_that_of_all_that_it_makes() {
    let Some(lab) = lab() else { return };
    let line = format!("while :; do sh -c '{}'; done", spin(20_000).replace('\'', "'\\''"));
    let mut process = Command::new("sh").args(["-c", &line]).spawn().unwrap();
    // Samples of this clock are equally far apart from the beginning; the period of samples by cycles has to adapt in
    // each process first.
    let pid = process.id().to_string();
    let document = lab.json(&["profile", "-e", "cpu-clock", "--pid", &pid, "--max-time", "1s"]);
    process.kill().unwrap();
    process.wait().unwrap();
    let quality = &document["profiles"][0]["quality"];
    let (cpu_s, samples) = (quality["cpu_s"].as_f64().unwrap(), quality["samples"].as_f64().unwrap());
    let asked_hz = quality["rate_hz"].as_f64().unwrap();
    assert!(samples > 0.0 && samples <= 3.0 * asked_hz * cpu_s, "{quality}");
}

#[test]
fn a_pipe_is_no_perf_data_and_nobody_waits_for_it() {
    let lab = Lab::new();
    lab.shell("mkfifo pipe");
    lab.run(&["profile", "--import", "pipe"]).complains(2, &["pipe", "no regular file"]);
}
