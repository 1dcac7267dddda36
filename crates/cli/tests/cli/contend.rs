//! `contend`: relations between two CPUs, with and without privilege, beside other load, and on small machines.

use std::process::Command;

use serde_json::Value;

use crate::common::{Lab, SIGINT, SIGTERM, allowed, eventually, first_cpu, first_pair, number};

/// Few rounds and short shifts: enough to check the shape of a document.
const SHORT: [&str; 6] = ["--rounds", "5", "--max-rounds", "5", "--duration", "1ms"];

fn contend(lab: &Lab, words: &[&str]) -> Value {
    lab.json(&[&["contend"], words, &SHORT].concat())
}

#[test]
fn every_pair_has_a_label_with_evidence_and_every_kernel_a_cost() {
    for lab in Lab::both() {
        let found = contend(&lab, &["float", "l1", "--seed", "7"]);
        assert_eq!(found["schema"], "fauxplat.contend/1");
        let cpus = allowed().len().min(8);
        let labels = found["labels"].as_array().unwrap();
        assert_eq!(labels.len(), cpus * (cpus + 1) / 2, "{found}");
        for label in labels {
            assert!(label["evidence"].as_str().unwrap().len() > 10, "{label}");
            let is_same = label["cpu_a"] == label["cpu_b"];
            assert!(is_same == (label["claimed"] == "same-cpu"), "{label}");
            assert!(!is_same || label["round_trip_ns"].is_null(), "{label}");
            // Arithmetic and a first-level cache cannot tell whether an outer cache is shared.
            assert_ne!(label["label"], "separate", "{label}");
        }
        for pair in found["pairs"].as_array().unwrap() {
            let real = |field: &str| pair[field].as_f64();
            assert!(real("wall_ratio").is_none_or(|ratio| ratio > 0.0), "{pair}");
            let rounds = ["rounds", "dropped_rounds", "elsewhere_rounds"].map(|field| number(pair, field));
            assert!(rounds.iter().sum::<u64>() == 5, "{pair}");
            assert!(pair["label"].is_string() && pair["claimed"].is_string());
        }
        assert_eq!(lab.json(&["history", "show", "last"])["labels"], found["labels"]);
    }
}

/// The share of the wall time that no account explains depends on the machine and its load; the parts must add up to
/// the wall time anyway.
#[test]
fn wall_time_is_cpu_time_and_waiting_and_steal_and_the_rest_is_told() {
    let found =
        Lab::new().json(&["contend", "integer-ports", "branch", "--rounds", "8", "--duration", "2ms"]);
    let pairs = found["pairs"].as_array().unwrap();
    assert!(!pairs.is_empty());
    for pair in pairs {
        assert!(number(pair, "wall_ns") > 0, "{pair}");
        let Some(share) = pair["unexplained_share"].as_f64() else {
            assert!(pair["run_delay_ns"].is_null(), "{pair}");
            continue;
        };
        let known_ns = number(pair, "run_delay_ns") + pair["steal_ns"].as_u64().unwrap_or(0);
        // The wall time that is left after the known waits is CPU time and unexplained time, so the unexplained share
        // is no more than this rest.
        let left = 1.0 - known_ns as f64 / number(pair, "wall_ns") as f64;
        assert!(share <= left + 1e-9, "{share} of the wall time is unexplained, {left} is left: {pair}");
    }
}

#[test]
fn cpus_that_are_not_there_or_not_allowed_are_refused() {
    let lab = Lab::new();
    for words in [&["--pairs", "0:7000"][..], &["--cpu", "7000"], &["--capacity", "--cpu", "7000"]] {
        lab.run(&[&["contend"], words].concat()).complains(2, &["CPU 7000 does not exist"]);
    }
    lab.run(&["contend", "--pairs", "0:4294967295"]).complains(2, &["not a pair of CPUs"]);
    lab.run(&["contend", "--pairs", "0-1"]).complains(2, &["`0-1` is not a pair of CPUs such as 0:1"]);
    lab.run(&["contend", "--pairs", "0:0", "--cpu", "0"]).complains(2, &["cannot be used with"]);
    let same = format!("same-cpu:{}&all", first_cpu());
    let related = lab.json(&["contend", "float", "--cpu", &same, "--rounds", "5", "--duration", "1ms"]);
    assert_eq!(related["labels"].as_array().unwrap().len(), 1, "{related}");
    lab.run(&["contend", "l4"]).complains(2, &["no kernel `l4`", "integer-ports"]);
    lab.run(&["contend", "--rounds", "4"]).complains(2, &["5..=1000"]);
    lab.run(&["contend", "--capacity", "--pairs", "0:0"]).complains(2, &["cannot be used with"]);
    lab.run(&["contend", "--count", "2"]).complains(2, &["--capacity"]);
    lab.run(&["contend", "--capacity", "--interval", "0s"]).complains(2, &["ticks of 10 ms"]);
    let (first, last) = (allowed()[0], *allowed().last().unwrap());
    if first == last {
        eprintln!("skipped: a CPU that is not allowed needs a machine with two");
        return;
    }
    let mut bound = Command::new("taskset");
    bound.args(["-c", &first.to_string()]).args(lab.starter());
    bound.args(["contend", "--store", "none", "--pairs", &format!("{first}:{last}")]);
    lab.settle(&mut bound);
    crate::common::Done::of(bound).complains(2, &[&format!("CPU {last}"), "not allowed"]);
}

/// An interrupt ends a measuring shift or a pause between readings that would take minutes.
#[test]
fn whoever_stops_it_does_not_wait_for_a_shift_to_end() {
    let lab = Lab::new();
    let (first, pair) = (first_cpu(), first_pair());
    let shift = ["contend", "float", "--pairs", &pair, "--duration", "5m"];
    let pause = ["contend", "--capacity", "--cpu", &first, "--rounds", "5", "--duration", "1ms"];
    let pause = [&pause[..], &["--interval", "5m"]].concat();
    for (words, signal) in [(&shift[..], SIGINT), (&pause[..], SIGTERM)] {
        let mut live = lab.start(words);
        live.has_slept(2);
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(live.is_running(), "{words:?}");
        live.signal(signal);
        live.end();
    }
}

#[test]
fn a_machine_with_one_cpu_has_one_pair() {
    let lab = Lab::new();
    let first = allowed()[0].to_string();
    let mut bound = Command::new("taskset");
    bound
        .args(["-c", &first])
        .args(lab.starter())
        .args(["contend", "float", "--store", "none", "--format", "json"]);
    lab.settle(bound.args(SHORT));
    let found = crate::common::Done::of(bound).succeeds().json();
    let labels = found["labels"].as_array().unwrap();
    assert_eq!((labels.len(), labels[0]["claimed"].as_str()), (1, Some("same-cpu")), "{found}");
}

#[test]
fn without_permission_it_works_and_says_so() {
    let lab = Lab::ordinary();
    if lab.has_capability(23) {
        return;
    }
    let found = contend(&lab, &["float"]);
    assert_eq!(found["condition"]["policy"], "other");
    assert!(found["not_measured"].to_string().contains("CAP_SYS_NICE"), "{found}");
}

/// Other processes keep all CPUs busy: workers without a real-time policy have to wait, so rounds are dropped and
/// nothing is decided.
#[test]
fn beside_others_ordinary_workers_decide_nothing_wrong() {
    let lab = Lab::ordinary();
    if lab.has_capability(23) || allowed().len() < 2 {
        return;
    }
    let cpus = allowed();
    let busy = |cpu: &u32| {
        let mut burner = Command::new("taskset");
        burner.args(["-c", &cpu.to_string(), "sh", "-c", "while :; do :; done"]).spawn().unwrap()
    };
    let mut burners: Vec<_> = cpus.iter().flat_map(|cpu| [busy(cpu), busy(cpu)]).collect();
    let pair = format!("{}:{}", cpus[0], cpus[1]);
    let words = ["contend", "--pairs", &pair, "--rounds", "6", "--max-rounds", "12", "--duration", "4ms"];
    let found = lab.json(&words);
    burners.iter_mut().for_each(|burner| {
        burner.kill().unwrap();
        burner.wait().unwrap();
    });
    // Whether workers had to wait depends on the machine. Where too few rounds were left, there is no conclusion.
    let label = &found["labels"][0]["label"];
    let pairs = found["pairs"].as_array().unwrap();
    assert!(pairs.iter().all(|pair| pair["label"] == *label), "{found}");
    let few = pairs.iter().any(|pair| number(pair, "rounds") < 5);
    assert!(!few || label == "not-decided", "{}", found["labels"]);
}

#[test]
fn capacity_says_what_a_thread_is_worth_and_what_is_left() {
    for lab in Lab::both() {
        let words = [
            "contend",
            "--capacity",
            "--interval",
            "50ms",
            "--count",
            "2",
            "--rounds",
            "5",
            "--duration",
            "2ms",
        ];
        let found = lab.json(&words);
        assert_eq!(found["schema"], "fauxplat.capacity/1", "{found}");
        for worth in found["worths"].as_array().unwrap() {
            let real = |field: &str| worth[field].as_f64().unwrap();
            assert!(real("low_ratio") <= real("ratio") && real("ratio") <= real("high_ratio"), "{worth}");
        }
        let cpus = |worth: &serde_json::Value| worth["cpus"].to_string();
        let worths = found["worths"].as_array().unwrap();
        let distinct: std::collections::HashSet<String> = worths.iter().map(cpus).collect();
        assert_eq!(distinct.len(), worths.len(), "no group of CPUs comes twice: {found}");
        let looks = found["looks"].as_array().unwrap();
        assert_eq!(looks.len(), 2);
        for look in looks {
            let share = |field: &str| look[field].as_f64().unwrap();
            assert!(
                (0.0..=1.0).contains(&share("busy_share")) && (0.0..=1.0).contains(&share("left_share")),
                "{look}"
            );
        }
        let live = lab.run(&words).succeeds().out;
        assert!(live.starts_with("elapsed_s  busy  left\n"), "{live}");
        let silent = lab.run(&[&words[..], &["--style", "none"]].concat()).succeeds().out;
        assert_eq!(silent, "");
    }
}

#[test]
fn the_map_is_drawn() {
    let lab = Lab::new();
    let words = [&["contend", "float", "l1", "--format"][..]].concat();
    let svg = lab.run(&[&words[..], &["svg"], &SHORT].concat()).succeeds().out;
    assert!(svg.starts_with("<?xml") && svg.contains("heat") && svg.contains(">float</text>"), "{svg}");
    let page = lab.run(&[&words[..], &["html"], &SHORT].concat()).succeeds().out;
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("measured"),
        "{page}"
    );
    let rows = lab.run(&[&words[..], &["csv"], &SHORT].concat()).succeeds().out;
    assert!(rows.starts_with("cpu_a,cpu_b,kernel,"), "{rows}");
    assert!(lab.run(&[&words[..], &["markdown"], &SHORT].concat()).succeeds().out.contains("| CPUs |"));
    lab.run(&[&words[..], &["hyperfine-json"], &SHORT].concat()).complains(2, &["hyperfine-json"]);
}

/// Interrupts the experiment as soon as its workers exist, which is before the caches are tried and long before the
/// first round; and when the experiment is in the store, which is when the rounds begin.
#[test]
fn an_interrupted_matrix_is_reported_whenever_it_is_interrupted() {
    for (signal, rounds_have_begun) in [(SIGINT, false), (SIGTERM, false), (SIGINT, true)] {
        let lab = Lab::new();
        let words = ["contend", "float", "llc", "--rounds", "1000", "--duration", "20ms", "--format", "json"];
        let live = lab.start(&words);
        live.answers();
        if rounds_have_begun {
            assert!(eventually(|| lab.run(&["history", "list"]).out.contains("running")));
        }
        live.signal(signal);
        let done = live.end();
        let done = done.complains(130, &["interrupted, so not all"]);
        let found = done.json();
        assert!(found["warnings"].to_string().contains("interrupted"), "{found}");
        let cpus = allowed().len().min(8);
        assert_eq!(found["labels"].as_array().unwrap().len(), cpus * (cpus + 1) / 2, "{found}");
        assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "stopped");
    }
}
