//! Captured machines, and the machine that the tests run on.

use std::path::{Path, PathBuf};

use fauxplat_hazards::{Severity, examine, hazards, not_measured, warnings};
use fauxplat_units::Nanos;

use crate::fake::{look, machine, one};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sysfs").join(name)
}

/// Returns a line for each hazard of a captured machine, without the hazards whose files the capture lacks.
fn told(name: &str) -> String {
    let found = examine(&fixture(name), None, Nanos(1_000_000));
    assert_eq!(found.interval_ns, 0, "a capture is one moment");
    let is_told =
        |reason: &Option<String>| !reason.as_ref().is_some_and(|reason| reason.ends_with("is not there"));
    let lines = found.hazards.iter().filter(|hazard| is_told(&hazard.reason)).map(|hazard| {
        let parts = [hazard.value.clone(), hazard.reason.clone()].into_iter().flatten().collect::<Vec<_>>();
        format!("{} {}: {}\n", hazard.severity, hazard.name, parts.join("; "))
    });
    lines.collect()
}

#[test]
fn a_guest() {
    insta::assert_snapshot!(told("vm-x86"));
}

#[test]
fn a_machine_that_scales_its_frequency() {
    insta::assert_snapshot!(told("bare-metal-x86"));
}

#[test]
fn an_arm_guest() {
    insta::assert_snapshot!(told("vm-arm64"));
}

#[test]
fn a_container_of_a_large_host() {
    insta::assert_snapshot!(told("container"));
}

#[test]
fn this_machine_is_looked_at_twice() {
    let found = examine(Path::new("/"), None, Nanos(20_000_000));
    assert_eq!(found.hazards.len(), hazards().count());
    assert!(
        found.interval_ns >= 20_000_000 && found.elapsed_ns >= found.interval_ns,
        "{}",
        found.interval_ns
    );
    for name in ["busy-cpus", "load", "aslr", "environment-size", "allowed-cpus", "traced"] {
        let hazard = one(&found, name);
        assert!(hazard.value.is_some() && hazard.severity != Severity::Unknown, "{hazard:?}");
    }
    let unknown = found.hazards.iter().filter(|hazard| hazard.severity == Severity::Unknown).count();
    assert_eq!(not_measured(&found).is_empty(), unknown == 0);
}

#[test]
fn an_experiment_is_warned_of_what_is_high_and_of_nothing_else() {
    let loud = machine(&[
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"),
        ("proc/loadavg", "5.00 1 1 1/1 1"),
        ("proc/sys/vm/zone_reclaim_mode", "1"),
    ]);
    assert_eq!(
        warnings(loud.path(), None),
        [
            "frequency governor (governor): powersave on CPU 0; see `fauxplat doctor`",
            "source of the time (clocksource): hpet; see `fauxplat doctor`",
            "load average (load): 5.00 on 4 CPUs; see `fauxplat doctor`",
        ]
    );
    let quiet = machine(&[
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"),
        ("proc/loadavg", "3.00 1 1 1/1 1"),
    ]);
    assert_eq!(warnings(quiet.path(), None), [""; 0]);
    let elsewhere = Some("1".parse().unwrap());
    assert!(!warnings(loud.path(), elsewhere.as_ref()).iter().any(|line| line.contains("governor")));
}

#[test]
fn what_is_mounted_read_only_cannot_be_tuned() {
    let governor = ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    let open = machine(&[governor]);
    let found = one(&look(open.path(), open.path(), None), "governor");
    assert_eq!(found.tune.as_deref(), Some("fauxplat tune --set governor=performance"));
    assert!(found.can_tune);
    let shut = machine(&[governor, ("proc/self/mountinfo", "23 1 0:2 / /sys ro - sysfs sysfs rw\n")]);
    let found = one(&look(shut.path(), shut.path(), None), "governor");
    assert_eq!((found.can_tune, found.tune), (false, None));
    assert!(found.advice.contains("read-only"), "{}", found.advice);
}

#[test]
fn the_sibling_of_the_one_cpu_is_named() {
    let root = machine(&[("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2")]);
    let found = one(&look(root.path(), root.path(), Some("2")), "smt");
    assert_eq!(found.tune.as_deref(), Some("fauxplat tune --set smt-sibling-of:2=offline"));
}
