//! Tests of summaries, of the rule that stops at a precision, of baselines and of calibrations.

#[path = "support/jitter.rs"]
mod jitter;
#[path = "support/rule.rs"]
mod rule;
#[path = "support/mod.rs"]
mod support;

use fauxplat_analyze::{
    Baseline, Finished, aa_stratum, baseline_findings, power_result, precise_enough, run_findings, summarize,
};
use fauxplat_model::{Grade, Metric, Outcome, Phase, Rule, Sample, Verdict};
use jitter::jitter;
use rule::rule;
use support::run;

fn runs(walls: &[u64]) -> Vec<Sample> {
    walls.iter().zip(0..).map(|(&wall, n)| run(n, 0, 0, &[(Metric::WALL, wall)])).collect()
}

/// A time in nanoseconds with skewed noise as in run times: exponential, above a floor of 5 ms.
fn skewed(index: u32, salt: u32) -> u64 {
    let u = (jitter(index, salt) + 1.0) / 2.0;
    (5e6 * (1.0 - 0.02 * (1.0 - u).max(1e-9).ln())) as u64
}

#[test]
fn failed_and_unmeasured_runs_are_left_out_of_summaries_and_counted() {
    let mut samples = runs(&[10, 20, 30, 40, 1000, 7]);
    samples[4].outcome = Outcome::Signaled(9);
    samples[5].phase = Phase::Warmup;
    samples[1].left_behind = 2;
    let summary = summarize(&samples, 0, Metric::WALL, false).unwrap();
    assert_eq!((summary.n, summary.median, summary.min, summary.max), (4, 25.0, 10.0, 40.0));
    assert_eq!(summarize(&samples, 0, Metric::WALL, true).unwrap().n, 5);
    assert_eq!(summarize(&samples, 1, Metric::WALL, false), None);
    let findings = &run_findings(&samples, 1, false)[0];
    assert_eq!((findings.failures, findings.runs_with_left_behind, findings.summaries.len()), (1, 1, 1));
}

#[test]
fn one_run_and_equal_runs_have_summaries() {
    let one = summarize(&runs(&[5]), 0, Metric::WALL, false).unwrap();
    assert_eq!((one.median, one.interval(), one.sd, one.outliers), (5.0, None, 0.0, 0));
    let equal = summarize(&runs(&[5; 40]), 0, Metric::WALL, false).unwrap();
    assert_eq!((equal.interval(), equal.sd, equal.outliers), (Some([5.0, 5.0]), 0.0, 0));
}

#[test]
fn precise_enough_is_not_hasty() {
    assert!(precise_enough(&runs(&[1000; 12]), 0, Metric::WALL, 0.01, false));
    assert!(!precise_enough(&runs(&[1000; 11]), 0, Metric::WALL, 0.01, false));
    assert!(!precise_enough(&runs(&[1000; 13]), 0, Metric::WALL, 0.01, false), "13 is between two looks");
    let wide: Vec<u64> = (0..12).map(|n| 1000 + 40 * n).collect();
    assert!(!precise_enough(&runs(&wide), 0, Metric::WALL, 0.01, false));
    assert!(!precise_enough(&[], 0, Metric::WALL, 0.01, false));
}

#[test]
fn the_median_is_within_the_asked_precision_of_the_truth_when_it_stops() {
    // The true median of the skewed noise is 1 + 0.02 ln 2 times the floor.
    let truth = 5e6 * (1.0 + 0.02 * 2f64.ln());
    let mut missed = 0;
    let experiments = 400;
    for experiment in 0..experiments {
        let mut samples = Vec::new();
        while !precise_enough(&samples, 0, Metric::WALL, 0.01, false) {
            let n = samples.len() as u32;
            samples.push(run(n, 0, 0, &[(Metric::WALL, skewed(n, experiment + 1))]));
            assert!(n < 5000, "it never ends");
        }
        let median = summarize(&samples, 0, Metric::WALL, false).unwrap().median;
        missed += u32::from((median / truth - 1.0).abs() > 0.01);
    }
    assert!(missed <= experiments / 20, "{missed} of {experiments}");
}

#[test]
fn a_baseline_is_weaker_than_a_pair_and_says_so() {
    let values: Vec<f64> = (0..40).map(|n| skewed(n, 1) as f64).collect();
    let findings =
        run_findings(&runs(&values.iter().map(|&v| v as u64).collect::<Vec<_>>()), 1, false).remove(0);
    let baseline = Baseline { name: "stored", values: &values, findings: &findings };
    let compare = |factor: f64| {
        let walls: Vec<u64> = (0..40).map(|n| (skewed(n, 2) as f64 * factor) as u64).collect();
        baseline_findings(&rule(), baseline, &runs(&walls), "now", false, None, 1)
    };
    let same = compare(1.0);
    assert_ne!(same.findings.comparisons[0].verdict, Verdict::Different);
    assert_eq!(same.findings.comparisons[0].grade, Grade::AgainstBaseline);
    assert!(same.warnings[0].contains("not interleaved"));
    let slower = compare(1.1);
    let shown = &slower.findings.comparisons[0];
    assert_eq!((shown.verdict, slower.findings.winner), (Verdict::Different, Some(0)));
    assert!(shown.ci_low_ratio > 1.05 && shown.ci_high_ratio < 1.15);
    assert_eq!(slower.findings.commands.len(), 2);
}

/// Page faults of 50 runs, of which four in five have none. Runs without faults are analysed too.
#[test]
fn readings_of_zero_are_readings() {
    let rule = Rule { metric: Metric::MAJOR_FAULTS, ..rule() };
    let values: Vec<f64> = (0..50).map(|n| if n % 5 == 0 { 10.0 } else { 0.0 }).collect();
    let findings = run_findings(&[], 1, false).remove(0);
    let baseline = Baseline { name: "stored", values: &values, findings: &findings };
    let now: Vec<Sample> = (0..50).map(|n| run(n, 0, 0, &[(Metric::MAJOR_FAULTS, 1)])).collect();
    let shown =
        baseline_findings(&rule, baseline, &now, "now", false, None, 1).findings.comparisons.remove(0);
    // All runs have one fault, while most of the baseline's have none; half a fault is added to every reading, so
    // typical runs are 1.5 against 0.5.
    assert!(shown.effect_ratio > 1.0 && shown.pairs == 50, "{shown:?}");
    let zeros = [0.0; 8];
    let levels = [&zeros[..], &zeros[..], &zeros[..]];
    assert!(fauxplat_analyze::SessionLevels::of(Metric::MAJOR_FAULTS, levels).is_some());
}

#[test]
fn a_session_that_wanders_makes_a_baseline_inconclusive() {
    let drifting: Vec<f64> = (0..64).map(|n| skewed(n, 1) as f64 * (1.0 + 0.1 * f64::from(n / 16))).collect();
    let findings = run_findings(&[], 1, false).remove(0);
    let baseline = Baseline { name: "stored", values: &drifting, findings: &findings };
    let walls: Vec<u64> = (0..64).map(|n| skewed(n, 2)).collect();
    let judged = baseline_findings(&rule(), baseline, &runs(&walls), "now", false, None, 1);
    assert_eq!(judged.findings.comparisons[0].verdict, Verdict::Inconclusive);
}

#[test]
fn an_empty_baseline_is_inconclusive() {
    let findings = run_findings(&[], 1, false).remove(0);
    let baseline = Baseline { name: "stored", values: &[], findings: &findings };
    let judged = baseline_findings(&rule(), baseline, &runs(&[5, 6]), "now", false, None, 1);
    let shown = &judged.findings.comparisons[0];
    assert_eq!(shown.verdict, Verdict::Inconclusive);
    assert!(shown.effect_ratio.is_finite() && shown.ci_high_ratio.is_finite() && shown.p_value.is_finite());
}

#[test]
fn calibrations_count_verdicts_and_rivals() {
    let finished = |verdict, effect_ratio| Finished {
        verdict,
        family: verdict,
        pairs: 20,
        effect_ratio,
        margin: 0.01,
        rivals: vec![Some(true), None],
    };
    let all = [
        finished(Verdict::Different, 1.02),
        finished(Verdict::Different, 0.98),
        finished(Verdict::Equivalent, 1.001),
        finished(Verdict::Inconclusive, 1.0),
    ];
    let stratum = aa_stratum("plain", &all);
    assert_eq!((stratum.false_verdicts, stratum.equivalent, stratum.inconclusive), (2, 1, 1));
    // Two of the three comparisons that were decided are false, which gives the bound 1 − 0.05^(1/3). An inconclusive
    // comparison is not decided.
    assert!((stratum.rate_upper_95 - 0.983_0).abs() < 1e-3, "{}", stratum.rate_upper_95);
    // A rule of another tool that never had enough runs is left out, rather than counted as right.
    assert_eq!((stratum.rivals.len(), stratum.rivals[0].false_verdicts, stratum.pairs_mean), (1, 4, 20.0));
    let power = power_result("plain", 1.01, &all);
    assert_eq!((power.found, power.wrong_sign, power.equivalent), (1, 1, 1));
    assert_eq!(power.false_equivalent, 1, "at the margin itself it is false");
    assert!((power.found_lower_95 - 0.012_7).abs() < 1e-3, "{}", power.found_lower_95);
    let within = power_result("plain", 1.005, &all);
    assert_eq!((within.equivalent, within.false_equivalent, within.false_equivalent_upper_95), (1, 0, None));
    let silent = aa_stratum("plain", &[finished(Verdict::Inconclusive, 1.0)]);
    assert_eq!((silent.false_verdicts, silent.rate_upper_95), (0, 1.0), "no answer shows nothing");
    let empty = aa_stratum("plain", &[]);
    assert_eq!((empty.rate_upper_95, empty.pairs_mean), (1.0, 0.0));
}
