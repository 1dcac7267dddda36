//! `topo`: the parts of this machine and of captured ones, and CPUs by relation wherever a verb takes CPUs.

use std::process::Command;

use crate::common::{Done, Lab};

/// The folder in `fixtures/sysfs` with the captured files of a machine.
fn captured(machine: &str) -> String {
    format!("{}/../../fixtures/sysfs/{machine}", env!("CARGO_MANIFEST_DIR"))
}

fn topo(lab: &Lab, words: &[&str]) -> Done {
    Done::of(lab.bare(&[&["topo"], words].concat()))
}

#[test]
fn this_machine_is_shown_in_every_form_by_every_user() {
    for lab in Lab::both() {
        assert!(topo(&lab, &[]).succeeds().out.starts_with("machine, "));
        assert!(topo(&lab, &["--draw"]).succeeds().out.contains("machine, "));
        assert!(topo(&lab, &["--format", "svg"]).succeeds().out.starts_with("<?xml"));
        assert!(topo(&lab, &["--format", "csv"]).succeeds().out.starts_with("cpu,online,allowed"));
        assert!(topo(&lab, &["--format", "markdown"]).succeeds().out.contains("| cpu | online |"));
        let document = topo(&lab, &["--format", "json"]).succeeds().json();
        assert_eq!(document["schema"], "fauxplat.topo/1");
        assert_eq!(document["allowed"], document["machine"]["cpu"]["allowed"]);
    }
}

#[test]
fn scripts_that_read_lscpu_read_this() {
    let version = Command::new("lscpu").arg("--version").output();
    let version = version.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default();
    if !version.contains("util-linux 2.38") {
        eprintln!("skipped: lscpu of util-linux 2.38 is not installed");
        return;
    }
    let lab = Lab::new();
    let theirs = Command::new("lscpu").arg("-p").env_clear().env("LANG", "C.UTF-8").output().unwrap();
    assert_eq!(topo(&lab, &["--format", "lscpu"]).succeeds().out, String::from_utf8(theirs.stdout).unwrap());
}

#[test]
fn a_captured_machine_is_another_machine() {
    let lab = Lab::new();
    let document = topo(&lab, &["--sysroot", &captured("container"), "--format", "json"]).succeeds().json();
    assert_eq!(document["online"], "0-54,56-63");
    assert_eq!(document["allowed"], "53-54");
    let root = captured("bare-metal-x86");
    let picked = topo(&lab, &["pick", "sibling-of:1", "--sysroot", &root, "--quiet"]).succeeds();
    assert_eq!(picked.out, "5\n");
    topo(&lab, &["--sysroot", "/nonexistent"]).complains(2, &["--sysroot /nonexistent", "no folder `sys`"]);
    topo(&lab, &["--draw", "--format", "json"]).complains(2, &["--draw"]);
}

#[test]
fn an_empty_root_has_no_parts_and_no_failure() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.path("empty/sys")).unwrap();
    let done = topo(&lab, &["--sysroot", &lab.file("empty")]).succeeds();
    assert!(done.out.starts_with("machine, 0 CPUs"), "{}", done.out);
    for format in ["json", "csv", "markdown", "svg", "boxes", "lscpu"] {
        topo(&lab, &["--sysroot", &lab.file("empty"), "--format", format]).succeeds();
    }
}

#[test]
fn an_answer_is_a_list_first_and_says_why() {
    for lab in Lab::both() {
        let text = topo(&lab, &["pick", "quietest:1"]).succeeds().out;
        let first = text.lines().next().unwrap();
        assert!(first.parse::<u32>().is_ok(), "{text}");
        assert!(text.contains(&format!("CPU {first}: loses the least time to other programs.")), "{text}");
        let document = topo(&lab, &["pick", "all", "--watch", "20ms", "--format", "json"]).succeeds().json();
        assert_eq!(document["pick"]["cpus"], document["allowed"]);
        assert_eq!(document["pick"]["watched_ns"], 20_000_000);
        for chosen in document["pick"]["chosen"].as_array().unwrap() {
            let activity = &chosen["activity"];
            assert!((0.0..=1.0).contains(&activity["busy_share"].as_f64().unwrap()), "{activity}");
            assert!(activity["pinned_kernel_threads"].is_u64(), "{activity}");
        }
        let unwatched = topo(&lab, &["pick", "all", "--watch", "0s", "--format", "json"]).succeeds().json();
        assert!(unwatched["pick"]["chosen"][0]["activity"].is_null());
        assert!(unwatched["not_measured"][0].as_str().unwrap().contains("were not watched"));
    }
}

#[test]
fn a_task_that_is_bound_to_a_cpu_is_seen_there() {
    let lab = Lab::new();
    let first =
        topo(&lab, &["pick", "all", "--format", "json"]).json()["pick"]["chosen"][0]["cpu"].to_string();
    let mut sleeper = Command::new("taskset").args(["-c", &first, "sleep", "60"]).spawn().unwrap();
    let seen = crate::common::eventually(|| {
        let words = ["pick", first.as_str(), "--watch", "1ms", "--format", "json"];
        let activity = topo(&lab, &words).succeeds().json()["pick"]["chosen"][0]["activity"].clone();
        activity["pinned_tasks"].as_u64().unwrap() > 0
    });
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert!(seen, "nobody is bound to CPU {first}");
}

#[test]
fn what_has_no_answer_says_so() {
    for lab in Lab::both() {
        topo(&lab, &["pick", "sibling-of:9999"])
            .complains(2, &["sibling-of:9999", "CPU 9999 does not exist"]);
        topo(&lab, &["pick", "drawer:7"]).complains(3, &["drawer:7", "no drawer"]);
        topo(&lab, &["pick", "quietest:9999"]).complains(3, &["to choose 9999 from"]);
        topo(&lab, &["pick", "quietest:1", "--watch", "1us"]).complains(2, &["--watch", "50.00 ms at least"]);
        topo(&lab, &["pick", "same-street:1"]).complains(2, &["same-street:1", "nor a relation"]);
        lab.run(&["run", "true", "--cpu", "sibling-of:9999"]).complains(2, &["CPU 9999 does not exist"]);
        lab.run(&["run", "true", "--cpu", "drawer:7"]).complains(3, &["drawer:7"]);
        lab.run(&["run", "true", "--cpu", "same-street:1"]).complains(2, &["nor a relation"]);
    }
}

#[test]
fn a_command_runs_where_the_relation_says() {
    for lab in Lab::both() {
        let line = "grep Cpus_allowed_list: /proc/self/status";
        let document = lab.json(&["run", line, "--cpu", "all&quietest:1", "--runs", "2", "--stdout", "out"]);
        let cpu = document["condition"]["cpu"].as_str().unwrap();
        assert_eq!(lab.read("out"), format!("Cpus_allowed_list:\t{cpu}\n").repeat(2));
        assert_eq!(document["condition"]["cpu_choice"]["relation"], "all&quietest:1");
        let why = document["condition"]["cpu_choice"]["why"][0].as_str().unwrap();
        assert!(why.starts_with(&format!("CPU {cpu}: loses the least time")), "{why}");
        assert_eq!(lab.last()["condition"], document["condition"], "the store keeps it");
    }
    let lab = Lab::new();
    let drawn = lab.json(&["compare", "true", "true", "--cpu", "one-of:all", "--max-pairs", "6"]);
    assert_eq!(
        drawn["condition"]["cpu"],
        format!("one-of:{}", drawn["machine"]["cpu"]["allowed"].as_str().unwrap())
    );
}
