//! Tests with fleets whose odd machines a simple comparison would miss: machines that hide each other, machines that
//! differ in their hardware or in a fact, and machines that are too fast.

use fauxplat_model::{FleetEvidence, FleetFindings, NodeRecord, NodeState, NoticeKind};

use crate::common::{count, fleet, judged, judged_twice, node, record};
use crate::fleets::{Drawn, Spread, World, name};

/// Data of seven machines, of which `odd` take twice as long as the others.
fn seven(odd: usize, seed: u64) -> FleetEvidence {
    Drawn::new(World { odd, slower: 1.0, told: false, ..World::of(7, 5, 0.015, 0.01) }, seed).evidence
}

#[test]
fn odd_machines_among_a_few_do_not_hide_each_other() {
    for odd in 1..=3 {
        let all =
            (0..40).filter(|&seed| count(&judged(&seven(odd, seed)), NodeState::Suspect) == odd).count();
        assert!(all >= 37, "{odd}: {all}");
    }
    let mut drawn = Drawn::new(World { odd: 2, slower: 1.0, told: false, ..World::of(7, 5, 0.015, 0.01) }, 3);
    let found = judged_twice(&mut drawn);
    assert_eq!(count(&found, NodeState::Confirmed), 2, "{:?}", found.nodes);
    let false_ones: usize = (0..100).map(|seed| count(&judged(&seven(0, seed)), NodeState::Suspect)).sum();
    // With an expected number of 0.1 false flags per fleet, 10 are expected in 100 fleets; three standard deviations
    // are 9.
    assert!(false_ones <= 19, "{false_ones}");
}

/// A fault that changes a fact of a machine must not put the machine into a group of its own.
#[test]
fn a_machine_with_a_dead_socket_or_a_serial_number_is_held_against_the_others() {
    let machine = |at: usize| {
        let wall = if at == 3 { 2_000_000 } else { 1_000_000 + 900 * (at as u64 * 7 % 11) };
        let sockets = if at == 3 { "1" } else { "2" };
        let product = format!("Maker S{at}");
        record(&format!("n{at}"), &[("sockets", sockets), ("product", &product)], &[wall, wall + 1, wall + 2])
    };
    let found = judged(&fleet((0..20).map(machine).collect()));
    assert_eq!(node(&found, "n3").state, NodeState::Suspect);
    let differs: Vec<&str> = found.notices.iter().map(|it| it.node.as_str()).collect();
    assert_eq!(differs, ["n3"], "sockets differ: {:?}", found.notices);
}

/// The spread within a small group is taken from all groups of the fleet. A machine that is the only one of its
/// hardware is reported as uncompared.
#[test]
fn small_groups_are_held_against_the_whole_fleet() {
    let of = |at: usize, model: &str, times: f64| {
        let wall = (times * 1e6 * (1.0 + 0.002 * (at * 7 % 11) as f64)) as u64;
        record(&format!("n{at}"), &[("cpu-model", model)], &[wall, wall + 1, wall + 2])
    };
    let mut records: Vec<NodeRecord> = (0..20).map(|at| of(at, "new", 1.0)).collect();
    records.extend([of(20, "old", 2.0), of(21, "old", 2.6), of(22, "one", 1.0), of(23, "two", 5.0)]);
    let found = judged(&fleet(records));
    let state = |name: &str| node(&found, name).state;
    // Within its group of two, n21 is slower by far more than machines of the same hardware differ elsewhere.
    assert_eq!((state("n20"), state("n21")), (NodeState::Suspect, NodeState::Suspect));
    assert_eq!((state("n22"), state("n23")), (NodeState::Uncompared, NodeState::Suspect));
    let reason = node(&found, "n23").reason.clone().unwrap();
    assert!(reason.contains("times the fleet's median"), "{reason}");
    assert_eq!(count(&found, NodeState::Normal), 20);
}

#[test]
fn whatever_a_known_fact_explains_is_taken_off_before_others_are_judged() {
    let world =
        World { odd: 1, slower: 0.15, bios_every: 20, bios_slower: 0.03, ..World::of(1000, 5, 0.015, 0.01) };
    for seed in 0..3 {
        let found = judged_twice(&mut Drawn::new(world, seed));
        let fact = &found.facts_explained[0];
        assert_eq!((fact.fact.as_str(), fact.machines), ("bios", 50), "{fact:?}");
        assert_eq!(node(&found, &name(0)).state, NodeState::Confirmed, "seed {seed}");
        let old = node(&found, &name(10));
        assert!((old.explained_ratio.unwrap() - 1.03).abs() < 0.01, "{old:?}");
    }
}

#[test]
fn too_fast_machines_and_scattered_runs_are_told_and_chance_is_not() {
    let told = |found: &FleetFindings, kind| -> Vec<String> {
        found.notices.iter().filter(|it| it.kind == kind).map(|it| it.node.clone()).collect()
    };
    let world = World { odd: 1, slower: -0.5, told: false, ..World::of(20, 5, 0.015, 0.01) };
    let found = judged(&Drawn::new(world, 1).evidence);
    assert_eq!(told(&found, NoticeKind::Fast), [name(0)], "{:?}", found.notices);
    assert_eq!(found.nodes.iter().filter(|it| it.state != NodeState::Normal).count(), 0);

    let mut drawn = Drawn::new(World { odd: 0, ..world }, 2);
    for (at, block) in drawn.evidence.records[4].blocks.iter_mut().enumerate() {
        let factor = 1.0 + 0.5 * at as f64;
        let values = block.values.values_mut().flatten();
        values.for_each(|value| *value = value.map(|value| (value as f64 * factor) as u64));
    }
    assert_eq!(told(&judged(&drawn.evidence), NoticeKind::Scatter), [name(4)]);

    let mut chance = [0; 2];
    for seed in 0..60 {
        let spread = Spread::ALL[seed as usize % 3];
        let world =
            World { spread, told: false, ..World::of([20, 100][seed as usize / 3 % 2], 5, 0.015, 0.01) };
        let found = judged(&Drawn::new(world, seed).evidence);
        chance[0] += told(&found, NoticeKind::Fast).len();
        chance[1] += told(&found, NoticeKind::Scatter).len();
    }
    // With an expected number of 0.1 false flags per fleet, 6 are expected in 60 fleets; twice as many may be chance.
    assert!(chance.iter().all(|&count| count <= 12), "{chance:?}");
}

#[test]
fn one_run_of_five_is_no_whole_answer() {
    let mut records: Vec<NodeRecord> = (0..20)
        .map(|at| {
            let wall = 1_000_000 + 2_000 * (at as u64 * 7 % 11);
            record(&format!("n{at}"), &[], &[wall, wall + 9000, wall - 9000, wall + 4000, wall - 4000])
        })
        .collect();
    records[5].blocks.truncate(1);
    let found = judged(&FleetEvidence { runs: Some(5), ..fleet(records) });
    let runs: Vec<_> = found.notices.iter().map(|it| (it.node.as_str(), it.kind, it.ratio)).collect();
    assert_eq!(runs, [("n5", NoticeKind::Runs, Some(0.2))]);
}
