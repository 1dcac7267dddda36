//! Tests with machines and whole fleets that change from visit to visit.

use std::collections::BTreeMap;

use fauxplat_analyze::fleet::{fleet_watch, visit};
use fauxplat_model::{Estimand, NodeVisit};
use fauxplat_stats::draw::Draw;

use crate::common::{question, record};
use crate::fleets::name;

/// Visits of one machine: log-normal noise, and a step by the share `step` from visit `at` on, together with a new
/// microcode.
fn visits(node: &str, count: usize, (at, step): (usize, f64), sd: f64, draw: &mut Draw) -> Vec<NodeVisit> {
    let visit = |place: usize| {
        let shift = if place >= at { f64::ln_1p(step) } else { 0.0 };
        NodeVisit {
            node: node.to_owned(),
            fleet: format!("run {place:04}"),
            at_utc_ns: place as i64 * 86_400_000_000_000,
            median: 1e8 * (shift + sd * draw.normal()).exp(),
            mean: None,
            facts: BTreeMap::from([(
                "microcode".to_owned(),
                if place >= at { "0x2" } else { "0x1" }.to_owned(),
            )]),
        }
    };
    (0..count).map(visit).collect()
}

#[test]
fn slower_since_the_new_microcode() {
    let mut draw = Draw::new(8, 0);
    let mut all: Vec<NodeVisit> = Vec::new();
    for at in 0..30 {
        let step = if at < 5 { (25, 0.06) } else { (99, 0.0) };
        all.extend(visits(&name(at), 50, step, 0.01, &mut draw));
    }
    let found = fleet_watch(&all, "program", &question());
    let changed: Vec<&str> =
        found.nodes.iter().filter(|it| !it.changes.is_empty()).map(|it| it.node.as_str()).collect();
    assert_eq!(changed, (0..5).map(name).collect::<Vec<_>>());
    let change = &found.nodes[0].changes[0];
    assert!(change.at.abs_diff(25) <= 2 && (change.effect_ratio - 1.06).abs() < 0.02, "{change:?}");
    let since = &found.since[0];
    assert_eq!((since.change.fact.as_str(), since.machines, since.with_change), ("microcode", 5, 5));
    assert!(since.low.unwrap() > 1.03);
}

/// From visit 25 on, slow runs double the mean of four machines and leave the median unchanged.
#[test]
fn slow_runs_that_move_no_median_are_a_change_of_the_mean() {
    let mut draw = Draw::new(10, 0);
    let mut all: Vec<NodeVisit> = Vec::new();
    for at in 0..30 {
        for (place, visit) in visits(&name(at), 50, (99, 0.0), 0.01, &mut draw).into_iter().enumerate() {
            let slow = if at < 4 && place >= 25 { 2.0 } else { 1.0 };
            let mean = visit.median * slow * (0.02 * draw.normal()).exp();
            all.push(NodeVisit { mean: Some(mean), ..visit });
        }
    }
    let found = fleet_watch(&all, "program", &question());
    let changed: Vec<&str> =
        found.nodes.iter().filter(|it| !it.changes.is_empty()).map(|it| it.node.as_str()).collect();
    assert_eq!(changed, (0..4).map(name).collect::<Vec<_>>());
    for node in &found.nodes[..4] {
        let change = &node.changes[0];
        assert_eq!((node.changes.len(), change.estimand), (1, Estimand::Mean), "{change:?}");
        assert!(change.at.abs_diff(25) <= 2 && change.low < 2.0 && 2.0 < change.high, "{change:?}");
        assert!((change.after / change.before - 2.0).abs() < 0.1, "{change:?}");
    }
    assert!(found.since.is_empty());
}

#[test]
fn fleets_that_do_not_change_are_left_in_peace() {
    let mut draw = Draw::new(9, 0);
    let all: Vec<NodeVisit> =
        (0..300).flat_map(|at| visits(&name(at), 40, (99, 0.0), 0.02, &mut draw)).collect();
    let found = fleet_watch(&all, "program", &question());
    assert_eq!(found.nodes.iter().filter(|it| !it.changes.is_empty()).count(), 0);
    assert!(found.since.is_empty());
}

#[test]
fn a_visit_is_what_a_record_says_in_short() {
    let of = record("n", &[("kernel", "6.1")], &[900, 1000, 1100]);
    let visit = visit(&of, &question()).unwrap();
    assert!((visit.median - 1000.0).abs() < 1e-6 && visit.facts["kernel"] == "6.1");
    assert!((visit.mean.unwrap() - 1000.0).abs() < 1e-6);
    assert_eq!(fauxplat_analyze::fleet::visit(&record("n", &[], &[0]), &question()), None);
}

/// Visits of a fleet; `change` returns the log ratio by which a machine is slower at a visit.
fn visits_of_a_fleet(
    machines: usize,
    count: usize,
    seed: u64,
    change: impl Fn(usize, usize) -> f64,
) -> Vec<NodeVisit> {
    let mut draw = Draw::new(seed, 0);
    let mut all = Vec::new();
    for at in 0..count {
        for machine in 0..machines {
            let median = 1e8 * (0.01 * draw.normal() + change(machine, at)).exp();
            all.push(NodeVisit {
                node: name(machine),
                fleet: format!("{at:04}"),
                at_utc_ns: at as i64,
                median,
                mean: Some(median * (0.001 * draw.normal()).exp()),
                facts: BTreeMap::new(),
            });
        }
    }
    all
}

#[test]
fn a_machine_that_became_three_times_slower_is_found_in_fleets_of_all_sizes() {
    for machines in [10, 100, 1000] {
        let late = |machine, at| if machine == 7 && at >= 9 { 3f64.ln() } else { 0.0 };
        let found = fleet_watch(&visits_of_a_fleet(machines, 12, 5, late), "c", &question());
        let changed: Vec<&str> =
            found.nodes.iter().filter(|it| !it.changes.is_empty()).map(|it| it.node.as_str()).collect();
        assert_eq!(changed, [name(7)], "{machines}");
        let change = &found.nodes[0].changes[0];
        assert!(change.at == 9 && (change.effect_ratio - 3.0).abs() < 0.2, "{change:?}");
        assert!(found.smallest.unwrap().ratio < 1.3, "{:?}", found.smallest);
    }
}

#[test]
fn a_change_of_the_whole_fleet_is_that_of_no_machine() {
    let all_slower = |_, at| if at >= 9 { 0.05 } else { 0.0 };
    let found = fleet_watch(&visits_of_a_fleet(100, 12, 6, all_slower), "c", &question());
    assert!(found.nodes.iter().all(|it| it.changes.is_empty()));
    assert_eq!(found.whole.len(), 1);
    let change = &found.whole[0];
    assert!(change.at == 9 && (change.effect_ratio - 1.05).abs() < 0.01, "{change:?}");
    // A machine that changes in addition to the whole fleet is reported separately.
    let both = |machine, at| all_slower(machine, at) + if machine == 3 && at >= 8 { 0.5 } else { 0.0 };
    let found = fleet_watch(&visits_of_a_fleet(100, 12, 7, both), "c", &question());
    assert_eq!((found.nodes[0].node.as_str(), found.whole.len()), (name(3).as_str(), 1));
    assert!((found.nodes[0].changes[0].effect_ratio - 0.5f64.exp()).abs() < 0.05);
}

#[test]
fn fleets_that_do_not_change_have_no_changes() {
    let told = |seed: u64| {
        let found = fleet_watch(&visits_of_a_fleet(50, 12, seed, |_, _| 0.0), "c", &question());
        !found.whole.is_empty() || found.nodes.iter().any(|it| !it.changes.is_empty())
    };
    let fleets = (100..180).filter(|&seed| told(seed)).count();
    // With a probability of 1 % per fleet, false changes are expected in 0.8 of 80 fleets; three standard deviations
    // are 2.7.
    assert!(fleets <= 3, "{fleets}");
}
