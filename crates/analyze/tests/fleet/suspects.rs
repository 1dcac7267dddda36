//! Tests with odd machines, which are suspected, measured again, and explained by their facts and outputs.

use fauxplat_analyze::fleet::{FleetQuestion, fleet_findings};
use fauxplat_model::{
    Delivery, DeliveryState, FleetEvidence, GroupRule, Metric, NodeAnswer, NodeRecord, NodeState,
    Remeasurement,
};

use crate::common::{count, fleet, judged, judged_twice, node, record};
use crate::fleets::{Drawn, Spread, World, name};

#[test]
fn a_slow_machine_is_suspect_then_confirmed() {
    let world = World { odd: 1, slower: 0.10, ..World::of(128, 5, 0.005, 0.01) };
    for seed in 0..20 {
        let mut drawn = Drawn::new(world, seed);
        let first = judged(&drawn.evidence);
        assert_eq!(node(&first, &name(0)).state, NodeState::Suspect, "seed {seed}");
        let plan = first.again.unwrap();
        assert!(plan.rounds.iter().all(|round| round.len() >= 3) && plan.suspects[0].references.len() == 2);
        drawn.measure_again(&plan);
        let second = judged(&drawn.evidence);
        let odd = node(&second, &name(0));
        assert_eq!(odd.state, NodeState::Confirmed, "seed {seed}: {odd:?}");
        assert!(odd.low.unwrap() > 1.05 && odd.high.unwrap() < 1.15 && odd.rounds == 6, "{odd:?}");
        assert!(second.again.is_none() && second.nodes[0].node == name(0));
    }
}

/// Interrupted rounds of repeated measurements continue by the stored plan, although late records of the first
/// measurement would change the plan.
#[test]
fn rounds_that_were_begun_are_finished_by_the_plan_that_was_settled() {
    let world = World { odd: 1, slower: 0.10, ..World::of(128, 5, 0.005, 0.01) };
    let mut drawn = Drawn::new(world, 3);
    let all = drawn.evidence.clone();
    let plan = judged(&all).again.unwrap();
    drawn.evidence.again = Some(plan.clone());
    drawn.measure_again(&Remeasurement { rounds: plan.rounds[..1].to_vec(), ..plan.clone() });
    assert_eq!(judged(&drawn.evidence).again.as_ref(), Some(&plan), "five rounds are to come");
    let rest = drawn.evidence.records.split_off(all.records.len());
    drawn.measure_again(&plan);
    // If both reference machines of the suspect lack a record of the first measurement, a new plan would use other
    // machines.
    let mut late = drawn.evidence.clone();
    late.records.retain(|record| record.round > 0 || !plan.suspects[0].references.contains(&record.node));
    let found = judged(&late);
    let odd = node(&found, &name(0));
    assert_eq!((odd.state, odd.rounds, found.again.is_none()), (NodeState::Confirmed, 6, true), "{odd:?}");
    // A machine without a result in a round was asked nevertheless, so the round counts as done.
    let given_up = |node: &String| Delivery {
        node: node.clone(),
        round: 1,
        attempt: 1,
        state: DeliveryState::Missing,
        reason: None,
    };
    let only = Remeasurement { rounds: plan.rounds[..1].to_vec(), ..plan.clone() };
    let mut evidence = FleetEvidence { again: Some(only), ..all };
    evidence.records.extend(rest.into_iter().skip(1));
    assert!(judged(&evidence).again.is_some());
    evidence.deliveries.push(given_up(&plan.rounds[0][0]));
    assert!(judged(&evidence).again.is_none());
    // A suspect that is not in the stored plan has no reference machines, and is not measured again.
    evidence.again.as_mut().unwrap().suspects.clear();
    let found = judged(&evidence);
    assert!(node(&found, &name(0)).reason.as_ref().unwrap().contains("suspects were measured again"));
}

#[test]
fn clean_fleets_have_nobody_confirmed() {
    let mut confirmed = 0;
    for seed in 0..60 {
        let spread = Spread::ALL[seed as usize % 3];
        let world = World { spread, ..World::of([20, 100, 500][seed as usize / 3 % 3], 5, 0.015, 0.01) };
        confirmed += count(&judged_twice(&mut Drawn::new(world, seed)), NodeState::Confirmed);
    }
    // With an expected number of 0.1 false flags per fleet, 6 are expected in 60 fleets; twice as many may be chance.
    assert!(confirmed <= 12, "{confirmed}");
}

#[test]
fn a_planted_fact_is_named_and_the_others_are_not() {
    let world = World { bios_every: 10, bios_slower: 0.04, ..World::of(500, 5, 0.015, 0.01) };
    let named = |seed: u64| {
        let found = judged(&Drawn::new(world, seed).evidence);
        let first = found.facts_explained.first();
        first.is_some_and(|it| it.fact == "bios" && it.value == "1.2" && it.machines == 50 && it.low > 1.0)
    };
    assert!((0..20).filter(|&seed| named(seed)).count() >= 19);
    let false_facts = (0..40)
        .filter(|&seed| {
            !judged(&Drawn::new(World::of(100, 5, 0.015, 0.01), seed).evidence).facts_explained.is_empty()
        })
        .count();
    // At an error level of 5 %, 2 wrong answers in 40 fleets are expected; three standard deviations are 4.
    assert!(false_facts <= 6, "{false_facts}");
}

#[test]
fn facts_that_divide_alike_are_told_together() {
    let world = World { bios_every: 5, bios_slower: 0.08, ..World::of(60, 5, 0.01, 0.01) };
    let mut drawn = Drawn::new(world, 1);
    for record in &mut drawn.evidence.records {
        let date = if record.facts["bios"] == "1.2" { "2019-03-01" } else { "2023-07-01" };
        record.facts.insert("bios-date".to_owned(), date.to_owned());
    }
    let found = judged(&drawn.evidence);
    assert_eq!(found.facts_explained[0].same_as, ["bios-date"]);
    assert_eq!(found.facts_explained.len(), 1, "{:?}", found.facts_explained);
}

#[test]
fn machines_that_all_say_the_same_have_a_rule_of_their_own() {
    let mut records: Vec<NodeRecord> = (0..20).map(|at| record(&format!("n{at}"), &[], &[1000; 5])).collect();
    records[3] = record("n3", &[], &[1100; 5]);
    records[4] = record("n4", &[], &[1010; 5]);
    let found = judged(&fleet(records));
    assert_eq!(found.groups[0].rule, GroupRule::ZeroSpread);
    assert_eq!(node(&found, "n3").state, NodeState::Suspect);
    // Machine n4 is slower by 1 %, which is too little to matter.
    assert_eq!(node(&found, "n4").state, NodeState::Normal);
    assert_eq!(count(&found, NodeState::Suspect), 1);
}

#[test]
fn few_machines_are_judged_with_care() {
    let of = |walls: &[u64]| {
        let machines = walls.iter().enumerate();
        fleet(
            machines.map(|(at, &wall)| record(&format!("n{at}"), &[], &[wall - 1, wall, wall + 1])).collect(),
        )
    };
    for (walls, rule, suspects) in [
        (&[100_000u64][..], GroupRule::Alone, 0),
        (&[100_000, 150_000], GroupRule::Pair, 0),
        (&[100_000, 100_100, 150_000], GroupRule::Few, 1),
        // The first two machines differ from each other by as much as the third from them.
        (&[100_000, 120_000, 150_000], GroupRule::Few, 0),
        // The third machine is far from the others, but its difference is too small to matter.
        (&[100_000, 100_010, 102_000], GroupRule::Few, 0),
    ] {
        let found = judged(&of(walls));
        assert_eq!((found.groups[0].rule, count(&found, NodeState::Suspect)), (rule, suspects), "{walls:?}");
    }
}

#[test]
fn other_hardware_is_another_group() {
    let of = |at: usize| {
        let (model, wall) = if at.is_multiple_of(2) { ("old", 2_000_000) } else { ("new", 1_000_000) };
        record(&format!("n{at}"), &[("cpu-model", model)], &[wall + at as u64, wall, wall + 7])
    };
    let found = judged(&fleet((0..40).map(of).collect()));
    assert_eq!(found.groups.iter().map(|group| group.machines).collect::<Vec<_>>(), [20, 20]);
    assert_eq!(count(&found, NodeState::Normal), 40);
}

#[test]
fn a_rate_is_slow_when_it_is_low() {
    let rate = |wall: u64| {
        let mut it = record("", &[], &[wall, wall + 1, wall - 1]);
        for block in &mut it.blocks {
            let values = block.values.remove("wall").unwrap();
            block.values.insert("rate".to_owned(), values);
        }
        it
    };
    let named = |at: usize, wall| NodeRecord { node: format!("n{at}"), ..rate(wall) };
    let mut records: Vec<NodeRecord> =
        (0..30).map(|at| named(at, 1_000_000 + 500 * (at as u64 % 7))).collect();
    records.push(named(30, 900_000));
    records.push(named(31, 1_100_000));
    let found = fleet_findings(&fleet(records), &FleetQuestion::of(Metric::RATE, 1));
    let odd: Vec<&str> =
        found.nodes.iter().filter(|it| it.state == NodeState::Suspect).map(|it| &*it.node).collect();
    assert_eq!(odd, ["n30"]);
    let ratio = found.nodes[0].effect_ratio.unwrap();
    assert!((ratio - 0.9).abs() < 0.01, "{ratio}");
}

fn answering(node: &str, answers: &[&str]) -> NodeRecord {
    let answer = |sha256: &&str| NodeAnswer { command: 0, sha256: (*sha256).to_owned(), runs: 3 };
    NodeRecord { answers: answers.iter().map(answer).collect(), ..record(node, &[], &[1000, 1001, 1002]) }
}

#[test]
fn a_wrong_answer_comes_first_and_a_tie_is_nobodys_fault() {
    let mut records: Vec<NodeRecord> = (0..9).map(|at| answering(&format!("n{at}"), &["right"])).collect();
    records.push(answering("liar", &["wrong"]));
    records.push(answering("fickle", &["right", "wrong"]));
    let found = judged(&fleet(records));
    let wrong: Vec<&str> =
        found.nodes.iter().take_while(|it| it.state == NodeState::WrongAnswer).map(|it| &*it.node).collect();
    assert_eq!(wrong, ["fickle", "liar"]);
    assert_eq!(found.answers.iter().filter(|it| it.majority).count(), 1);

    let tie = (0..4).map(|at| answering(&format!("n{at}"), &[["a", "b"][at % 2]])).collect();
    let found = judged(&fleet(tie));
    assert_eq!(count(&found, NodeState::WrongAnswer), 0);
    assert!(found.answers.len() == 2 && found.answers.iter().all(|it| !it.majority));
}

#[test]
fn who_gives_nothing_is_missing_with_the_reason() {
    let mut evidence = fleet((0..10).map(|at| record(&format!("n{at}"), &[], &[1000, 1001, 1002])).collect());
    let delivery = |node: &str, state, reason: &str| Delivery {
        node: node.to_owned(),
        round: 0,
        attempt: 1,
        state,
        reason: Some(reason.to_owned()),
    };
    evidence.deliveries.push(delivery("down", DeliveryState::Missing, "node is not responding"));
    evidence.deliveries.push(delivery("n3", DeliveryState::Twice, "same attempt"));
    evidence.records.push(record("zero", &[], &[0, 0]));
    let found = judged(&evidence);
    assert_eq!(count(&found, NodeState::Missing), 2);
    assert_eq!(node(&found, "down").reason.as_deref(), Some("nothing came: node is not responding"));
    assert!(node(&found, "zero").reason.as_deref().unwrap().contains("wall"));
    assert_eq!(node(&found, "n3").state, NodeState::Normal);
}

#[test]
fn a_suspect_that_varies_is_noisy_and_one_that_was_unlucky_is_cleared() {
    let mut drawn = Drawn::new(World { odd: 2, slower: 0.2, ..World::of(40, 5, 0.005, 0.005) }, 3);
    let plan = judged(&drawn.evidence).again.unwrap();
    drawn.measure_again(&plan);
    for record in drawn.evidence.records.iter_mut().filter(|it| it.round > 0) {
        // In the repeated measurement the first machine is as fast as the others, and the second one needs half of its
        // time in every second round.
        let factor = match record.node == name(0) {
            true => 1.0 / 1.2,
            false if record.node == name(1) && record.round % 2 == 0 => 0.5,
            false => 1.0,
        };
        let values = record.blocks.iter_mut().flat_map(|block| block.values.values_mut()).flatten();
        values.for_each(|value| *value = value.map(|value| (value as f64 * factor) as u64));
    }
    let found = judged(&drawn.evidence);
    assert_eq!(node(&found, &name(0)).state, NodeState::Cleared);
    assert_eq!(node(&found, &name(1)).state, NodeState::Noisy);
}

#[test]
fn a_suspect_without_company_stays_one_and_says_why() {
    let mut records: Vec<NodeRecord> = (0..3).map(|at| answering(&format!("n{at}"), &["a"])).collect();
    records[2] = NodeRecord { node: "slow".to_owned(), ..record("slow", &[], &[2000, 2001, 2002]) };
    let found = judged(&fleet(records));
    assert_eq!(node(&found, "slow").state, NodeState::Suspect);
    assert_eq!(found.again.unwrap().suspects[0].references.len(), 2);
}
