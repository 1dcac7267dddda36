//! Calibration: from many finished comparisons to false rates and power.

use fauxplat_model::{AaStratum, Comparison, Metric, PowerResult, RivalCount, Sample, Verdict};
use fauxplat_stats::describe::mean;
use fauxplat_stats::distribution::clopper_pearson_upper;
use fauxplat_stats::rivals;

use crate::summary::readings;

/// What one finished comparison contributes to a calibration. It takes a few dozen bytes, so that samples need not be
/// kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// What our rule said.
    pub verdict: Verdict,
    /// Pairs that it took.
    pub pairs: usize,
    /// The estimated effect, B over A.
    pub effect_ratio: f64,
    /// What each rival's rule said about the same samples, in the order of [`rivals::ALL`].
    pub rivals: Vec<bool>,
}

impl Finished {
    /// From the comparison of command 0 with command 1 and its samples.
    pub fn new(comparison: &Comparison, samples: &[Sample]) -> Self {
        Finished {
            verdict: comparison.verdict,
            pairs: comparison.pairs,
            effect_ratio: comparison.effect_ratio,
            rivals: rival_verdicts(samples, comparison.metric),
        }
    }
}

/// What each rival's rule says about the successful measured runs of commands 0 and 1, in the order of
/// [`rivals::ALL`].
pub fn rival_verdicts(samples: &[Sample], metric: Metric) -> Vec<bool> {
    let a = readings(samples, 0, metric, false);
    let b = readings(samples, 1, metric, false);
    rivals::ALL.iter().map(|(_, rule)| rule(&a, &b)).collect()
}

/// One stratum: comparisons of identical programs.
pub fn aa_stratum(name: &str, finished: &[Finished]) -> AaStratum {
    let count = |verdict| finished.iter().filter(|one| one.verdict == verdict).count();
    let false_verdicts = count(Verdict::Different);
    let rival = |(index, &(rule, _)): (usize, &(&str, rivals::Rule))| RivalCount {
        rule: rule.to_owned(),
        comparisons: finished.len(),
        false_verdicts: finished.iter().filter(|one| one.rivals.get(index) == Some(&true)).count(),
    };
    AaStratum {
        name: name.to_owned(),
        comparisons: finished.len(),
        false_verdicts,
        equivalent: count(Verdict::Equivalent),
        inconclusive: count(Verdict::Inconclusive),
        rate_upper_95: clopper_pearson_upper(false_verdicts, finished.len(), 0.95),
        pairs_mean: pairs_mean(finished),
        rivals: rivals::ALL.iter().enumerate().map(rival).collect(),
    }
}

/// Power: comparisons of programs whose work differs by `true_ratio`, B over A.
pub fn power_result(stratum: &str, true_ratio: f64, finished: &[Finished]) -> PowerResult {
    let different = || finished.iter().filter(|one| one.verdict == Verdict::Different);
    let right = |one: &&Finished| (one.effect_ratio > 1.0) == (true_ratio > 1.0);
    let found = different().filter(right).count();
    let logs: Vec<f64> = finished.iter().map(|one| one.effect_ratio.ln()).collect();
    PowerResult {
        stratum: stratum.to_owned(),
        true_ratio,
        comparisons: finished.len(),
        found,
        wrong_sign: different().count() - found,
        equivalent: finished.iter().filter(|one| one.verdict == Verdict::Equivalent).count(),
        pairs_mean: pairs_mean(finished),
        effect_mean_ratio: mean(&logs).unwrap_or(0.0).exp(),
    }
}

fn pairs_mean(finished: &[Finished]) -> f64 {
    mean(&finished.iter().map(|one| one.pairs as f64).collect::<Vec<_>>()).unwrap_or(0.0)
}
