//! `index`: the power of CPUs, with and without privilege.

use serde_json::Value;

use crate::common::{Lab, SIGINT};

#[test]
fn every_cpu_gets_an_index_inside_its_interval() {
    for lab in Lab::both() {
        let document = lab.json(&["index", "--all-cpus", "--duration", "60ms", "--seed", "5"]);
        assert_eq!(document["schema"], "fauxplat.index/1");
        let cpus = document["cpus"].as_array().unwrap();
        assert!(!cpus.is_empty());
        for cpu in cpus {
            let real = |field: &str| cpu.get(field).and_then(Value::as_f64).unwrap();
            let (low, index, high) = (real("low"), real("fauxplat_per_s"), real("high"));
            assert!(0.0 < low && low <= index && index <= high, "{cpu}");
            assert_eq!(cpu["comparable"], cfg!(any(target_arch = "x86_64", target_arch = "aarch64")));
        }
        let stored = lab.json(&["history", "show", "last"]);
        assert_eq!(stored["cpus"], document["cpus"]);
        assert_eq!(stored["seed"], 5);
    }
}

#[test]
fn without_permission_the_priority_is_named_as_not_controlled() {
    let lab = Lab::ordinary();
    if lab.has_capability(23) {
        return;
    }
    let document = lab.json(&["index", "--duration", "20ms"]);
    assert_eq!(document["policy"], "other");
    assert!(document["not_measured"].to_string().contains("CAP_SYS_NICE"), "{document}");
    lab.run(&["index", "--duration", "20ms", "--policy", "fifo:50"]).complains(3, &["sched_setscheduler"]);
}

#[test]
fn a_cpu_that_is_not_there_is_refused() {
    let lab = Lab::new();
    lab.run(&["index", "--cpu", "7000"]).complains(2, &["CPU 7000 does not exist"]);
    lab.run(&["index", "--cpu", "0", "--all-cpus"]).complains(2, &["cannot be used with"]);
}

#[test]
fn an_interrupted_index_reports_what_it_has() {
    let lab = Lab::new();
    let live = lab.start(&["index", "--duration", "10m", "--format", "json"]);
    live.answers();
    live.signal(SIGINT);
    live.end().ends_with(130);
    assert!(lab.last()["warnings"].to_string().contains("interrupted"));
}
