//! `compare`: the verdict agrees with the described programs, however the machine disturbs both commands alike.

use fauxplat_launch::simulated::{Behaviour, Machine, Mode, Neighbour, Times};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, Phase, Rule, StoppedBy, Verdict};
use fauxplat_store::State;

use crate::support::{Laboratory, MS, free, noisy, verdict};

fn pair(a_ns: f64, b_ns: f64) -> Vec<Behaviour> {
    vec![noisy("a", a_ns), noisy("b", b_ns)]
}

#[test]
fn equal_commands_are_equivalent() {
    let laboratory = Laboratory::new();
    let finished = laboratory.compare(free(), Machine::quiet(1, pair(5.0 * MS, 5.0 * MS)));
    laboratory.is_sound(&finished, State::Finished);
    let (verdict, ratio) = verdict(&finished);
    assert_eq!(verdict, Verdict::Equivalent);
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
}

#[test]
fn three_percent_are_found_with_their_sign_in_long_and_in_short_runs() {
    for median_ns in [5.0 * MS, 0.2 * MS] {
        for share in [1.03, 1.0 / 1.03] {
            let laboratory = Laboratory::new();
            let programs = pair(median_ns, share * median_ns);
            let finished = laboratory.compare(free(), Machine::quiet(2, programs));
            laboratory.is_sound(&finished, State::Finished);
            let (verdict, ratio) = verdict(&finished);
            assert_eq!(verdict, Verdict::Different, "{share} of {median_ns}");
            let Findings::Compare(found) = finished.record().findings else { unreachable!() };
            let (low, high) = (found.comparisons[0].ci_low_ratio, found.comparisons[0].ci_high_ratio);
            assert!((low..=high).contains(&share) && (low..=high).contains(&ratio), "{low} {ratio} {high}");
            assert_eq!(found.comparisons[0].stopped_by, StoppedBy::Verdict);
            assert_eq!(found.winner, Some(if share > 1.0 { 0 } else { 1 }));
            // The comparison stops at a verdict, and reports no more pairs than there were.
            let measured = |one: &&fauxplat_model::Sample| one.phase == Phase::Measured;
            let runs = finished.record().samples.iter().filter(measured).count();
            assert!(found.comparisons[0].pairs * 2 <= runs && runs <= 2 * 128, "{runs}");
        }
    }
}

#[test]
fn several_commands_are_compared_with_the_first() {
    let laboratory = Laboratory::new();
    let programs = vec![noisy("a", 5.0 * MS), noisy("b", 5.0 * MS), noisy("c", 6.0 * MS)];
    let finished = laboratory.compare(free(), Machine::quiet(1, programs));
    laboratory.is_sound(&finished, State::Finished);
    let Findings::Compare(found) = finished.record().findings else { panic!("no comparison") };
    let verdicts: Vec<_> = found.comparisons.iter().map(|one| (one.b.as_str(), one.verdict)).collect();
    assert_eq!(verdicts, [("b", Verdict::Equivalent), ("c", Verdict::Different)]);
}

/// Machines that disturb both commands alike.
fn disturbed(programs: Vec<Behaviour>) -> Vec<(&'static str, Machine)> {
    let neighbour = Some(Neighbour { stay_ns: 700_000_000, share: 0.4, slowdown: 1.4 });
    let quiet = Machine::quiet(3, programs);
    vec![
        ("drift", Machine { drift_per_s: 0.05, ..quiet.clone() }),
        ("neighbour", Machine { neighbour, ..quiet }),
    ]
}

#[test]
fn what_the_machine_does_to_both_makes_no_difference() {
    for (name, machine) in disturbed(pair(5.0 * MS, 5.0 * MS)) {
        let laboratory = Laboratory::new();
        let finished = laboratory.compare(free(), machine);
        laboratory.is_sound(&finished, State::Finished);
        let (verdict, ratio) = verdict(&finished);
        assert_ne!(verdict, Verdict::Different, "{name}");
        assert!((ratio - 1.0).abs() < 0.03, "{name}: {ratio}");
    }
}

#[test]
fn what_the_machine_does_to_both_hides_no_difference() {
    for (name, machine) in disturbed(pair(5.0 * MS, 6.0 * MS)) {
        let laboratory = Laboratory::new();
        let finished = laboratory.compare(free(), machine);
        let (verdict, ratio) = verdict(&finished);
        assert_eq!(verdict, Verdict::Different, "{name}");
        assert!((ratio / 1.2 - 1.0).abs() < 0.05, "{name}: {ratio}");
    }
}

#[test]
fn two_modes_of_equal_share_are_no_difference() {
    let mode = Some(Mode { ratio: 1.3, share: 0.3 });
    let program = |name: &str| Behaviour::new(name, Times { mode, ..Times::noisy(5.0 * MS, 0.01) });
    let laboratory = Laboratory::new();
    let machine = Machine::quiet(4, vec![program("a"), program("b")]);
    let finished = laboratory.compare(free(), machine);
    laboratory.is_sound(&finished, State::Finished);
    assert_ne!(verdict(&finished).0, Verdict::Different);
}

/// A command that leaves caches dirty slows the next run down, also if that is a run of the same command. Among runs
/// that follow a run of the same command, the dirty command is therefore slower, although the clean command is slow
/// after the dirty one.
#[test]
fn what_a_run_leaves_to_the_next_turns_no_sign_and_is_named() {
    let dirty = || Behaviour { carry_over: 0.05, ..noisy("dirty", 5.0 * MS) };
    for (programs, truth) in [
        (vec![dirty(), noisy("clean", 5.0 * MS)], 1.0 / 1.05),
        (vec![noisy("clean", 5.0 * MS), dirty()], 1.05),
    ] {
        let laboratory = Laboratory::new();
        let finished = laboratory.compare(free(), Machine::quiet(5, programs));
        laboratory.is_sound(&finished, State::Finished);
        let Findings::Compare(found) = finished.record().findings else { panic!("no comparison") };
        let comparison = &found.comparisons[0];
        assert_eq!(comparison.verdict, Verdict::Different);
        assert!((comparison.effect_ratio / truth - 1.0).abs() < 0.01, "{}", comparison.effect_ratio);
        let carried = comparison.carry_over.expect("each command ran twice in a row");
        assert!(carried.is_shown && carried.decides, "{carried:?}");
        assert!((carried.after_itself.ratio - 1.0).signum() != (carried.after_another.ratio - 1.0).signum());
    }
}

/// With single runs in a block (`--order ab`), each command is measured after both commands, so carry-over is not seen.
#[test]
fn the_order_of_single_runs_does_not_see_what_is_left() {
    let dirty = Behaviour { carry_over: 0.05, ..noisy("dirty", 5.0 * MS) };
    let rule = Rule { order: fauxplat_model::Order::Ab, ..Rule::default() };
    let laboratory = Laboratory::new();
    let definition = Definition { rule, ..free() };
    let finished = laboratory.compare(definition, Machine::quiet(5, vec![dirty, noisy("clean", 5.0 * MS)]));
    let Findings::Compare(found) = finished.record().findings else { panic!("no comparison") };
    assert!(found.comparisons[0].effect_ratio > 1.0 && found.comparisons[0].carry_over.is_none());
}

#[test]
fn a_limit_of_pairs_or_of_time_leaves_it_open() {
    let noise = |name: &str| Behaviour::new(name, Times::noisy(5.0 * MS, 0.2));
    let rules = [
        (Rule { max_pairs: 12, ..Rule::default() }, StoppedBy::MaxPairs),
        (Rule { max_time_s: Some(0.1), ..Rule::default() }, StoppedBy::MaxTime),
    ];
    for (rule, by) in rules {
        let laboratory = Laboratory::new();
        let definition = Definition { rule, ..free() };
        let finished = laboratory.compare(definition, Machine::quiet(6, vec![noise("a"), noise("b")]));
        laboratory.is_sound(&finished, State::Finished);
        let Findings::Compare(found) = finished.record().findings else { panic!("no comparison") };
        assert_eq!(
            (found.comparisons[0].verdict, found.comparisons[0].stopped_by),
            (Verdict::Inconclusive, by)
        );
        assert!(found.comparisons[0].pairs <= 12, "{by:?}");
    }
}

/// Many comparisons of equal commands on machines with drift and neighbours: false differences are no more frequent
/// than the level permits.
#[test]
fn false_differences_stay_below_the_level() {
    const MACHINES: u64 = 120;
    let neighbour = Some(Neighbour { stay_ns: 300_000_000, share: 0.3, slowdown: 1.1 });
    let level = 0.05;
    let differs = |seed: &u64| {
        let quiet = Machine::quiet(*seed, pair(5.0 * MS, 5.0 * MS));
        let machine = Machine { drift_per_s: 0.01, neighbour, ..quiet };
        let rule = Rule { level, max_pairs: 40, ..Rule::default() };
        let finished = Laboratory::new().compare(Definition { rule, seed: Some(*seed), ..free() }, machine);
        verdict(&finished).0 == Verdict::Different
    };
    let false_verdicts = (0..MACHINES).filter(differs).count() as f64;
    // Three standard errors above the level; the seeds are fixed, so the result does not vary.
    let allowed = level * MACHINES as f64;
    assert!(false_verdicts <= allowed + 3.0 * (allowed * (1.0 - level)).sqrt(), "{false_verdicts}");
}
