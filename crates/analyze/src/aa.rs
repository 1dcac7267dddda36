//! Calibration: computes error rates and power from many finished comparisons.

use fauxplat_model::{AaStratum, Comparison, Metric, PowerResult, RivalCount, Sample, Verdict};
use fauxplat_stats::describe::mean;
use fauxplat_stats::distribution::{clopper_pearson_lower, clopper_pearson_upper};
use fauxplat_stats::rivals;

use crate::analysed::counts;
use crate::summary::readings;

/// The part of a finished comparison that a calibration uses: a few dozen bytes, so that samples need not be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Verdict of the rule of `compare` in the first metric.
    pub verdict: Verdict,
    /// Verdict of the rule of `compare` over all its metrics: *different* if any metric is, since the error level holds
    /// for all of them together.
    pub family: Verdict,
    /// Number of pairs of runs until the verdict.
    pub pairs: usize,
    pub effect_ratio: f64,
    pub margin: f64,
    /// Verdicts of the rules of other tools, in the order of [`rivals::ALL`]: whether the rule calls the commands
    /// different, given as many runs as its tool would have made; `None` if fewer were measured.
    pub rivals: Vec<Option<bool>>,
}

impl Finished {
    /// Extracts the figures from the comparison of command 0 with command 1, and applies the rules of [`rivals::ALL`]
    /// to `samples`, which include the extra runs that these rules need.
    pub fn new(comparison: &Comparison, samples: &[Sample], ignore_failure: bool) -> Self {
        Finished {
            verdict: comparison.verdict,
            family: comparison.verdict,
            pairs: comparison.pairs,
            effect_ratio: comparison.effect_ratio,
            margin: comparison.margin,
            rivals: rival_verdicts(samples, comparison.metric, ignore_failure),
        }
    }

    /// Includes in `family` the verdicts of `others`, which are the comparisons of the same commands in the other
    /// metrics.
    pub fn and(self, others: &[Comparison]) -> Self {
        let any = |verdict| self.verdict == verdict || others.iter().any(|other| other.verdict == verdict);
        let family = [Verdict::Different, Verdict::Inconclusive].into_iter().find(|&verdict| any(verdict));
        Finished { family: family.unwrap_or(Verdict::Equivalent), ..self }
    }
}

/// Returns for each rule in [`rivals::ALL`] whether it calls commands 0 and 1 different, given about as many measured
/// runs as its tool would have made; `None` if there are fewer.
pub fn rival_verdicts(samples: &[Sample], metric: Metric, ignore_failure: bool) -> Vec<Option<bool>> {
    let of = |command| {
        let (values, walls) = (
            readings(samples, command, metric, ignore_failure),
            readings(samples, command, Metric::WALL, ignore_failure),
        );
        (values.len() == walls.len()).then_some((values, walls))
    };
    let both = of(0).zip(of(1));
    let judge = |rival: &rivals::Rival| {
        let ((a, a_walls), (b, b_walls)) = both.as_ref()?;
        let (of_a, of_b) = (rival.runs(a_walls)?, rival.runs(b_walls)?);
        Some((rival.rule)(&a[..of_a], &b[..of_b]))
    };
    rivals::ALL.iter().map(judge).collect()
}

/// Number of runs that each command needs in addition to its measured ones, so that every rule in [`rivals::ALL`] has
/// enough.
pub fn runs_for_rivals(samples: &[Sample], ignore_failure: bool) -> u32 {
    let of = |command| {
        let ours =
            samples.iter().filter(|sample| sample.command == command && counts(sample, ignore_failure));
        let walls: Vec<f64> =
            ours.filter_map(|sample| sample.get(Metric::WALL)).map(|wall_ns| wall_ns as f64).collect();
        let usual_ns = mean(&walls).unwrap_or(0.0).max(1.0);
        let wanted =
            |rival: &rivals::Rival| (rival.time_ns / usual_ns * 1.05).ceil().max(rival.runs_min as f64);
        rivals::ALL.iter().map(wanted).fold(0.0, f64::max) - walls.len() as f64
    };
    f64::max(of(0), of(1)).clamp(0.0, f64::from(RUNS_FOR_RIVALS_MAX)) as u32
}

/// Maximum number of extra runs of a command for [`rivals::ALL`]. A program of half a millisecond would otherwise need
/// too many.
const RUNS_FOR_RIVALS_MAX: u32 = 10_000;

/// Confidence of the bounds of all rates.
const CONFIDENCE: f64 = 0.95;

/// Counts the verdicts of comparisons of identical programs under one disturbance, where every *different* is false.
/// The bound of the rate is over the comparisons that ended in *different* or *equivalent*, since a rule that never
/// decides would otherwise have no false verdicts at all. With several metrics, a single false *different* makes the
/// comparison false.
pub fn aa_stratum(name: &str, finished: &[Finished]) -> AaStratum {
    let count = |verdict| finished.iter().filter(|one| one.family == verdict).count();
    let (false_verdicts, equivalent) = (count(Verdict::Different), count(Verdict::Equivalent));
    let rival = |(index, rival): (usize, &rivals::Rival)| {
        let judged: Vec<bool> =
            finished.iter().filter_map(|one| one.rivals.get(index).copied().flatten()).collect();
        RivalCount {
            rule: rival.name.to_owned(),
            comparisons: judged.len(),
            false_verdicts: judged.iter().filter(|&&different| different).count(),
        }
    };
    AaStratum {
        name: name.to_owned(),
        comparisons: finished.len(),
        false_verdicts,
        equivalent,
        inconclusive: count(Verdict::Inconclusive),
        rate_upper_95: clopper_pearson_upper(false_verdicts, false_verdicts + equivalent, CONFIDENCE),
        pairs_mean: pairs_mean(finished),
        rivals: rivals::ALL.iter().enumerate().map(rival).filter(|rival| rival.comparisons > 0).collect(),
    }
}

/// Counts the verdicts of comparisons of programs whose times differ by the factor `true_ratio`, B over A.
pub fn power_result(stratum: &str, true_ratio: f64, finished: &[Finished]) -> PowerResult {
    let different = || finished.iter().filter(|one| one.verdict == Verdict::Different);
    let right = |one: &&Finished| (one.effect_ratio > 1.0) == (true_ratio > 1.0);
    let found = different().filter(right).count();
    let logs: Vec<f64> = finished.iter().map(|one| one.effect_ratio.ln()).collect();
    let equivalent = |one: &&Finished| one.verdict == Verdict::Equivalent;
    // *Equivalent* is wrong for a true ratio beyond the margin, and also for one at the margin. The tolerance covers
    // only rounding errors, since `true_ratio` is set exactly.
    let is_beyond = |one: &&Finished| true_ratio.ln().abs() >= one.margin.ln_1p() - 1e-9;
    let false_equivalent = finished.iter().filter(equivalent).filter(is_beyond).count();
    let beyond = finished.iter().filter(is_beyond).count();
    PowerResult {
        stratum: stratum.to_owned(),
        true_ratio,
        comparisons: finished.len(),
        found,
        found_lower_95: clopper_pearson_lower(found, finished.len(), CONFIDENCE),
        wrong_sign: different().count() - found,
        equivalent: finished.iter().filter(equivalent).count(),
        false_equivalent,
        false_equivalent_upper_95: (beyond > 0)
            .then(|| clopper_pearson_upper(false_equivalent, beyond, CONFIDENCE)),
        pairs_mean: pairs_mean(finished),
        effect_mean_ratio: mean(&logs).unwrap_or(0.0).exp(),
    }
}

fn pairs_mean(finished: &[Finished]) -> f64 {
    mean(&finished.iter().map(|one| one.pairs as f64).collect::<Vec<_>>()).unwrap_or(0.0)
}
