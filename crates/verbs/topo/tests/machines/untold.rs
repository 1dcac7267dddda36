//! Reports of randomly generated trees: every form can be written.

use std::path::Path;

use fauxplat_report::Style;
use fauxplat_topology::{Depth, survey};
use proptest::prelude::*;

use crate::drawn::{growing, largest, place, put, thing};
use crate::parts::every_form;
use crate::{described, in_memory};

/// Writes every form of the report of a tree for a terminal of this width.
fn is_shown(root: &Path, width: usize) {
    let (facts, topology, _) = survey(root, Depth::Whole);
    for unicode in [true, false] {
        every_form(&topology, &facts, &Style { width, unicode, ..Style::default() });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn a_drawn_tree_is_shown(
        things in prop::collection::vec((place(), thing()), 0..60),
        width in prop_oneof![0usize..300, Just(usize::MAX)],
    ) {
        let root = in_memory();
        things.iter().for_each(|(place, thing)| put(root.path(), place, thing));
        is_shown(root.path(), width);
    }

    #[test]
    fn a_machine_with_drawn_files_among_its_own_is_shown(
        machine in prop_oneof![Just("hybrid"), Just("modules"), Just("mainframe"), Just("container")],
        things in prop::collection::vec((place(), thing()), 1..30),
        width in 0usize..300,
    ) {
        let root = described(machine);
        things.iter().for_each(|(place, thing)| put(root.path(), place, thing));
        is_shown(root.path(), width);
    }
}

#[test]
fn the_largest_machine_is_shown() {
    is_shown(largest().path(), 80);
}

#[test]
fn groups_that_grow_are_shown() {
    is_shown(growing().path(), 60);
}
