//! `doctor`: this machine, captured ones, gates, and unreadable files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::common::{Done, Lab};

/// A short interval of observation, since no test depends on counts.
const SHORT: [&str; 2] = ["--interval", "10ms"];

fn doctor(lab: &Lab, words: &[&str]) -> Done {
    Done::of(lab.bare(&[&["doctor"], &SHORT[..], words].concat()))
}

/// Explains hazards. Nothing is examined, so no interval is stated either.
fn explained(lab: &Lab, words: &[&str]) -> Done {
    Done::of(lab.bare(&[&["doctor", "--explain"], words].concat()))
}

fn json(lab: &Lab, words: &[&str]) -> Value {
    doctor(lab, &[words, &["--format", "json"]].concat()).succeeds().json()
}

fn hazard<'a>(document: &'a Value, name: &str) -> &'a Value {
    let hazards = document["hazards"].as_array().unwrap();
    hazards.iter().find(|hazard| hazard["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Captured files of a machine with an unsuitable governor and no other hazard; returns the path of the folder.
fn tree(lab: &Lab) -> String {
    for (name, text) in [
        ("root/sys/devices/system/cpu/online", "0-1"),
        ("root/sys/devices/system/cpu/present", "0-1"),
        ("root/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
        ("root/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance"),
        ("root/proc/loadavg", "0.00 0 0 1/1 1"),
    ] {
        fs::create_dir_all(lab.path(name).parent().unwrap()).unwrap();
        lab.write(name, text);
    }
    lab.file("root")
}

#[test]
fn this_machine_is_examined_with_and_without_privilege() {
    for lab in Lab::both() {
        let document = json(&lab, &[]);
        assert_eq!(document["schema"], "fauxplat.doctor/1");
        let hazards = document["hazards"].as_array().unwrap();
        assert!(hazards.len() >= 80, "{}", hazards.len());
        for hazard in hazards {
            for field in ["name", "value", "severity", "neutralised_by_us", "can_tune", "advice"] {
                assert!(hazard.get(field).is_some(), "{field}: {hazard}");
            }
        }
        assert_eq!(hazard(&document, "aslr")["neutralised_by_us"], true);
        assert!(hazard(&document, "load")["value"].is_string());
        let unknown = hazards.iter().filter(|hazard| hazard["severity"] == "unknown").count();
        let told = document["not_measured"].as_array().unwrap();
        assert_eq!(unknown == 0, told.is_empty(), "{told:?}");
        assert!(document["interval_ns"].as_u64().unwrap() >= 10_000_000);
    }
}

#[test]
fn people_see_what_is_there_and_on_request_all() {
    let lab = Lab::new();
    let (usual, all) = (doctor(&lab, &["-v"]).succeeds().out, doctor(&lab, &["--all"]).succeeds().out);
    assert!(usual.contains("hazards not shown: --all") && !all.contains("hazards not shown"), "{all}");
    assert!(usual.contains("machine: ") && !usual.contains("condition: "), "{usual}");
    for name in ["governor", "clocksource", "traced"] {
        assert!(all.contains(name), "{name}: {all}");
    }
}

#[test]
fn another_machine_is_read_from_its_tree_at_one_moment() {
    let lab = Lab::new();
    let root = tree(&lab);
    let document = json(&lab, &["--sysroot", &root]);
    assert_eq!(document["interval_ns"], 0);
    let governor = hazard(&document, "governor");
    assert_eq!((&governor["severity"], &governor["can_tune"]), (&"high".into(), &true.into()));
    assert_eq!(governor["tune"], "fauxplat tune --set governor=performance");
    assert_eq!(governor["cpus"][0]["cpu"], 0);
    let quiet = json(&lab, &["--sysroot", &root, "--cpu", "1"]);
    assert_eq!(hazard(&quiet, "governor")["severity"], "none");
    let related = json(&lab, &["--sysroot", &root, "--cpu", "!same-cpu:0"]);
    assert_eq!(related["hazards"], quiet["hazards"]);
    doctor(&lab, &["--sysroot", &root, "--cpu", "2"]).complains(2, &["--cpu 2", "CPU 2 is not online"]);
    doctor(&lab, &["--sysroot", &lab.file("nowhere")])
        .complains(2, &["--sysroot", "nowhere", "No such file"]);
    let file = lab.write("file", "");
    doctor(&lab, &["--sysroot", &file]).complains(2, &["file is not a folder"]);
}

#[test]
fn a_gate_fails_from_its_level_on() {
    let lab = Lab::new();
    let root = tree(&lab);
    let gate = |gates: &str| doctor(&lab, &["--sysroot", &root, "--fail-if", gates]);
    gate("governor=medium").complains(1, &["governor=medium: governor is high (powersave on CPU 0"]);
    gate("load=low,any=high").complains(1, &["any=high: governor is high"]);
    gate("load=low").succeeds();
    // A gate about a hazard that could not be read has no answer, which is no pass.
    let open =
        gate("busy-cpus=low").complains(3, &["busy-cpus=low cannot be answered: /proc/stat is not there"]);
    assert!(open.out.contains("could not be"), "the report is written all the same: {}", open.out);
    let both = gate("busy-cpus=low,governor=high").ends_with(1);
    let lines: Vec<&str> = both.err.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("busy-cpus=low cannot be answered"), "{both:?}");
}

/// Files of reports are tried before the machine is examined.
#[test]
fn a_report_without_a_place_comes_before_the_gate() {
    let lab = Lab::new();
    let root = tree(&lab);
    for place in [["--export", "json=/nonexistent/x"], ["--output", "/nonexistent/x"]] {
        let words = [&["--sysroot", root.as_str(), "--fail-if", "governor=high"][..], &place[..]].concat();
        let done = doctor(&lab, &words).complains(2, &["/nonexistent/x"]);
        assert_eq!(done.out, "", "nothing is examined");
    }
}

#[test]
fn gates_that_nobody_can_mean_are_refused() {
    let lab = Lab::new();
    let gate = |gates: &str| doctor(&lab, &["--fail-if", gates]);
    gate("governer=high").complains(2, &["`governer` is not a hazard", "did you mean `governor`?"]);
    gate("governor=huge").complains(2, &["`huge` is not a level", "low, medium or high"]);
    gate("governor").complains(2, &["HAZARD=LEVEL"]);
    Done::of(lab.bare(&["doctor", "--interval", "2m"])).complains(2, &["--interval", "at most 60"]);
    doctor(&lab, &["--cpu", "x"]).reports_misuse(&["--cpu"]);
    doctor(&lab, &["--cpu", ""]).reports_misuse(&["--cpu", "names no CPU"]);
    doctor(&lab, &["--cpu", "sibling-of:99999"]).complains(2, &["99999"]);
}

#[test]
fn a_hazard_is_explained_at_length() {
    let lab = Lab::new();
    let text = explained(&lab, &["smt"]).succeeds().out;
    assert!(text.contains("20 to 45 %") && text.contains("what you can do"), "{text}");
    let all = explained(&lab, &["all"]).succeeds().out;
    assert!(all.starts_with("# Hazards") && all.contains("### smt"), "{all}");
    explained(&lab, &["smtt"]).complains(2, &["did you mean `smt`?"]);
    explained(&lab, &["smt", "--format", "json"]).complains(2, &["--explain", "json"]);
}

#[test]
fn what_may_not_be_read_is_named_and_nothing_else_suffers() {
    let lab = Lab::ordinary();
    let root = tree(&lab);
    lab.shell("chmod -R a+rX root");
    fs::set_permissions(lab.path("root/proc/loadavg"), fs::Permissions::from_mode(0o000)).unwrap();
    let words = ["--sysroot", &root, "--fail-if", "load=low", "--format", "json"];
    let document = doctor(&lab, &words).complains(3, &["load=low cannot be answered"]).json();
    assert_eq!(hazard(&document, "load")["severity"], "unknown");
    assert_eq!(hazard(&document, "load")["reason"], "/proc/loadavg may not be read (run as root)");
    assert!(document["not_measured"].to_string().contains("load (/proc/loadavg may not be read"));
    assert!(document["warnings"].to_string().contains("--fail-if load=low cannot be answered"));
    assert_eq!(hazard(&document, "governor")["severity"], "high");
}

#[test]
fn settings_that_are_mounted_read_only_cannot_be_tuned() {
    let lab = Lab::new();
    let script = "mount --bind /sys /sys && mount -o remount,bind,ro /sys && exec \"$@\"";
    let words = ["doctor", "--interval", "10ms", "--format", "json"];
    let Some(done) = lab.with_mounts(script, &words) else { return };
    let document = done.succeeds().json();
    assert_eq!(hazard(&document, "restrictions")["severity"], "low");
    assert!(hazard(&document, "restrictions")["value"].as_str().unwrap().contains("read-only"));
    for found in document["hazards"].as_array().unwrap() {
        let is_below = ["governor", "transparent-huge-pages", "same-page-merging"]
            .iter()
            .any(|name| found["name"] == *name);
        assert!(!is_below || found["can_tune"] == false, "{found}");
    }
}

/// Runs the `tune` commands that `doctor` advises, with values filled in where the reader has to choose.
#[test]
fn tune_knows_every_knob_that_doctor_names() {
    let lab = Lab::new();
    let root = tree(&lab);
    for hazard in fauxplat_hazards::hazards().filter(|hazard| hazard.knob.is_some()) {
        let text = fauxplat_hazards::explain(hazard);
        let advice = text.split('`').find_map(|words| words.strip_prefix("fauxplat tune ")).unwrap();
        let advice = advice.replace("CPUS", "0").replace(":N=", ":0=").replace("CMD", "true");
        let given = ["tune", "--dry-run", "--format", "json", "--sysroot", &root];
        let words: Vec<&str> = given.into_iter().chain(advice.split_whitespace()).collect();
        let done = Done::of(lab.bare(&words));
        assert_eq!(done.code, Some(0), "{advice}: {done:?}");
        // The advice already contains a command where only a command can have the setting.
        assert!(!done.out.is_empty() && !done.out.contains("--for CMD"), "{advice}: {done:?}");
    }
}

#[test]
fn an_experiment_carries_no_warning_that_points_nowhere() {
    let lab = Lab::new();
    let record = lab.json(&["run", "--runs", "2", "true"]);
    let warnings = record["warnings"].as_array().unwrap();
    for warning in warnings.iter().filter_map(Value::as_str).filter(|line| line.contains("doctor")) {
        let name = warning.split(" (").nth(1).unwrap().split(')').next().unwrap();
        explained(&lab, &[name]).succeeds();
    }
}
