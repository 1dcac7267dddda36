//! Tests on randomly generated trees: no CPU is made up.

use std::path::Path;

use fauxplat_model::Topology;
use fauxplat_topology::{discover, pick, read};
use proptest::prelude::*;

use crate::drawn::{growing, largest, place, put, thing};
use crate::{described, in_memory};

/// Reads the tree and checks the parts.
fn survives(root: &Path) -> Topology {
    let (topology, warnings) = read(root);
    assert!(topology.online.is_subset(&topology.present) && topology.allowed.is_subset(&topology.online));
    assert!(topology.caches.iter().all(|cache| !cache.cpus.is_empty()));
    assert!(warnings.len() <= 21, "{warnings:?}");
    for relation in ["one-per-core", "one-per-node", "other-core-same-l2:1", "sibling-of:0", "!e-cores"] {
        if let Ok(chosen) = pick(&relation.parse().unwrap(), &topology, None) {
            assert!(chosen.iter().all(|one| topology.allowed.contains(one.cpu)));
        }
    }
    discover(root);
    topology
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn a_drawn_tree_is_read(things in prop::collection::vec((place(), thing()), 0..60)) {
        let root = in_memory();
        things.iter().for_each(|(place, thing)| put(root.path(), place, thing));
        survives(root.path());
    }

    #[test]
    fn a_machine_with_drawn_files_among_its_own_is_read(
        machine in prop_oneof![Just("hybrid"), Just("modules"), Just("mainframe"), Just("container")],
        things in prop::collection::vec((place(), thing()), 1..30),
    ) {
        let root = described(machine);
        things.iter().for_each(|(place, thing)| put(root.path(), place, thing));
        survives(root.path());
    }
}

#[test]
fn the_largest_machine_is_read() {
    assert_eq!(survives(largest().path()).online.len(), 16_384);
}

#[test]
fn groups_that_grow_are_read() {
    survives(growing().path());
}
