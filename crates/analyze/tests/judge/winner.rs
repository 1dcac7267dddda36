//! Tests of the fastest command, which is named if it is shown to be faster than the second fastest.

use super::sessions::in_sessions;
use super::*;

#[test]
fn three_commands_share_blocks_and_the_winner_beats_the_runner_up() {
    let (judged, _) = judge(Judge::new(&rule(), 3, 1), 3, |n| block(n, &[1.0, 0.97, 0.9]));
    let findings = &judged.findings;
    assert!(findings.comparisons[..2].iter().all(|shown| shown.verdict == Verdict::Different));
    assert_eq!(findings.winner, Some(2));
    let extra = &findings.comparisons[2];
    assert_eq!((extra.a.as_str(), extra.b.as_str(), extra.verdict), ("new", "third", Verdict::Different));
    let (judged, _) = judge(Judge::new(&rule(), 3, 1), 3, |n| block(n, &[1.0, 0.9, 0.9]));
    assert_eq!((judged.findings.winner, judged.findings.comparisons.len()), (None, 2));
}

/// Typical runs of the third command are a little faster than those of the second, and one in ten of its runs takes
/// twice as long.
#[test]
fn who_is_slower_in_some_runs_does_not_win_by_typical_ones() {
    let slow = |n: u32| if (n * 7 + 3).is_multiple_of(10) { 2.0 } else { 0.998 };
    let findings = in_sessions((4, 60), 3, |n| block(n, &[1.2, 1.0, slow(n)])).findings;
    assert!(findings.comparisons[..2].iter().all(|shown| shown.b_is_better()));
    assert_eq!((findings.winner, findings.comparisons.len()), (None, 2));
}

#[test]
fn pairs_that_the_guards_dropped_do_not_choose_the_winner() {
    let mut judge = Judge::new(&rule(), 3, 1);
    let (mut samples, mut good) = (Vec::new(), 0);
    for number in 0.. {
        // While the control group is throttled, the second command looks like the fastest by far.
        let is_throttled = number % 4 == 3;
        let runs = block(number, if is_throttled { &[1.0, 0.5, 0.9] } else { &[1.0, 0.97, 0.9] });
        samples.extend_from_slice(&runs);
        good += usize::from(!is_throttled);
        let decision = if is_throttled { judge.throttled_block(&runs) } else { judge.block(&runs) };
        if decision == Decision::Stop {
            break;
        }
    }
    let findings = judge.findings(&samples, &names(3), judge.stopped_by()).findings;
    let extra = &findings.comparisons[2];
    assert_eq!((findings.winner, extra.pairs), (Some(2), good));
    assert!((extra.effect_ratio - 0.9 / 0.97).abs() < 0.01, "{}", extra.effect_ratio);
}
