//! A fleet that does not exist, judged: who is odd, why, what an answer says, two programs, changes over time.
//!
//! Length: the fleets of all these questions are drawn by the same functions.

#[path = "../examples/sim/fleets.rs"]
mod fleets;

use std::collections::BTreeMap;

use fauxplat_analyze::fleet::{FleetQuestion, fleet_compare, fleet_findings, fleet_watch, visit};
use fauxplat_model::{
    Delivery, DeliveryState, DifferenceIn, Estimand, Extent, FleetEvidence, FleetFindings, FleetNode,
    GroupRule, Metric, NodeAnswer, NodeBlock, NodeRecord, NodeState, NodeVisit, Remeasurement, Side, Verdict,
};
use fauxplat_stats::draw::Draw;
use fleets::{Drawn, Spread, World, name};

fn question() -> FleetQuestion {
    FleetQuestion::of(Metric::WALL, 7)
}

fn judged(evidence: &FleetEvidence) -> FleetFindings {
    fleet_findings(evidence, &question())
}

fn count(found: &FleetFindings, state: NodeState) -> usize {
    found.nodes.iter().filter(|node| node.state == state).count()
}

fn node<'a>(found: &'a FleetFindings, name: &str) -> &'a FleetNode {
    found.nodes.iter().find(|node| node.node == name).unwrap()
}

/// Judged, and judged once more with what the plan asked for.
fn judged_twice(drawn: &mut Drawn) -> FleetFindings {
    let first = judged(&drawn.evidence);
    if let Some(plan) = &first.again {
        drawn.measure_again(plan);
    }
    judged(&drawn.evidence)
}

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

/// Rounds that were ended early go on by the plan that was settled, though a machine that answered the survey later
/// would make another plan.
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
    // Without the two that stood for the group, others do.
    let mut late = drawn.evidence.clone();
    late.records.retain(|record| record.round > 0 || !plan.suspects[0].references.contains(&record.node));
    let found = judged(&late);
    let odd = node(&found, &name(0));
    assert_eq!((odd.state, odd.rounds, found.again.is_none()), (NodeState::Confirmed, 6, true), "{odd:?}");
    // A machine that gave nothing in a round was asked nevertheless.
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
    // Machines are not to be measured beside references that they were not planned with.
    evidence.again.as_mut().unwrap().suspects.clear();
    let found = judged(&evidence);
    assert!(node(&found, &name(0)).reason.as_ref().unwrap().contains("others were measured again"));
}

#[test]
fn clean_fleets_have_nobody_confirmed() {
    let mut confirmed = 0;
    for seed in 0..60 {
        let spread = Spread::ALL[seed as usize % 3];
        let world = World { spread, ..World::of([20, 100, 500][seed as usize / 3 % 3], 5, 0.015, 0.01) };
        confirmed += count(&judged_twice(&mut Drawn::new(world, seed)), NodeState::Confirmed);
    }
    // At most 0.1 a fleet are 6; as many again are chance.
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
    // 5 % of 40 is 2; three standard deviations are 4.
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

/// A record with these wall times, a block each.
fn record(node: &str, facts: &[(&str, &str)], walls: &[u64]) -> NodeRecord {
    let block = |(at, &wall): (usize, &u64)| NodeBlock {
        started_ns: at as u64,
        commands: vec![0],
        values: BTreeMap::from([("wall".to_owned(), vec![Some(wall)])]),
    };
    NodeRecord {
        node: node.to_owned(),
        attempt: 1,
        blocks: walls.iter().enumerate().map(block).collect(),
        facts: facts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..NodeRecord::default()
    }
}

fn fleet(records: Vec<NodeRecord>) -> FleetEvidence {
    FleetEvidence { records, ..FleetEvidence::default() }
}

#[test]
fn machines_that_all_say_the_same_have_a_rule_of_their_own() {
    let mut records: Vec<NodeRecord> = (0..20).map(|at| record(&format!("n{at}"), &[], &[1000; 5])).collect();
    records[3] = record("n3", &[], &[1100; 5]);
    records[4] = record("n4", &[], &[1010; 5]);
    let found = judged(&fleet(records));
    assert_eq!(found.groups[0].rule, GroupRule::ZeroSpread);
    assert_eq!(node(&found, "n3").state, NodeState::Suspect);
    // A slowdown of one per cent is of no concern.
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
        // Other machines differ from each other by as much.
        (&[100_000, 120_000, 150_000], GroupRule::Few, 0),
        // Far beyond the others, but less than anybody's concern.
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
        // The first one is as fast as the others now, the second sometimes twice as slow.
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

/// Blocks of A and B on a machine, B faster by a share, or not at all with the old BIOS.
fn pair(at: usize, faster: f64, draw: &mut Draw) -> NodeRecord {
    let old = at < 3;
    let block = |_| {
        let machine = 1e8 * (0.02 * draw.normal()).exp();
        let mut run = |effect: f64| Some((machine * (effect + 0.002 * draw.normal()).exp()) as u64);
        let b = if old { 0.0 } else { -faster };
        NodeBlock {
            started_ns: 0,
            commands: vec![1, 0],
            values: BTreeMap::from([("wall".to_owned(), vec![run(b), run(0.0)])]),
        }
    };
    NodeRecord {
        node: name(at),
        blocks: (0..8).map(block).collect(),
        facts: BTreeMap::from([("bios".to_owned(), if old { "1.2" } else { "1.4" }.to_owned())]),
        ..NodeRecord::default()
    }
}

#[test]
fn a_faster_program_is_found_and_so_are_the_machines_on_which_it_is_not() {
    let mut draw = Draw::new(5, 0);
    let evidence = FleetEvidence {
        commands: vec!["a".to_owned(), "b".to_owned()],
        records: (0..40).map(|at| pair(at, 0.021, &mut draw)).collect(),
        ..FleetEvidence::default()
    };
    let found = fleet_compare(&evidence, &question());
    assert_eq!((found.verdict, found.machines), (Verdict::Different, 40));
    assert!(found.high.unwrap() < 1.0 && found.p_value.unwrap() < 1e-6);
    let fact = &found.facts_explained[0];
    assert_eq!((&*fact.fact, &*fact.value, fact.machines, fact.slow), ("bios", "1.2", 3, 3));
    let apart = found.elsewhere.unwrap();
    assert!(apart.machines == 37 && (apart.effect_ratio - (-0.021f64).exp()).abs() < 0.002, "{apart:?}");
    assert!(found.nodes[..3].iter().all(|it| it.facts["bios"] == "1.2"));
}

/// A program that answers something else may be faster at other work; a machine that is wrong by itself says nothing about two.
#[test]
fn the_second_program_is_held_to_the_answers_of_the_first() {
    let mut draw = Draw::new(8, 0);
    let answer = |command: u16, sha256: &str| NodeAnswer { command, sha256: sha256.to_owned(), runs: 1 };
    let mut judged = |of: &dyn Fn(usize) -> Vec<NodeAnswer>| {
        let record = |at: usize| NodeRecord { answers: of(at), ..pair(at + 3, 0.021, &mut draw) };
        let records = (0..12).map(record).collect();
        let evidence =
            FleetEvidence { commands: vec!["a".into(), "b".into()], records, ..FleetEvidence::default() };
        fleet_compare(&evidence, &question())
    };
    assert_eq!(judged(&|_| vec![answer(0, "x"), answer(1, "x")]).answers_differ, None);
    assert_eq!(judged(&|_| vec![answer(0, "x")]).answers_differ, None);
    let found = judged(&|_| vec![answer(0, "x"), answer(1, "y")]).answers_differ.unwrap();
    assert_eq!((found.machines, found.of), (12, 12));
    // A single machine is wrong about B, and is blamed for it.
    let found = judged(&|at| vec![answer(0, "x"), answer(1, if at == 4 { "y" } else { "x" })]);
    assert_eq!((found.answers_differ, found.machines), (None, 11));
}

#[test]
fn the_same_program_is_called_different_as_rarely_as_asked() {
    let mut draw = Draw::new(6, 0);
    let mut different = || {
        let records = (0..12).map(|at| pair(at + 3, 0.0, &mut draw)).collect();
        let evidence =
            FleetEvidence { commands: vec!["a".into(), "b".into()], records, ..FleetEvidence::default() };
        fleet_compare(&evidence, &question()).verdict == Verdict::Different
    };
    let wrong = (0..200).filter(|_| different()).count();
    // 5 % of 200 is 10; three standard deviations are 9.
    assert!(wrong <= 19, "{wrong}");
}

/// Two programs on a number of machines with this many blocks each, of which B takes so many times as long in a share of its
/// runs.
fn sometimes_slow(machines: usize, blocks: u32, (share, times): (f64, f64), seed: u64) -> FleetEvidence {
    let mut draw = Draw::new(seed, 3);
    let mut record = |at: usize| {
        let own = 1e8 * (0.05 * draw.normal()).exp();
        let block = |_| {
            let slow = if draw.uniform() < share { times } else { 1.0 };
            let mut run = |times: f64| Some((own * times * (0.002 * draw.normal()).exp()) as u64);
            let values = vec![run(slow), run(1.0)];
            NodeBlock {
                started_ns: 0,
                commands: vec![1, 0],
                values: BTreeMap::from([("wall".to_owned(), values)]),
            }
        };
        NodeRecord { node: name(at), blocks: (0..blocks).map(block).collect(), ..NodeRecord::default() }
    };
    let records = (0..machines).map(&mut record).collect();
    FleetEvidence { commands: vec!["a".into(), "b".into()], records, ..FleetEvidence::default() }
}

#[test]
fn a_program_that_is_slow_now_and_then_is_not_equivalent_on_a_fleet() {
    for seed in 0..10 {
        let found = fleet_compare(&sometimes_slow(12, 40, (0.1, 10.0), seed), &question());
        assert_eq!(found.verdict, Verdict::Different, "{seed}: {found:?}");
        assert!(found.difference_in.contains(&DifferenceIn::Tail), "{:?}", found.difference_in);
        let tail = found.tail.unwrap();
        assert_eq!((tail.side, tail.share_a), (Some(Side::B), 0.0), "{tail:?}");
        assert!(tail.low < 0.1 && 0.05 < tail.share_b && tail.share_b < 0.16, "{tail:?}");
        let mean = found.mean.unwrap();
        // A tenth of the runs takes ten times as long: 1.9 times the mean, of which the cap shows 1.05.
        assert!(mean.plain_ratio > 1.5 && (1.02..1.08).contains(&mean.ratio), "{mean:?}");
        assert!(mean.capped[0] == 0 && mean.capped[1] > 20, "{mean:?}");
    }
}

#[test]
fn the_same_program_is_the_same_as_a_whole_where_the_runs_are_enough() {
    let same = |blocks, seed| fleet_compare(&sometimes_slow(12, blocks, (0.0, 1.0), seed), &question());
    let whole = (0..20).filter(|&seed| same(40, seed).extent == Some(Extent::Whole)).count();
    assert!(whole >= 17, "{whole}");
    // 24 runs of each exclude no three in a hundred that are slow.
    let few = same(2, 1);
    assert_ne!(few.extent, Some(Extent::Whole), "{few:?}");
    assert!(few.tail.unwrap().excess_excluded > 0.03);
}

#[test]
fn one_machine_is_no_verdict() {
    let mut draw = Draw::new(6, 0);
    let records = vec![pair(9, 0.5, &mut draw), record("lame", &[], &[1000])];
    let found = fleet_compare(&fleet(records), &question());
    assert_eq!((found.verdict, found.machines, found.low), (Verdict::Inconclusive, 1, None));
    assert!(found.nodes[1].reason.is_some());
}

/// Visits of one machine: noise, and a step from a visit on.
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

/// From a visit on slow runs double the mean and leave the median as it is.
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
