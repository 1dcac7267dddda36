//! Tests of slow runs: which runs count as slow, and which command has more of them.

use fauxplat_model::{Comparison, Side};

use super::sessions::in_sessions;
use super::*;

/// A pair of runs of 50 ms with a noise of at most 0.06 %, multiplied by a factor for A and another for B.
fn quiet(n: u32, [a, b]: [f64; 2]) -> Vec<Sample> {
    let one = |command: u16, factor: f64| {
        let wall = (5e7 * factor * (0.0003 * jitter(n, command.into())).exp()) as u64;
        run(n, command, command, &[(Metric::WALL, wall)])
    };
    vec![one(0, a), one(1, b)]
}

/// The comparison after at most `pairs` pairs.
fn shown(pairs: u32, factors: impl Fn(u32) -> [f64; 2]) -> Comparison {
    let rule = Rule { max_pairs: pairs, ..rule() };
    judge(Judge::new(&rule, 2, 1), 2, |n| quiet(n, factors(n))).0.findings.comparisons.swap_remove(0)
}

/// Whether pair `n` is among `share` of each ten pairs.
fn is_one_of(n: u32, share: u32) -> bool {
    (n * 7 + 3) % 10 < share
}

#[test]
fn what_lies_within_two_margins_is_no_tail_and_opens_no_gate() {
    // B is faster: by less than the margin in most pairs, and by 1.5 % in three of ten pairs.
    let shown = shown(256, |n| [if is_one_of(n, 3) { 1.015 } else { 1.0 }, 0.9998]);
    assert!(!shown.difference_in.contains(&DifferenceIn::Tail), "{shown:?}");
    assert!(!shown.is_different_beyond_margin(), "{shown:?}");
}

#[test]
fn a_tail_keeps_its_side_beside_a_shift_of_the_other() {
    for shift in [1.03, 1.3] {
        // With sessions, the data are looked at once, at the end; otherwise the clear shift would end the comparison
        // before slow runs are found.
        let make = |n: u32| quiet(n, [if is_one_of(n, 1) { 2.0 } else { 1.0 }, shift]);
        let shown = in_sessions((4, 60), 2, make).findings.comparisons.swap_remove(0);
        assert_eq!(shown.difference_in, [DifferenceIn::Typical, DifferenceIn::Tail], "{shown:?}");
        let tail = shown.tail.unwrap();
        assert_eq!(tail.side, Some(Side::A));
        assert!((tail.share_a - 0.1).abs() < 0.03 && tail.share_b == 0.0, "{tail:?}");
        // Typical runs differ by more than the margin, so they decide that A is the better command.
        assert!(shown.effect_ratio > 1.02 && !shown.b_is_better());
    }
}

#[test]
fn slow_runs_alone_say_who_is_better() {
    let shown = shown(512, |n| [if is_one_of(n, 1) { 2.0 } else { 1.0 }, 1.0]);
    assert!(
        shown.is_told_by_its_tail() && shown.is_different_beyond_margin() && shown.b_is_better(),
        "{shown:?}"
    );
    assert_eq!(shown.tail_side(), Some(Side::A));
}
