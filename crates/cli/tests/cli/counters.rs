//! Counters of the kernel and the processor in runs, and the messages where they are not available.

use std::process::{Child, Command};

use crate::common::{Lab, first_pair, number, runs};

/// Whether the kernel lets the user who runs the tests count events of the user's own processes.
fn counts_here(lab: &Lab) -> bool {
    let found = lab.json(&["counters"]);
    let faults = found["counters"].as_array().unwrap().iter().find(|it| it["name"] == "page-faults");
    let is_here = faults.is_some_and(|it| it["available"] == true);
    if !is_here {
        println!("skipped: the kernel gives no counters here: {found}");
    }
    is_here
}

/// Whether the kernel lets the laboratory's user count both user and kernel mode, so that metrics have the names that
/// were asked for.
pub(crate) fn counts_both_modes(lab: &Lab) -> bool {
    let done = lab.run(&["run", "-r", "1", "-e", "page-faults", "true"]);
    let is_here = done.code == Some(0) && runs(&lab.last(), 0)[0]["software:page-faults"].is_u64();
    if !is_here {
        println!("skipped: the kernel does not give us all of its counters: {}", done.err);
    }
    is_here
}

#[test]
fn every_counter_is_there_or_says_why_not() {
    for lab in Lab::both() {
        let found = lab.json(&["counters"]);
        let counters = found["counters"].as_array().unwrap();
        assert!(counters.len() > 40, "{found}");
        for one in counters {
            assert!(
                one["available"] == true || one["reason"].as_str().is_some_and(|it| it.len() > 10),
                "{one}"
            );
            assert!(
                ["pmu", "software", "machine", "simulated"].contains(&one["source"].as_str().unwrap()),
                "{one}"
            );
        }
        let table = lab.run(&["counters", "--format", "csv"]).succeeds();
        assert_eq!(table.out.lines().count(), counters.len() + 1);
    }
}

/// The kernel's count of page faults and its account of the same process tree are near each other: the count begins at
/// exec, and the account at the birth of the process.
#[test]
fn a_count_agrees_with_the_kernels_own_account() {
    for lab in Lab::both() {
        if !counts_here(&lab) {
            return;
        }
        let line = "i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i+1)); done";
        let words = ["run", "--shell", "--runs", "5", "-e", "page-faults", "-e", "task-clock", line];
        lab.run(&words);
        let last = lab.last();
        let name = |name: &str| {
            let fields = runs(&last, 0)[0].as_object().unwrap().keys();
            fields.into_iter().find(|field| field.starts_with(name)).unwrap().clone()
        };
        let (faults, clock) = (name("software:page-faults"), name("software:task-clock"));
        for run in runs(&last, 0) {
            let (counted, known) =
                (number(run, &faults), number(run, "minor_faults") + number(run, "major_faults"));
            assert!(counted > 20 && counted <= known, "{counted} of {known}");
            assert!(number(run, &clock) > 0 && number(run, &clock) <= 2 * number(run, "wall_ns"), "{run}");
        }
        assert_eq!(last["definition"]["counters"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_count_can_decide_and_every_run_of_many_has_one() {
    let lab = Lab::new();
    if !counts_here(&lab) {
        return;
    }
    let (one, many) = ("sh -c 'exit 0'", "sh -c '/bin/true; /bin/true; exit 0'");
    let words = |metric| ["compare", "--metric", metric, "--max-pairs", "40", one, many];
    let both_modes = "software:page-faults";
    let metric = match counts_both_modes(&lab) {
        true => both_modes,
        false => {
            let user_mode = "software:page-faults:u";
            lab.run(&words(both_modes)).complains(2, &["perf_event_paranoid", user_mode]);
            user_mode
        }
    };
    let done = lab.run(&words(metric)).succeeds();
    assert!(done.out.contains("page faults"), "{}", done.out);
    let last = lab.last();
    assert_eq!(last["comparisons"][0]["verdict"], "different");
    let all = (0..2).flat_map(|command| runs(&last, command));
    assert!(all.into_iter().all(|run| run[metric].as_u64() > Some(0)), "{last}");
}

/// Of several requested events of the processor and the kernel, those that are available are counted.
#[test]
fn of_a_set_what_there_is_is_counted_and_the_rest_is_named() {
    for lab in Lab::both() {
        if !counts_here(&lab) {
            return;
        }
        let listed = lab.json(&["counters"]);
        let is_here = |name: &str| {
            let found = listed["counters"].as_array().unwrap().iter().find(|it| it["name"] == name);
            found.is_some_and(|it| it["available"] == true)
        };
        lab.run(&["run", "--runs", "3", "-e", "default", "true"]).succeeds();
        let last = lab.last();
        let missing = last["not_measured"].to_string();
        for name in ["cycles", "instructions", "page-faults", "context-switches"] {
            let mut fields = runs(&last, 0)[0].as_object().unwrap().keys();
            let is_counted = fields.any(|field| field.contains(&format!(":{name}")));
            assert!(is_counted == is_here(name), "{name}: {last}");
            assert!(is_counted || missing.contains(name), "{name}: {missing}");
        }
    }
}

#[test]
fn what_is_no_counter_is_refused_with_a_line() {
    let lab = Lab::new();
    let run = |counter: &str| lab.run(&["run", "-e", counter, "true"]);
    run("instuctions").complains(2, &["`instuctions` is no event", "did you mean `instructions`"]);
    run("cycles:pp").complains(2, &["how to sample"]);
    run("{cycles,instructions").complains(2, &["is not an event"]);
    run("cs:u").complains(2, &["happens in the kernel"]);
    run("gpu/busy/").complains(2, &["no device `gpu`"]);
    run("").complains(2, &["empty"]);
    lab.run(&["compare", "--metric", "pmu:instuctions", "true", "true"]).complains(2, &["did you mean"]);
}

/// A process that starts others without end until the value is dropped.
struct Busy(Child);

impl Busy {
    fn start() -> Self {
        Busy(Command::new("sh").args(["-c", "while :; do /bin/true; done"]).spawn().unwrap())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn counters_along_a_run_come_from_one_more_that_is_not_timed() {
    let lab = Lab::new();
    if !counts_here(&lab) {
        return;
    }
    let line = "i=0; while [ $i -lt 30 ]; do /bin/true; i=$((i+1)); done; sleep 1";
    let words = ["run", "--shell", "--runs", "2", "-e", "page-faults,task-clock", "--series", "20ms", line];
    lab.run(&words).succeeds();
    let last = lab.last();
    assert_eq!(runs(&last, 0).len(), 2, "{last}");
    let series = last["commands"][0]["series"].as_array().unwrap();
    assert_eq!(series.len(), 2, "{last}");
    for one in series {
        let numbers = |name: &str| {
            one[name].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect::<Vec<_>>()
        };
        let (until, counts) = (numbers("until_ns"), numbers("counts"));
        assert!(until.len() == counts.len() && until.len() > 1 && until.is_sorted(), "{one}");
        assert!(counts.iter().sum::<u64>() > 30 && counts.contains(&0), "{one}");
    }
    lab.run(&["run", "--series", "20ms", "true"]).reports_misuse(&["--counters"]);
    lab.run(&["run", "-e", "page-faults", "--series", "20us", "true"]).reports_misuse(&["20us", "too short"]);
}

#[test]
fn a_process_that_runs_already_is_watched_in_every_form() {
    let lab = Lab::new();
    if !counts_here(&lab) {
        return;
    }
    let busy = Busy::start();
    let pid = busy.0.id().to_string();
    let common = ["counters", "--pid", &pid, "-e", "page-faults", "--series", "50ms", "--max-time", "300ms"];
    let watch = |form: &str| lab.run(&[&common[..], &["--format", form]].concat()).succeeds();
    let watched = watch("json").json()["watched"].clone();
    assert!(
        watched["has_ended"] == false && watched["elapsed_ns"].as_u64() >= Some(300_000_000),
        "{watched}"
    );
    assert_eq!(watched["series"].as_array().unwrap().len(), 1);
    assert!(watch("csv").out.starts_with("until_s,counter,count\n"));
    assert!(watch("openmetrics").out.contains("fauxplat_counted_total{pid="));
    assert!(watch("text").out.contains("page faults"));
    for ordinary in Lab::both().iter().skip(1) {
        ordinary.run(&common).complains(3, &["cannot be counted of this process", "another user"]);
    }
}

#[test]
fn a_process_that_ends_is_no_longer_watched() {
    let lab = Lab::new();
    if !counts_here(&lab) {
        return;
    }
    let mut short = Command::new("sleep").arg("0.3").spawn().unwrap();
    let pid = short.id().to_string();
    let watched = lab.run(&["counters", "--pid", &pid, "-e", "page-faults", "--format", "json"]);
    let ended = short.wait();
    // On a slow machine the process may have ended before it could be watched.
    if watched.code == Some(0) {
        assert_eq!(watched.json()["watched"]["has_ended"], true);
    }
    assert!(ended.unwrap().success());
    lab.run(&["counters", "--pid", &pid]).complains(2, &["--pid", &pid]);
    lab.run(&["counters", "-e", "page-faults"]).reports_misuse(&["--pid"]);
}

#[test]
fn our_own_threads_are_counted_too() {
    for lab in Lab::both() {
        if !counts_here(&lab) {
            return;
        }
        let pair = first_pair();
        let timer = ["latency", "timer", "--count", "60", "--interval", "200us"];
        for words in [
            &["index", "--duration", "60ms"][..],
            &timer,
            &["contend", "l1", "--pairs", &pair, "--rounds", "5", "--max-rounds", "5", "--duration", "2ms"],
        ] {
            let found = lab.json(&[words, &["-e", "page-faults,task-clock"]].concat());
            let counts = found["counts"].as_array().unwrap();
            assert!(!counts.is_empty(), "{found}");
            for one in counts {
                assert!(one["work"].as_str().is_some_and(|it| it.contains("CPU")), "{one}");
                let clock = one["counts"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|it| it["metric"].as_str().unwrap().starts_with("software:task-clock"));
                assert!(clock.unwrap()["per_unit"].as_f64() > Some(0.0), "{one}");
            }
        }
        lab.run(&["index", "--duration", "60ms", "-e", "nosuch"]).complains(2, &["nosuch"]);
    }
}
