//! Commands that fail, never end, write endlessly, or leave processes behind. Earlier measurements are kept.

use std::fs;

use fauxplat_sys::process;
use serde_json::Value;

use crate::common::{Done, Lab, alive, number, runs, spin};

#[test]
fn a_failing_command_is_named_with_its_status() {
    for lab in Lab::both() {
        lab.run(&["run", "sh -c 'exit 3'"]).complains(4, &["exit 3", "status 3", "--ignore-failure"]);
        let last = lab.last();
        assert_eq!(number(&runs(&last, 0)[0], "exit_status"), 3);
        lab.run(&["run", "sh -c 'kill -9 $$'"]).complains(4, &["signal 9 (SIGKILL)"]);
        assert_eq!(number(&runs(&lab.last(), 0)[0], "exit_status"), 137);
        lab.run(&["run", "sh -c 'kill -SEGV $$'"]).complains(4, &["signal 11 (SIGSEGV)"]);
        lab.run(&["compare", "true", "false"]).complains(4, &["`false`", "status 1"]);
        lab.run(&["aa", "false", "--strata", "plain"]).complains(4, &["`false`", "status 1"]);
    }
}

/// The fourth run fails: it and the three runs before it are stored, and no fifth run is made.
#[test]
fn what_was_measured_before_a_failure_is_kept_and_reported() {
    for lab in Lab::both() {
        let command = "printf x >> log; sleep 0.003; test $(wc -c < log) -lt 4";
        let done = lab.run(&["run", "--shell", command, "--runs", "50"]).complains(4, &["status 1", "run 4"]);
        assert!(done.out.contains("3 runs") || done.out.contains("4 runs"), "{}", done.out);
        let last = lab.last();
        let statuses: Vec<u64> = runs(&last, 0).iter().map(|run| number(run, "exit_status")).collect();
        assert_eq!(statuses, [0, 0, 0, 1]);
        assert_eq!(lab.read("log"), "xxxx", "a command that failed was started again");
        assert_eq!(last["commands"][0]["summary"]["wall_ns"]["n"], 3);
        let warnings = last["warnings"].to_string();
        assert!(warnings.contains("status 1"), "{warnings}");
        let list = lab.json(&["history", "list"]);
        assert_eq!(list["experiments"][0]["state"], "failed");
    }
}

#[test]
fn failures_are_kept_like_other_runs_where_the_user_says_so() {
    let lab = Lab::new();
    let document = lab.json(&["run", "-i", "sh -c 'exit 3'", "--runs", "3"]);
    assert!(runs(&document, 0).iter().all(|run| run["exit_status"] == 3 && run["outcome"]["exited"] == 3));
    assert_eq!(document["commands"][0]["failures"], 3);
    assert_eq!(document["commands"][0]["summary"]["wall_ns"]["n"], 3);
    let document = lab.json(&["compare", "-i", "false", "sh -c 'exit 2'", "--max-pairs", "40"]);
    assert!(number(&document["comparisons"][0], "pairs") > 0, "{}", document["comparisons"]);
}

#[test]
fn a_command_that_never_ends_is_ended() {
    for lab in Lab::both() {
        let done = lab.run(&["run", "sleep 86401", "--timeout", "100ms"]);
        done.complains(4, &["`sleep 86401`", "--timeout"]);
        let last = lab.last();
        assert_eq!(runs(&last, 0)[0]["outcome"], "timed-out");
        assert_eq!(runs(&last, 0)[0]["exit_status"], 124);
        assert_eq!(alive("sleep 86401"), 0);
        let tree = lab.run(&["run", "--shell", "sleep 86402 & sleep 86403", "--timeout", "100ms"]);
        tree.complains(4, &["--timeout"]);
        assert_eq!(alive("sleep 86402") + alive("sleep 86403"), 0);
        let document = lab.json(&["run", "-i", "sleep 86401", "--timeout", "50ms", "--runs", "2"]);
        assert!(runs(&document, 0).iter().all(|run| run["outcome"] == "timed-out"));
    }
}

#[test]
fn a_flood_of_output_holds_nobody_up() {
    let lab = Lab::new();
    let document =
        lab.json(&["run", "head -c 100M /dev/zero", "yes", "-i", "--timeout", "200ms", "--runs", "2"]);
    assert_eq!(runs(&document, 0).len() + runs(&document, 1).len(), 4);
    assert!(runs(&document, 1).iter().all(|run| run["outcome"] == "timed-out"));
    // Commands write to fauxplat's own standard output only if the user asks for that; their output comes before the
    // report.
    let done = lab.run(&["run", "head -c 300000 /dev/zero", "--stdout", "inherit", "--runs", "2"]).succeeds();
    assert_eq!(done.out.bytes().filter(|&byte| byte == 0).count(), 600_000);
}

#[test]
fn a_closed_standard_input_is_the_commands_own_affair() {
    let lab = Lab::new();
    lab.run(&["run", "--shell", "exec <&-; exec >&-; exec 2>&-; true", "--runs", "3"]).succeeds();
    // fauxplat itself may be started without any standard descriptor.
    let mut shell = std::process::Command::new("sh");
    let words = lab.starter().join(" ");
    shell.args(["-c", &format!("exec {words} run cat --runs 3 --store store.sqlite <&- >&- 2>&-")]);
    lab.settle(&mut shell);
    let status = shell.status().unwrap();
    assert_eq!(runs(&lab.last(), 0).len(), 3, "{status}");
}

/// A run is stored even if its report is lost, but losing a report is a failure. A pipe that its reader has closed is
/// no failure.
#[test]
fn a_report_that_goes_nowhere_is_a_failure() {
    let lab = Lab::new();
    let to = |words: &str, where_to: &str| {
        let mut shell = std::process::Command::new("sh");
        let program = lab.starter().join(" ");
        shell.args(["-c", &format!("exec {program} {words} --store store.sqlite {where_to}")]);
        lab.settle(&mut shell);
        Done::of(shell)
    };
    let run = "run true --runs 2";
    to(run, ">&-").complains(3, &["standard output is closed"]);
    assert_eq!(runs(&lab.last(), 0).len(), 2);
    to("history list", ">&-").complains(3, &["standard output is closed"]);
    to(run, ">/dev/full").complains(3, &["No space left"]);
    to(&format!("{run} --output report"), ">&-").ends_with(0);
    assert!(lab.read("report").contains("true"));
    to(&format!("{run} --output /dev/stdout"), ">&-").complains(3, &["standard output is closed"]);
}

/// A report to the name of a standard stream is appended, and what the shell had written there before stays.
#[test]
fn a_report_by_the_name_of_a_stream_is_added_to_it() {
    let lab = Lab::new();
    for (words, file) in [
        ("--output /dev/stdout", "out"),
        ("--output /dev/fd/1", "out"),
        ("--export json=/dev/stdout", "out"),
        ("--events /dev/stdout --output report", "out"),
        ("--export json=/dev/stderr", "err"),
    ] {
        lab.write("out", "kept\n");
        lab.write("err", "kept\n");
        let mut shell = std::process::Command::new("sh");
        let program = lab.starter().join(" ");
        let line = format!("exec {program} run true --runs 2 --store store.sqlite {words} >> out 2>> err");
        shell.args(["-c", &line]);
        lab.settle(&mut shell);
        Done::of(shell).ends_with(0);
        let text = lab.read(file);
        assert!(text.starts_with("kept\n") && text.len() > 20, "{words}: {text}");
    }
    lab.run(&["run", "true", "--runs", "2", "--output", "/dev/null", "--export", "json=/dev/null"])
        .ends_with(0);
}

#[test]
fn what_a_command_leaves_behind_is_ended_and_it_is_said() {
    for lab in Lab::both() {
        let command = "sleep 86404 & setsid sleep 86404 & sleep 0.05";
        let done = lab.run(&["run", "--shell", command, "--runs", "2"]).succeeds();
        assert!(done.out.contains("left processes behind"), "{}", done.out);
        assert!(done.out.contains("4 processes outlived their command and were ended"), "{}", done.out);
        let last = lab.last();
        assert!(runs(&last, 0).iter().all(|run| run["left_behind"] == 2), "{last}");
        assert_eq!(last["commands"][0]["runs_with_left_behind"], 2);
        assert_eq!(alive("sleep 86404"), 0);
    }
}

/// A process of another user, as sudo starts them, continues after the run, and its CPU time does not count in the run
/// in which it ends.
#[test]
fn what_has_become_another_users_is_booked_to_nobody() {
    let Some(lab) = Lab::both().into_iter().nth(1).filter(|_| process::is_root()) else {
        eprintln!("skipped: only root can make a program that becomes somebody else");
        return;
    };
    lab.shell("cp \"$(command -v setpriv)\" becomes && chown root becomes && chmod 4755 becomes");
    let worker = "i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; echo done >> worked";
    let leaves = format!("./becomes --reuid 0 --regid 0 --clear-groups sh -c '{worker}' & sleep 0.1");
    let document = lab.json(&["run", "--shell", &leaves, "sleep 1", "--runs", "3", "--warmup", "0"]);
    if lab.read("worked").is_empty() {
        eprintln!("skipped: nobody becomes somebody else on this file system");
        return;
    }
    for run in runs(&document, 1) {
        for metric in ["user_ns", "system_ns", "cpu_ns"] {
            assert!(run[metric].as_u64().is_none_or(|ns| ns < 50_000_000), "a sleep has worked: {run}");
        }
    }
}

#[test]
fn a_failing_helper_ends_the_experiment_and_is_named() {
    let lab = Lab::new();
    lab.run(&["run", "true", "--prepare", "sh -c 'exit 5'"]).complains(4, &["prepare", "`true`", "status 5"]);
    lab.run(&["run", "true", "--conclude", "false"]).complains(4, &["conclude", "status 1"]);
    assert_eq!(runs(&lab.last(), 0).len(), 1, "the run before what concludes it is kept");
}

/// If the command of `--prepare` fails, the run does not begin. If the measured command fails, that of `--conclude`
/// still runs to its end.
#[test]
fn a_failure_neither_begins_a_trial_nor_cuts_its_conclusion_short() {
    let lab = Lab::new();
    lab.run(&["run", "touch ran", "--prepare", "false"]).complains(4, &["prepare", "status 1"]);
    assert!(!lab.path("ran").exists());
    let conclude = "sh -c 'printf b >> log; sleep 0.2; printf e >> log'";
    lab.run(&["run", "false", "--conclude", conclude, "--warmup", "0"]).complains(4, &["status 1"]);
    assert_eq!(lab.read("log"), "be");
}

/// A comparison drops a pair with a failed run and continues; it gives up when failures are frequent.
#[test]
fn a_comparison_outlives_an_accident() {
    let lab = Lab::new();
    let stumbles = "printf x >> log; sleep 0.003; test $(wc -c < log) -ne 5";
    let document =
        lab.json(&["compare", "--shell", "sleep 0.003", stumbles, "--max-pairs", "8", "--margin", "0.01%"]);
    let comparison = &document["comparisons"][0];
    // Pairs that the guards drop on a busy machine are listed beside the failed run.
    let dropped = comparison["dropped"].as_array().unwrap();
    let accident = dropped.iter().find(|dropped| dropped["reason"] == "failed-run");
    assert_eq!(accident.map(|dropped| number(dropped, "pairs")), Some(1), "{comparison}");
    fs::remove_file(lab.path("log")).unwrap();
    let breaks = "printf x >> log; test $(wc -c < log) -lt 5";
    let done = lab.run(&["compare", "--shell", &spin(100), breaks]).complains(4, &["status 1"]);
    assert!(done.out.contains(breaks), "{}", done.out);
    let failed = |run: &&Value| run["exit_status"] == 1;
    assert_eq!(runs(&lab.last(), 1).iter().filter(failed).count(), 3);
}

/// The parent of whatever runs beside the measured runs is no process that anybody waits for in vain.
#[test]
fn what_stops_its_parent_beside_the_runs_stops_nothing() {
    let lab = Lab::new();
    let stop = "kill -STOP $PPID";
    lab.run(&["run", "--runs", "1", "--setup", stop, "--cleanup", stop, "true"]).succeeds();
    lab.write("bench", &format!("#!/bin/sh\n{stop}\necho 'a: 1 ns'\n"));
    let mut words = vec!["suite", "--harness", r"lines:^(\S+): (\S+) (ns)$", "--max-time", "20s"];
    words.extend(["--store", "none", "sh bench", "sh bench x"]);
    let told = Done::of(lab.bare(&words)).succeeds().out;
    assert!(told.contains("of 1"), "{told}");
}
