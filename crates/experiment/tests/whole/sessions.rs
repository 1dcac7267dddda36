//! `compare --sessions`: an effect of a session on only one of two programs is no difference of the programs.

use fauxplat_launch::simulated::Machine;
use fauxplat_model::document::Findings;
use fauxplat_model::{Comparison, Definition, Grade, Phase, Rule, Sessions, StoppedBy, Verdict};
use fauxplat_store::State;

use crate::support::{Laboratory, MS, free, noisy};

/// A machine on which the second program takes `share` times as long as the first.
fn favouring(share: f64) -> Machine {
    Machine::quiet(11, vec![noisy("a", 5.0 * MS), noisy("b", share * 5.0 * MS)])
}

fn definition(sessions: Option<Sessions>) -> Definition {
    let rule = Rule { sessions, max_pairs: 120, ..Rule::default() };
    Definition { rule, ..free() }
}

fn six() -> Option<Sessions> {
    Some(Sessions { count: 6, gap_s: 0.0 })
}

/// The result of a comparison in which the second program takes these multiples of the first program's time, one for
/// each session.
fn found(sessions: Option<Sessions>, shares: &[f64]) -> Comparison {
    let laboratory = Laboratory::new();
    let machines = shares.iter().map(|&share| favouring(share)).collect();
    let finished = laboratory.compare_on(definition(sessions), machines);
    laboratory.is_sound(&finished, State::Finished);
    let record = finished.record();
    let Findings::Compare(found) = record.findings else { panic!("no comparison") };
    if sessions.is_some() {
        let plans = laboratory.stored().plan.unwrap();
        assert_eq!(plans.as_array().map(Vec::len), Some(6), "each session has draws of its own");
        let runs = record.samples.iter().filter(|one| one.phase == Phase::Measured).count();
        assert_eq!(runs, 2 * 6 * 20, "the limit is shared, and no session ends at a verdict");
    }
    found.comparisons[0].clone()
}

#[test]
fn sessions_that_favour_programs_in_turns_are_no_difference() {
    let turns = [1.03, 0.97, 1.026, 0.975, 1.03, 0.972];
    assert_eq!(found(None, &turns).verdict, Verdict::Different, "one session cannot see it");
    let over = found(six(), &turns);
    assert_eq!((over.verdict, over.grade), (Verdict::Inconclusive, Grade::Replicated));
    assert!(over.ci_low_ratio < 0.98 && over.ci_high_ratio > 1.02, "{over:?}");
    let replication = over.replication.unwrap();
    assert_eq!(replication.sessions.len(), 6);
    assert!((0.02..0.04).contains(&replication.between_sd), "{replication:?}");
    assert!(replication.next_low_ratio < 0.95 && replication.next_high_ratio > 1.05, "{replication:?}");
    assert!(over.pairs_needed.is_none(), "no number of pairs would help");
}

#[test]
fn what_every_session_shows_is_a_difference() {
    let over = found(six(), &[1.05, 1.053, 1.048, 1.05, 1.047, 1.052]);
    assert_eq!((over.verdict, over.grade), (Verdict::Different, Grade::Replicated));
    assert!((over.ci_low_ratio..over.ci_high_ratio).contains(&1.05), "{over:?}");
    assert_ne!(over.stopped_by, StoppedBy::Verdict, "sessions end by their limits alone");
    let replication = over.replication.unwrap();
    assert!(
        replication.next_low_ratio < over.ci_low_ratio,
        "one session is less certain than the mean of six"
    );
    assert!(replication.sessions.iter().all(|session| session.pairs == 20), "{replication:?}");
}

#[test]
fn equal_programs_are_equivalent_over_sessions_too() {
    let over = found(six(), &[1.0]);
    assert_eq!(over.verdict, Verdict::Equivalent, "{over:?}");
}

#[test]
fn a_rule_that_no_sessions_can_follow_is_refused() {
    let check = |count: u32, gap_s: f64, anytime: bool| {
        Rule { sessions: Some(Sessions { count, gap_s }), anytime, ..Rule::default() }.check()
    };
    assert_eq!(check(3, 0.0, false), Ok(()));
    for (count, gap_s, anytime, said) in [
        (2, 0.0, false, "2 is not among 3 to 200"),
        (u32::MAX, 0.0, false, "not among"),
        (5, -1.0, false, "--session-gap"),
        (5, f64::NAN, false, "--session-gap"),
        (5, f64::INFINITY, false, "--session-gap"),
        (5, 0.0, true, "--anytime"),
    ] {
        let refused = check(count, gap_s, anytime).unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
}
