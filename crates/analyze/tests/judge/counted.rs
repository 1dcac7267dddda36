//! Tests with exact counts, which are equal in every run of a command.

use fauxplat_model::Comparison;

use super::*;

/// A comparison of two commands that have these counts in every run.
fn counted(counts: [u64; 2]) -> Comparison {
    let rule = Rule { metric: Metric::MAJOR_FAULTS, ..rule() };
    let count = |n: u32, command: u16| {
        run(n, command, command, &[(Metric::MAJOR_FAULTS, counts[usize::from(command)])])
    };
    let judge_of_counts = Judge::new(&rule, 2, 1).counted(true);
    judge(judge_of_counts, 2, |n| vec![count(n, 0), count(n, 1)]).0.findings.comparisons.swap_remove(0)
}

#[test]
fn something_against_nothing_is_beyond_any_margin() {
    for (counts, is_better) in [([0, 1], false), ([1, 0], true)] {
        let shown = counted(counts);
        assert_eq!((shown.verdict, shown.beyond_margin), (Verdict::Different, Some(true)), "{counts:?}");
        assert!(shown.is_different_beyond_margin() && shown.b_is_better() == is_better, "{shown:?}");
    }
    assert_eq!(counted([0, 0]).verdict, Verdict::Equivalent);
    assert_eq!(counted([1000, 1001]).beyond_margin, Some(false));
}
