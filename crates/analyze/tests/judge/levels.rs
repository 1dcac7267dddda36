//! Tests of low error levels, as each of many comparisons has.

use fauxplat_model::COMPARISON_LEVEL_MIN;

use super::*;

#[test]
fn the_lowest_level_still_shows_what_is_clear() {
    for (level, pairs) in [(1e-3, 64), (1e-4, 64), (COMPARISON_LEVEL_MIN, 64)] {
        let rule = Rule { level, max_pairs: pairs, ..rule() };
        let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| block(n, &[1.0, 2.0]));
        let shown = &judged.findings.comparisons[0];
        assert_eq!(shown.verdict, Verdict::Different, "{level}: {shown:?}");
        assert!(shown.ci_low_ratio > 1.9 && shown.p_value <= level, "{level}: {shown:?}");
    }
}

#[test]
fn that_slow_runs_cannot_be_shown_is_said() {
    let warned = |level: f64| {
        let rule = Rule { level, max_pairs: 32, ..rule() };
        let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| block(n, &[1.0, 1.0]));
        judged.warnings.iter().any(|warning| warning.contains("slow runs"))
    };
    assert!(warned(COMPARISON_LEVEL_MIN) && !warned(1e-3));
}
