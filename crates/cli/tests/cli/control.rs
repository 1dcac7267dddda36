//! `--control`: programs that write to a pipe when they are to be counted.

use std::fs;
use std::os::unix::fs::FileTypeExt;

use serde_json::Value;

use crate::common::{Lab, SIGINT, eventually, number, runs};
use crate::counters::counts_both_modes;

/// A script that enables counting while a child works and a tenth of a second passes, and sleeps as long before and
/// after.
const SCRIPT: &str = "
sleep 0.1
echo enable > ctl; read answer < ack; echo $answer >> answers
sleep 0.1; true
echo disable > ctl; read answer < ack; echo $answer >> answers
sleep 0.1
";

/// The readings of each run of a script, and the metrics that were not measured.
fn controlled(lab: &Lab, script: &str, words: &[&str]) -> (Vec<Value>, String) {
    lab.write("script.sh", script);
    let all = [&["run", "-r", "2", "--control", "fifo:ctl,ack"], words, &["sh script.sh"]].concat();
    lab.run(&all).succeeds();
    (runs(&lab.last(), 0).clone(), lab.last()["not_measured"].to_string())
}

fn wall_ms(run: &Value) -> u64 {
    number(run, "control:wall_ns") / 1_000_000
}

#[test]
fn what_is_enabled_is_counted_apart() {
    let lab = Lab::new();
    if !counts_both_modes(&lab) {
        return;
    }
    let (all, _) = controlled(&lab, SCRIPT, &["-e", "page-faults,task-clock"]);
    for run in &all {
        let whole = number(run, "wall_ns") / 1_000_000;
        assert!(wall_ms(run) >= 100 && wall_ms(run) + 200 <= whole, "{run}");
        assert_eq!(run["control:times"], 1);
        let faults = number(run, "control:page-faults");
        assert!(faults > 0 && faults < number(run, "software:page-faults"), "{run}");
        assert!(number(run, "control:task-clock_ns") < number(run, "software:task-clock_ns"), "{run}");
    }
    // Every run writes two answers, and there are no warm-up runs.
    assert_eq!(lab.read("answers"), "ack\n".repeat(2 * all.len()));
    assert!(!lab.path("ctl").exists() && !lab.path("ack").exists(), "what was made is removed");
}

#[test]
fn what_perf_would_count_is_counted() {
    let lab = Lab::new();
    if !counts_both_modes(&lab) {
        return;
    }
    // Cases: number of times counting is enabled, least enabled time, and least disabled time. Without acknowledgements
    // a word may take effect later than it was written, as late as the end.
    let cases = [
        // Counting is on from the program's start if the first word of the program disables it.
        ("sleep 0.1; echo disable > ctl; sleep 0.2", Some((1, 100, 0))),
        ("sleep 0.1; echo disable > ctl; read answer < ack; sleep 0.2", Some((1, 100, 200))),
        ("sleep 0.2; echo enable > ctl; sleep 0.1", Some((1, 0, 200))),
        ("sleep 0.2; echo enable > ctl; read answer < ack; sleep 0.1", Some((1, 100, 200))),
        // An empty line is no command, and has no answer.
        (
            "printf 'enable\\nenable\\ndisable\\ndisable\\nenable\\n\\ndisable' > ctl; \
             for each in 1 2 3 4 5 6; do read answer < ack; done; sleep 0.1",
            Some((2, 0, 100)),
        ),
        (
            "echo ping > ctl; read answer < ack; echo snapshot > ctl; echo 'enable cycles' > ctl; read answer < ack",
            None,
        ),
        ("true", None),
    ];
    for (script, expected) in cases {
        let (all, said) = controlled(&lab, script, &["-e", "page-faults"]);
        for run in &all {
            let Some((times, on_ms, off_ms)) = expected else {
                assert!(
                    run["control:times"].is_null() && said.contains("control in 2 of 2 runs"),
                    "{run}{said}"
                );
                continue;
            };
            assert_eq!(run["control:times"], times, "{run}");
            assert!(
                wall_ms(run) >= on_ms && wall_ms(run) + off_ms <= number(run, "wall_ns") / 1_000_000,
                "{run}"
            );
        }
    }
}

#[test]
fn a_pipe_that_was_there_stays_and_another_file_is_refused() {
    let lab = Lab::new();
    lab.shell("mkfifo ctl; echo text > file; mkdir folder");
    lab.run(&["run", "-r", "1", "--control", "fifo:ctl", "true"]).succeeds();
    assert!(fs::metadata(lab.path("ctl")).unwrap().file_type().is_fifo());
    for (place, why) in [
        ("fifo:file", "not a named pipe"),
        ("fifo:folder", "not a named pipe"),
        ("fifo:nowhere/ctl", "No such file"),
        ("fd:3", "do not inherit"),
        ("ctl", "fifo:CTL"),
    ] {
        lab.run(&["run", "--control", place, "true"]).reports_misuse(&[why]);
    }
    lab.run(&["run", "--simulated", "--control", "fifo:ctl", "true"]).reports_misuse(&["--simulated"]);
    lab.run(&["compare", "--duet", "--control", "fifo:ctl", "true", "true"]).reports_misuse(&["--duet"]);
    lab.run(&["run", "--tree", "--control", "fifo:ctl", "true"]).complains(2, &["--tree and --control"]);
    assert_eq!(lab.read("file"), "text\n");
}

/// A comparison may trace a command beforehand to find out whether it has a single task. A command that waits for
/// acknowledgements is not traced.
#[test]
fn a_comparison_answers_too() {
    let lab = Lab::new();
    if !counts_both_modes(&lab) {
        return;
    }
    lab.write(
        "script.sh",
        "echo enable > ctl; read answer < ack; /bin/true; echo disable > ctl; read answer < ack",
    );
    let words = ["--control", "fifo:ctl,ack", "--metric", "control:page-faults"];
    lab.run(&[&["compare", "--max-pairs", "6"], &words[..], &["sh script.sh", "sh script.sh"]].concat())
        .succeeds();
    for command in 0..2 {
        assert!(runs(&lab.last(), command).iter().all(|run| run["control:page-faults"].as_u64() > Some(0)));
    }
}

/// A program that writes without end is ended by the time limit like any other, and an interrupted program leaves
/// nothing behind.
#[test]
fn a_flood_and_a_stop_end_as_ever() {
    let lab = Lab::new();
    lab.write("flood.sh", "exec yes enable > ctl");
    let words = ["run", "-r", "1", "-i", "--timeout", "300ms", "--control", "fifo:ctl", "sh flood.sh"];
    lab.run(&words).succeeds();
    assert_eq!(runs(&lab.last(), 0)[0]["outcome"], "timed-out");
    lab.write("long.sh", "echo enable > ctl; touch begun; sleep 1000");
    let live = lab.start(&["run", "--control", "fifo:ctl", "sh long.sh"]);
    assert!(eventually(|| lab.path("begun").exists()));
    lab.run_unstored(&["run", "--control", "fifo:ctl", "true"]).reports_misuse(&["another fauxplat uses"]);
    assert!(lab.path("ctl").exists(), "what another one made is its own");
    live.signal(SIGINT);
    live.end();
    assert!(!lab.path("ctl").exists());
}
