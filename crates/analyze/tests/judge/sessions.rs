//! Tests of comparisons in several sessions.

use fauxplat_analyze::SessionCost;
use fauxplat_model::GateQuestion;

use super::*;

/// Findings over sessions of twenty blocks each, in which the second command takes `factors` times as long as the
/// first.
fn over_sessions(factors: &[f64]) -> Judged {
    in_sessions((factors.len() as u32, 20), 2, |n| block(n, &[1.0, factors[n as usize / 20]]))
}

/// Findings over `sessions` sessions of `blocks` blocks each, which `next` makes.
pub(super) fn in_sessions(
    (sessions, blocks): (u32, u32),
    commands: usize,
    next: impl Fn(u32) -> Vec<Sample>,
) -> Judged {
    let mut judge = Judge::new(&rule(), commands, 1).in_sessions();
    let mut samples = Vec::new();
    for session in 0..sessions {
        for number in 0..blocks {
            let block = next(blocks * session + number);
            assert_eq!(judge.block(&block), Decision::GoOn, "nothing is looked at before the end");
            samples.extend(block);
        }
        judge.end_session(SessionCost { pairs_s: 0.2, outside_s: 0.1 });
    }
    judge.findings(&samples, &names(commands), StoppedBy::MaxPairs)
}

#[test]
fn each_session_counts_once() {
    let turns = over_sessions(&[1.02, 0.98, 1.02, 0.981, 1.019, 0.98]);
    let shown = &turns.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.grade), (Verdict::Inconclusive, Grade::Replicated));
    let same = over_sessions(&[1.02, 1.021, 1.019, 1.02]);
    let shown = &same.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.stopped_by), (Verdict::Different, StoppedBy::MaxPairs));
    assert_eq!(same.findings.winner, Some(0));
    assert!(shown.p_value < 0.01 && shown.ci_low_ratio > 1.0, "{shown:?}");
    // Two sessions leave one degree of freedom, so their pairs are analysed as if they were of one session.
    let two = over_sessions(&[1.02, 1.021]);
    let shown = &two.findings.comparisons[0];
    assert_eq!((shown.grade, shown.replication.is_none()), (Grade::WithinSession, true));
}

/// The change that a measurement in several sessions finds with a probability of 90 % is larger than the half width of
/// the interval. Both depend on the variation between sessions, and shrink with more sessions.
#[test]
fn what_would_be_found_fits_the_interval_of_the_sessions() {
    let asked = |factors: &[f64]| {
        let rule = Rule { gate: Some(GateQuestion::Slower), ..rule() };
        let mut judge = Judge::new(&rule, 2, 1).in_sessions();
        let mut samples = Vec::new();
        for (session, factor) in factors.iter().enumerate() {
            for number in 0..20 {
                let block = block(20 * session as u32 + number, &[1.0, *factor]);
                judge.block(&block);
                samples.extend(block);
            }
            judge.end_session(SessionCost { pairs_s: 0.2, outside_s: 0.1 });
        }
        let judged = judge.findings(&samples, &names(2), StoppedBy::MaxPairs);
        let shown = judged.findings.comparisons[0].clone();
        let half = 0.5 * (shown.ci_high_ratio.ln() - shown.ci_low_ratio.ln());
        (half, shown.gate.unwrap().detectable.unwrap().ln_1p() - shown.margin)
    };
    let (half, found) = asked(&[1.00, 1.004, 0.997]);
    assert!(found > half && found < 2.0 * half, "{half} {found}");
    let (_, less) = asked(&[1.00, 1.004, 0.997, 1.00, 1.004, 0.997]);
    assert!(less < 0.5 * found, "{less} {found}");
}
