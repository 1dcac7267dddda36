//! Tests of comparisons of two programs on the machines of a fleet.

use std::collections::BTreeMap;

use fauxplat_analyze::fleet::fleet_compare;
use fauxplat_model::{DifferenceIn, Extent, FleetEvidence, NodeAnswer, NodeBlock, NodeRecord, Side, Verdict};
use fauxplat_stats::draw::Draw;

use crate::common::{fleet, question, record};
use crate::fleets::name;

/// Record of a machine with blocks of A and B. B is faster by the share `faster`, except on the first three machines,
/// which have an old BIOS.
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

/// A program with other outputs may be faster because it does other work; a single machine with wrong outputs shows
/// nothing about the programs.
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
    // Only one machine has another output of B, so the machine is at fault.
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
    // At an error level of 5 %, 10 wrong answers in 200 fleets are expected; three standard deviations are 9.
    assert!(wrong <= 19, "{wrong}");
}

/// Data of two programs on `machines` machines with `blocks` blocks each. B takes `times` times as long in the share
/// `share` of its runs.
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
        // A tenth of the runs of B takes ten times as long: the plain mean is 1.9 times as large, the capped mean about
        // 1.05 times.
        assert!(mean.plain_ratio > 1.5 && (1.02..1.08).contains(&mean.ratio), "{mean:?}");
        assert!(mean.capped[0] == 0 && mean.capped[1] > 20, "{mean:?}");
    }
}

#[test]
fn the_same_program_is_the_same_as_a_whole_where_the_runs_are_enough() {
    let same = |blocks, seed| fleet_compare(&sometimes_slow(12, blocks, (0.0, 1.0), seed), &question());
    let whole = (0..20).filter(|&seed| same(40, seed).extent == Some(Extent::Whole)).count();
    assert!(whole >= 17, "{whole}");
    // With 24 runs of each program it cannot be excluded that 3 % of the runs are slow.
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
