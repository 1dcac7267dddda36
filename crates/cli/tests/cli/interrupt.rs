//! Ctrl-C and SIGTERM: the work stops, measurements are kept and reported, and no process is left running.

use std::fs;

use crate::common::{Lab, Live, SIGINT, SIGKILL, SIGTERM, alive, eventually, number, runs};

fn log_bytes(lab: &Lab) -> u64 {
    fs::metadata(lab.path("log")).map_or(0, |log| log.len())
}

fn interrupted(lab: &Lab, words: &[&str], signal: i32) -> crate::common::Done {
    let live: Live = lab.start(words);
    assert!(eventually(|| log_bytes(lab) >= 5));
    live.signal(signal);
    live.end()
}

#[test]
fn a_run_that_is_interrupted_reports_what_it_has() {
    for signal in [SIGINT, SIGTERM] {
        for lab in Lab::both() {
            let words =
                ["run", "--shell", "printf x >> log; sleep 0.01; exec sleep 0.01", "--runs", "100000"];
            let done = interrupted(&lab, &words, signal).ends_with(130);
            assert!(done.out.contains("interrupted"), "{}", done.out);
            let last = lab.last();
            let stored = runs(&last, 0).len() as u64;
            // The run under way was ended and does not count.
            assert!(
                stored >= 3 && (stored..=stored + 1).contains(&log_bytes(&lab)),
                "{stored}, {}",
                log_bytes(&lab)
            );
            assert!(runs(&last, 0).iter().all(|run| run["exit_status"] == 0));
            assert!(last["warnings"].to_string().contains("interrupted"));
            assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "stopped");
        }
    }
}

#[test]
fn a_comparison_that_is_interrupted_is_inconclusive() {
    let lab = Lab::new();
    let same = "printf x >> log; sleep 0.01";
    let words =
        ["compare", "--shell", same, same, "--level", "0.1%", "--margin", "0.0001%", "--max-pairs", "100000"];
    let live = lab.start(&[&words[..], &["--format", "json"]].concat());
    assert!(eventually(|| log_bytes(&lab) >= 40));
    live.signal(SIGINT);
    let document = live.end().ends_with(130).json();
    let comparison = &document["comparisons"][0];
    assert_eq!(
        (comparison["verdict"].as_str(), comparison["stopped_by"].as_str()),
        (Some("inconclusive"), Some("interrupt"))
    );
    // On a busy machine some pairs are dropped, and are counted all the same.
    let pairs = ["pairs", "dropped_pairs"].map(|field| number(comparison, field));
    assert!(pairs[0] > 0 && pairs[0] + pairs[1] >= 10, "{comparison}");
}

/// A verb that is interrupted before its first sample has nothing to report, and still ends well.
#[test]
fn an_interruption_before_the_first_sample_ends_well() {
    for (words, sleeper) in [
        (["run", "--shell", "touch begun; exec sleep 86421", "--quiet"], "sleep 86421"),
        (["run", "--shell", "touch begun; exec sleep 86422", "--warmup=1"], "sleep 86422"),
        (["run", "--shell", "touch begun; exec sleep 86423", "--tree"], "sleep 86423"),
        (["aa", "--shell", "touch begun; exec sleep 86424", "--strata=plain"], "sleep 86424"),
        (["compare", "--shell", "touch begun; exec sleep 86425", "true"], "sleep 86425"),
        (["run", "true", "--shell", "--prepare=touch begun; exec sleep 86426"], "sleep 86426"),
    ] {
        let lab = Lab::new();
        let live = lab.start(&words);
        assert!(eventually(|| lab.path("begun").exists() && alive(sleeper) > 0), "{words:?}");
        live.signal(SIGINT);
        let done = live.end();
        done.complains(130, &["interrupted, so not all"]);
        assert_eq!(alive(sleeper), 0, "{words:?}");
    }
}

/// An interruption replaces only the exit code 0, and is told beside the failure of the report.
#[test]
fn an_interruption_is_told_beside_what_decides_the_exit_code() {
    let lab = Lab::new();
    let words =
        ["run", "--shell", "printf x >> log; sleep 0.01", "--runs", "100000", "--output", "/dev/full"];
    let done = interrupted(&lab, &words, SIGINT).ends_with(3);
    let lines: Vec<&str> = done.err.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].contains("interrupted") && lines[1].contains("/dev/full"),
        "{done:?}"
    );
}

/// Further interrupts have no effect: the first is enough to end a command that ignores it.
#[test]
fn a_stubborn_command_is_ended_too() {
    let lab = Lab::new();
    let stubborn = "trap '' INT TERM HUP; printf xxxxx >> log; while :; do sleep 0.05; done";
    let live = lab.start(&["run", "--shell", stubborn]);
    assert!(eventually(|| log_bytes(&lab) >= 5));
    live.signal(SIGINT);
    live.signal(SIGTERM);
    live.signal(SIGINT);
    live.end().ends_with(130);
    assert!(runs(&lab.last(), 0).is_empty());
}

/// Cleanup commands run to their end when the user interrupts, and a second interrupt ends a cleanup command that
/// hangs.
#[test]
fn asking_once_more_ends_what_cleans_up() {
    for (option, sleeper) in [("--conclude", "sleep 86441"), ("--cleanup", "sleep 86442")] {
        let lab = Lab::new();
        let cleaning = format!("touch cleaning; {sleeper}");
        let live = lab.start(&["run", "--shell", "touch begun; exec sleep 86443", option, &cleaning]);
        assert!(eventually(|| lab.path("begun").exists()));
        live.signal(SIGINT);
        assert!(eventually(|| lab.path("cleaning").exists() && alive(sleeper) > 0), "{option}");
        live.signal(SIGINT);
        live.end();
        assert_eq!(alive(sleeper), 0, "{option}");
    }
}

/// A first interrupt that arrives after the measurements does not end a cleanup command.
#[test]
fn asking_once_spares_what_cleans_up() {
    let lab = Lab::new();
    lab.write("suite.toml", "[[benchmark]]\nname = \"x\"\na = \"true\"\nb = \"true\"\ncleanup = \"touch cleaning; sleep 0.5; touch clean\"\n");
    let cleaning = "touch cleaning; sleep 0.5; touch clean";
    for words in [
        &["run", "-r", "2", "true", "--cleanup", cleaning][..],
        &["compare", "true", "true", "--max-pairs", "6", "--cleanup", cleaning],
        &["suite", "suite.toml", "--max-time", "100ms"],
        &["sweep", "env-pad", "true", "--blocks", "3", "--cleanup", cleaning],
    ] {
        lab.shell("rm -f cleaning clean");
        let live = lab.start(words);
        assert!(eventually(|| lab.path("cleaning").exists()), "{words:?}");
        live.signal(SIGINT);
        let done = live.end();
        assert!(lab.path("clean").exists(), "{words:?}: {done:?}");
    }
}

/// A gate that failed by a complete measurement still fails if the second measurement, which would confirm that, is
/// interrupted.
#[test]
fn an_interrupted_confirmation_confirms_nothing() {
    let lab = Lab::new();
    let count = "echo >> sessions";
    let slow = "if test $(wc -l < sessions) -gt 1; then touch again; exec sleep 86444; fi; sleep 0.2";
    let words =
        ["compare", "--shell=default", "true", slow, "--setup", count, "--fail-if", "slower", "--confirm"];
    let live = lab.start(&[&words[..], &["--level", "0.1%", "--max-pairs", "64"]].concat());
    assert!(eventually(|| lab.path("again").exists()));
    live.signal(SIGINT);
    live.end().ends_with(1);
    assert!(lab.last()["warnings"].to_string().contains("was interrupted, so that the first one stands"));
}

/// The copied programs and the load of a calibration are removed when it is interrupted.
#[test]
fn a_calibration_that_is_interrupted_cleans_up() {
    let lab = Lab::new();
    let command = "sh -c 'printf x >> log; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done'";
    let live = lab.start(&["aa", command, "--strata", "drift", "-N", "1000", "--format", "json"]);
    assert!(eventually(|| log_bytes(&lab) >= 60));
    live.signal(SIGINT);
    let document = live.end().ends_with(130).json();
    assert_eq!(document["schema"], "fauxplat.aa/1");
    let left: Vec<_> = fs::read_dir(lab.folder()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("fauxplat-aa")), "{left:?}");
}

/// If a trial is stopped after its preparation, its cleanup command still runs.
#[test]
fn what_was_prepared_is_cleaned_up_after_an_interruption() {
    let duet = crate::duet::two_cores().then_some(("compare", &["sleep 86488", "--duet"][..]));
    let alone = [("run", &[][..]), ("compare", &["sleep 86488"][..])];
    for (verb, more) in alone.into_iter().chain(duet) {
        for signal in [SIGINT, SIGTERM] {
            let lab = Lab::new();
            let (prepare, clean) = ("touch prepared", "sh -c 'rm prepared && echo x >> cleaned'");
            let words = [verb, "sleep 86487", "--prepare", prepare, "--cleanup", clean, "--warmup", "0"];
            let words: Vec<&str> = words.iter().copied().chain(more.iter().copied()).collect();
            let live = lab.start(&words);
            let sleeps = || alive("sleep 86487") > 0;
            assert!(eventually(|| lab.path("prepared").exists() && sleeps()), "{verb}");
            live.signal(signal);
            let done = live.end();
            assert!(!lab.path("prepared").exists(), "{verb}: {done:?}");
            assert_eq!(lab.read("cleaned").lines().count(), 1, "{verb}");
        }
    }
}

/// Command lines with work before the first run: a setup, a build, or a question to a program which benchmarks it has.
const BEFORE_THE_FIRST_RUN: [&[&str]; 6] = [
    &["run", "true", "--setup", "touch begun; sleep 86451"],
    &["compare", "true", "false", "--setup", "touch begun; sleep 86451", "--undecided-code", "125"],
    &["compare", "{program}", "--build-a", "touch begun; sleep 86451", "--build-b", "true"],
    &["why", "true", "false", "--setup", "touch begun; sleep 86451"],
    &["suite", "--harness", "lines:(a)(b)", "./asked", "./asked"],
    &["suite", "./asked", "./asked"],
];

/// A laboratory with a program that never answers, and fauxplat, started with these words, before its first run. Each
/// test replaces 86451 by another time, since processes are counted by their command line on the whole machine.
fn begun(words: &[&str], seconds: &str) -> (Lab, Live) {
    let lab = Lab::new();
    lab.write("asked", &format!("#!/bin/sh\ntouch begun; sleep {seconds}\n"));
    lab.shell("chmod +x asked");
    let words: Vec<String> = words.iter().map(|word| word.replace("86451", seconds)).collect();
    let live = lab.start(&words.iter().map(String::as_str).collect::<Vec<&str>>());
    let sleep = format!("sleep {seconds}");
    assert!(eventually(|| lab.path("begun").exists() && alive(&sleep) > 0), "{words:?}");
    (lab, live)
}

#[test]
fn what_comes_before_the_first_run_is_interrupted_with_130() {
    for words in BEFORE_THE_FIRST_RUN {
        for signal in [SIGINT, SIGTERM] {
            let (_lab, live) = begun(words, "86451");
            live.signal(signal);
            live.end().complains(130, &["interrupted"]);
            assert_eq!(alive("sleep 86451"), 0, "{words:?}");
        }
    }
}

/// If fauxplat is killed, a separate process ends what was started before the first run.
#[test]
fn what_comes_before_the_first_run_does_not_outlive_fauxplat() {
    for words in BEFORE_THE_FIRST_RUN {
        let (_lab, live) = begun(words, "86453");
        live.signal(SIGKILL);
        live.end();
        assert!(eventually(|| alive("sleep 86453") == 0), "{words:?}");
    }
}
