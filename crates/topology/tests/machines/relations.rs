//! CPUs by relation on the described machines.

use fauxplat_model::{Relation, Topology};
use fauxplat_topology::{Activities, CpuActivity, PickError, pick};
use fauxplat_units::{Cpu, CpuSet};

use crate::parts_of;

fn topology(machine: &str) -> Topology {
    parts_of(machine).0
}

fn answer(topology: &Topology, relation: &str) -> String {
    let relation: Relation = relation.parse().unwrap_or_else(|error| panic!("{error}"));
    match pick(&relation, topology, None) {
        Ok(chosen) => chosen.iter().map(|one| one.cpu).collect::<CpuSet>().to_string(),
        Err(error) => error.to_string(),
    }
}

/// Checks all answers of one machine in a single assertion, which shows every wrong answer.
#[track_caller]
fn check(machine: &str, expected: &[(&str, &str)]) {
    let topology = topology(machine);
    let found: Vec<String> = expected.iter().map(|(relation, _)| answer(&topology, relation)).collect();
    let pairs: Vec<(&str, &str)> =
        expected.iter().zip(&found).map(|(&(asked, _), found)| (asked, found.as_str())).collect();
    assert_eq!(pairs, expected);
}

#[test]
fn two_sockets() {
    check(
        "two-sockets",
        &[
            ("sibling-of:3", "15"),
            ("same-cpu:3", "3"),
            ("same-core:3", "3,15"),
            ("other-core-same-l3:3", "0-2,4-5,12-14,16-17"),
            ("other-core-same-package:3", "0-2,4-5,12-14,16-17"),
            (
                "other-core-same-l2:3",
                "other-core-same-l2:3: all CPUs in the L2 cache of CPU 3 are in its core",
            ),
            ("other-package:3", "6-11,18-23"),
            ("other-node:3", "6-11,18-23"),
            ("other-die:3", "6-11,18-23"),
            ("one-per-core", "0-11"),
            ("one-per-package", "0,6"),
            ("one-per-l3", "0,6"),
            ("one-per-node", "0,6"),
            ("one-per-core&node:1", "6-11"),
            ("one-per-core&!0-3", "4-15"),
            ("!same-package:3", "6-11,18-23"),
            ("sibling-of:3|sibling-of:4", "15-16"),
            ("all&(node:0|23)", "0-5,12-17,23"),
            ("core:2", "2,14"),
            ("sibling-of:24", "sibling-of:24: CPU 24 does not exist; this machine has CPUs 0-23"),
            ("isolated", "isolated: no CPU of this machine is isolated"),
            ("p-cores", "p-cores: the CPUs of this machine are all of one kind"),
            ("package:2", "package:2: there is no package 2 with CPUs; there are 0-1"),
            ("same-book:0", "same-book:0: the kernel knows of no book of CPU 0"),
            ("quietest:1", "quietest:1: nobody watched the CPUs, so none is known to be quiet"),
            ("node:0&node:1", "node:0&node:1: no CPU of this machine fulfils all parts of it"),
        ],
    );
}

#[test]
fn kinds_of_cores() {
    check(
        "hybrid",
        &[
            ("p-cores", "0-11"),
            ("e-cores", "12-19"),
            ("one-per-core&p-cores", "0,2,4,6,8,10"),
            ("other-core-same-l2:12", "13-15"),
            ("sibling-of:12", "sibling-of:12: CPU 12 shares its core with no other CPU"),
            ("one-per-kind", "0,12"),
            ("other-kind:0", "12-19"),
        ],
    );
    check(
        "arm-three-kinds",
        &[("p-cores", "7"), ("e-cores", "0-6"), ("kind:1", "4-6"), ("same-cluster:4", "4-6")],
    );
}

#[test]
fn groups_around_a_cache() {
    check(
        "many-l3",
        &[
            ("other-core-same-l3:0", "1-3,65-67"),
            ("other-l3-same-package:0&one-per-l3", "4,8,12,16,20,24,28"),
            ("one-per-l3", "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60"),
            ("l3:15", "60-63,124-127"),
        ],
    );
}

#[test]
fn offline_and_forbidden_cpus() {
    check(
        "cpu0-offline",
        &[
            ("sibling-of:0", "sibling-of:0: CPU 0 is offline, and the kernel does not say where it was"),
            ("0-1", "0-1: CPU 0-1 is offline; online are 4-20"),
            ("0-4", "4"),
            ("one-per-package", "4,6"),
            ("40", "40: CPU 40 does not exist; this machine has CPUs 0-23"),
        ],
    );
    check(
        "container",
        &[
            ("all", "4-6,20-22"),
            ("sibling-of:4", "20"),
            (
                "sibling-of:7",
                "sibling-of:7: that is CPU 23, which this process may not use; it may use 4-6,20-22 (affinity or cpuset)",
            ),
            ("one-per-core", "4-6"),
            (
                "isolated",
                "isolated: that is CPU 14-15, which this process may not use; it may use 4-6,20-22 (affinity or cpuset)",
            ),
            ("!nohz-full", "4-6,20-22"),
        ],
    );
}

#[test]
fn machines_of_other_makes() {
    check(
        "mainframe",
        &[("other-package-same-book:0", "3-4"), ("same-drawer:9", "8-11"), ("one-per-book", "0,5,8")],
    );
    check(
        "power-smt8",
        &[("sibling-of:9", "8,10-15"), ("other-node:9", "32-63"), ("node:8&one-per-core", "32,40,48,56")],
    );
    check(
        "modules",
        &[
            ("sibling-of:2", "sibling-of:2: CPU 2 shares its core with no other CPU"),
            ("other-core-same-l2:2", "3"),
        ],
    );
    check("five-hundred-twelve", &[("sibling-of:300", "44"), ("one-per-l3&node:7", "224,232,240,248")]);
}

#[test]
fn every_answer_says_why() {
    let topology = topology("two-sockets");
    let why = |relation: &str| pick(&relation.parse().unwrap(), &topology, None).unwrap()[0].why.clone();
    assert_eq!(why("sibling-of:3"), "other thread of CPU 3's core");
    assert_eq!(why("other-core-same-l3:3"), "in a different core than CPU 3, shares L3 cache 0 with CPU 3");
    assert_eq!(why("other-package:3"), "in a different package than CPU 3");
    assert_eq!(why("one-per-core&node:1"), "lowest CPU left in its core, in NUMA node 1");
    assert_eq!(why("all"), "this process may use it");
    // For alternatives, the reason names the alternative that this CPU fulfils.
    assert_eq!(why("sibling-of:3|node:1"), "in NUMA node 1");
}

fn activity(busy_share: f64, pinned_tasks: u32, sibling_busy_share: f64) -> CpuActivity {
    CpuActivity {
        busy_share,
        pinned_tasks,
        sibling_busy_share: Some(sibling_busy_share),
        ..CpuActivity::default()
    }
}

#[test]
fn quiet_is_what_loses_least() {
    let topology = topology("two-sockets");
    let mut watched: Activities = topology.online.iter().map(|cpu| (cpu, activity(0.9, 0, 0.9))).collect();
    watched[2].1 = activity(0.0, 0, 0.8);
    watched[7].1 = activity(0.05, 0, 0.0);
    watched[9].1 = activity(0.02, 5, 0.0);
    watched[20].1 = CpuActivity { interrupts_per_s: 50_000.0, ..activity(0.0, 0, 0.0) };
    let order = |relation: &str| -> Vec<u32> {
        let chosen = pick(&relation.parse().unwrap(), &topology, Some(&watched)).unwrap();
        chosen.iter().map(|one| one.cpu.0).collect()
    };
    assert_eq!(order("quietest:4"), [7, 9, 2, 20]);
    assert_eq!(order("quietest:1&node:0"), [2]);
    // CPUs 8 and 20 share a core, and the lower one represents it, so the quiet CPU 20 is not among the choices.
    assert_eq!(order("one-per-core&quietest:3"), [7, 9, 2]);
    let none = pick(&"quietest:2&7".parse().unwrap(), &topology, Some(&watched)).unwrap_err();
    assert_eq!(none.to_string(), "quietest:2&7: only 1 CPU is left to choose 2 from");
    assert!(matches!(none, PickError::NoAnswer { .. }));
    assert_eq!(
        pick(&Relation::All, &topology, Some(&watched)).unwrap()[2].activity,
        Some(activity(0.0, 0, 0.8))
    );
    assert_eq!(order("all").len(), topology.allowed.len());
    assert!(watched.iter().any(|(cpu, _)| *cpu == Cpu(20)));
}
