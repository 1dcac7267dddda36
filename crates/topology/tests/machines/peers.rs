//! Machines of which hwloc and lscpu keep captures for their own tests, with the expected parts of each: those that these
//! tools report, or different parts for a stated reason.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fauxplat_model::{GroupKind, Topology};
use fauxplat_topology::{pick, read};
use fauxplat_units::CpuSet;

use crate::expand::expand;
use crate::in_memory;
use crate::peer::{Parts, peers};

/// The parts of a topology; levels that the machine lacks have no entry.
fn told(topology: &Topology) -> Parts {
    let mut parts = Parts::new();
    let mut tell = |level: String, cpus: &CpuSet| {
        parts.entry(level).or_default().insert(cpus.to_string());
    };
    tell("online".into(), &topology.online);
    for (level, cpus) in [
        ("offline", topology.offline()),
        ("disallowed", topology.online.without(&topology.allowed)),
        ("isolated", topology.isolated.clone()),
    ] {
        if !cpus.is_empty() {
            tell(level.into(), &cpus);
        }
    }
    topology.groups.iter().for_each(|group| tell(group.level.name().into(), &group.cpus));
    topology.caches.iter().for_each(|cache| tell(cache.name(), &cache.cpus.intersection(&topology.online)));
    topology.kinds.iter().for_each(|kind| tell("kind".into(), &kind.cpus));
    for node in &topology.nodes {
        tell(format!("node{}", node.node), &node.cpus);
    }
    // A level whose only parts are nodes without CPUs keeps its entry, without sets.
    parts.values_mut().for_each(|sets| sets.retain(|cpus| !cpus.is_empty()));
    parts
}

fn shown(parts: &Parts) -> String {
    parts.iter().fold(String::new(), |mut text, (level, sets)| {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let _ = writeln!(text, "{level} {}", sets.join(" "));
        text
    })
}

#[test]
fn what_other_tools_know_of_their_machines_is_known() {
    let mut wrong = String::new();
    for peer in peers() {
        let root = in_memory();
        expand(&peer.tree, root.path()).unwrap();
        let (topology, warnings) = read(root.path());
        let told = told(&topology);
        if told != peer.parts {
            let differs = |parts: &Parts, from: &Parts| {
                let kept = parts.iter().filter(|(level, sets)| from.get(*level) != Some(sets));
                shown(&kept.map(|(level, sets)| (level.clone(), sets.clone())).collect())
            };
            let (is, expected) = (differs(&told, &peer.parts), differs(&peer.parts, &told));
            let _ = writeln!(wrong, "{}\n is\n{is} is to be\n{expected} {warnings:?}", peer.name);
        }
        picks(&peer.name, &topology);
        questions(&topology);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Checks that `one-per-core` and `one-per-package` pick the lowest allowed CPU of each part.
fn picks(name: &str, topology: &Topology) {
    for (relation, level) in [("one-per-core", GroupKind::Core), ("one-per-package", GroupKind::Package)] {
        let firsts: CpuSet = topology
            .level(level)
            .filter_map(|group| group.cpus.intersection(&topology.allowed).first())
            .collect();
        let chosen = pick(&relation.parse().unwrap(), topology, None);
        let chosen: CpuSet = chosen.into_iter().flatten().map(|one| one.cpu).collect();
        if !firsts.is_empty() {
            assert_eq!(chosen, firsts, "{name} {relation}");
        }
    }
}

/// Asks about the first and the last CPU by every level; no answer names a CPU that may not be used.
fn questions(topology: &Topology) {
    let levels =
        ["cpu", "core", "l1", "l2", "l3", "cluster", "die", "package", "node", "kind", "book", "drawer"];
    let mut asked: Vec<String> = levels.iter().map(|level| format!("one-per-{level}")).collect();
    let ends = [topology.online.iter().next(), topology.online.iter().last()];
    for cpu in ends.into_iter().flatten() {
        asked.extend(levels.iter().flat_map(|level| {
            ["same", "other", "other-core-same"].map(|relation| format!("{relation}-{level}:{cpu}"))
        }));
        asked.push(format!("sibling-of:{cpu}"));
    }
    asked.extend(
        ["all", "p-cores", "e-cores", "isolated", "node:0", "node:255", "!node:0"].map(str::to_owned),
    );
    // Some levels are no words of a relation, and are refused.
    for relation in asked.iter().filter_map(|text| text.parse().ok()) {
        let chosen = pick(&relation, topology, None).unwrap_or_default();
        assert!(chosen.iter().all(|one| topology.allowed.contains(one.cpu)), "{relation}");
    }
}

/// Where another tool reports other sets, the description gives a reason, and the sets really differ.
#[test]
fn what_is_said_otherwise_has_a_reason() {
    for peer in peers() {
        assert_eq!(peer.others.is_empty(), peer.reasons == 0, "{}", peer.name);
        for (level, sets) in &peer.others {
            let ours = peer.parts.get(level).cloned().unwrap_or_default();
            assert_ne!(&ours, sets, "{} {level}: the other tool says so, too", peer.name);
        }
    }
}

/// Every test of the other tools belongs to exactly one peer.
#[test]
fn each_test_of_the_other_tools_has_its_row() {
    let all = peers();
    let named: BTreeSet<&str> = all.iter().flat_map(|peer| &peer.tests).map(String::as_str).collect();
    let counted = all.iter().map(|peer| peer.tests.len()).sum::<usize>();
    assert_eq!((named.len(), counted), (HWLOC + LSCPU, HWLOC + LSCPU));
}

/// A machine belongs to a test of another tool, or stands for a shape that had a capture.
#[test]
fn each_machine_says_what_it_stands_for() {
    for peer in peers() {
        assert_ne!(peer.tests.is_empty(), peer.shapes.is_empty(), "{}", peer.name);
    }
}

/// Number of captures in `tests/hwloc/linux` of hwloc; [`LSCPU`] counts those in `tests/ts/lscpu/dumps` of util-linux.
const HWLOC: usize = 51;
const LSCPU: usize = 22;
