//! The evidence for a verdict, for full reports: its test, slow runs, other metrics, the variance, dropped pairs.

use fauxplat_model::{
    Comparison, DifferenceIn, Dropped, DroppedReason, RunFindings, Secondary, VarianceBudget,
};

use super::is_baseline;
use crate::tables::titled;
use crate::words::{TIE, change, counted, listed, p_value, percent};

/// Correlation between successive pairs above which they are clearly dependent.
const AUTOCORRELATION_HIGH: f64 = 0.2;

/// Name of the test that gives the p-value.
pub(super) fn test(comparison: &Comparison) -> &'static str {
    match (is_baseline(comparison), comparison.anytime) {
        (true, _) => "permutation test",
        (false, true) => "e-process",
        (false, false) => "sign-flip test",
    }
}

/// Sentence with the p-value of the test, and the interval of the bootstrap as a second opinion.
pub(crate) fn tests(comparison: &Comparison) -> String {
    let gives = match comparison.replication {
        None => format!("The {} gives", test(comparison)),
        Some(_) => {
            "Sign-flip test over all pairs and Student's t over the sessions, the larger p-value:".into()
        }
    };
    if comparison.bounded.is_some() {
        return format!("{gives} {}.", p_value(comparison.p_value));
    }
    format!(
        "{gives} {}; bootstrap interval (BCa) {} to {}.",
        p_value(comparison.p_value),
        change(comparison.bootstrap_low_ratio),
        change(comparison.bootstrap_high_ratio)
    )
}

/// Sentences about the ratio of the means, which includes slow runs, and about the frequency of much slower runs.
pub(crate) fn slow_runs(comparison: &Comparison) -> Option<String> {
    let ends = |[low, high]: [f64; 2]| format!("{} to {}", percent(low), percent(high));
    let mean = comparison.mean.map(|mean| {
        format!("Means: {} ({} to {}).", change(mean.ratio), change(mean.low_ratio), change(mean.high_ratio))
    });
    // If typical runs differ, a pair beyond the typical range is no sign of slow runs.
    let is_typical = comparison.effect_ratio.ln().abs() <= (1.0 + comparison.margin).ln();
    let Some(tail) = comparison.tail.as_ref().filter(|_| is_typical) else { return mean };
    let beside = match comparison.difference_in.contains(&DifferenceIn::Typical) {
        true => "Beside the typical difference, the second command",
        false => "The second command",
    };
    Some(format!(
        "{}{}{beside} was higher by more than {} in {} of the pairs ({}), the first in {} ({}).",
        mean.as_deref().unwrap_or_default(),
        if mean.is_some() { " " } else { "" },
        percent(tail.threshold_ratio - 1.0),
        percent(tail.share_b),
        ends(tail.share_b_interval),
        percent(tail.share_a),
        ends(tail.share_a_interval),
    ))
}

/// Sentence about the metrics that do not decide: those that changed, or that none did; `None` if there are none.
pub(crate) fn secondary(comparison: &Comparison) -> Option<String> {
    let moved = |it: &&Secondary| it.different;
    let phrase = |it: &Secondary| {
        let interval = format!("{} to {}", change(it.ci_low_ratio), change(it.ci_high_ratio));
        let title = titled(it.metric, it.first_thread);
        format!("{title} {} ({interval}, {})", change(it.effect_ratio), p_value(it.p_adjusted))
    };
    let moved: Vec<String> = comparison.secondary.iter().filter(moved).map(phrase).collect();
    let tested = comparison.secondary.len();
    match (tested, moved.is_empty()) {
        (0, _) => None,
        (_, true) => {
            Some(format!("No other metric could be shown to move ({tested} tested, Holm-adjusted)."))
        }
        (_, false) => Some(format!("Also moved ({tested} tested, Holm-adjusted): {}.", listed(&moved))),
    }
}

/// Sentences about the sources of the variance of a pair; a single sentence for runs that are not paired.
pub(crate) fn budget(comparison: &Comparison) -> Vec<String> {
    let budget = &comparison.variance;
    if is_baseline(comparison) {
        let (sd, order) = (percent(budget.pair_sd), percent(budget.order));
        return vec![format!(
            "Variance of one run against another (standard deviation {sd}): drift {order}."
        )];
    }
    vec![parts(budget), positions(budget)]
}

fn parts(budget: &VarianceBudget) -> String {
    let part = |name: &str, share: f64| format!("{name} {}", percent(share));
    let mut parts = Vec::new();
    parts.extend(budget.layout.map(|share| part("layout", share)));
    parts.extend(budget.process.map(|share| part("process", share)));
    parts.push(part("order and drift", budget.order));
    parts.push(part("residual", budget.residual));
    format!("Variance of a pair (standard deviation {}): {}.", percent(budget.pair_sd), listed(&parts))
}

fn positions(budget: &VarianceBudget) -> String {
    let high = match budget.autocorrelation > AUTOCORRELATION_HIGH {
        true => ", so neighbouring pairs resemble each other",
        false => "",
    };
    format!(
        "Second position against first: {} (95{TIE}% interval {} to {}); lag-1 autocorrelation {:.2}{high}.",
        change(budget.position_ratio),
        change(budget.position_low_ratio),
        change(budget.position_high_ratio),
        budget.autocorrelation,
    )
}

/// Sentence about the dropped pairs and the reasons, and whether so many were dropped that the result is doubtful.
pub(crate) struct Guard {
    pub(crate) sentence: String,
    pub(crate) is_warning: bool,
}

pub(crate) fn guard(comparison: &Comparison) -> Option<Guard> {
    let total = comparison.pairs + comparison.dropped_pairs;
    if comparison.dropped_pairs == 0 {
        return None;
    }
    let reason = |it: &Dropped| format!("{} {}", it.pairs, reason(it.reason));
    let reasons: Vec<String> = comparison.dropped.iter().map(reason).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", listed(&reasons)) };
    let is_warning = comparison.dropped_pairs * 10 > total;
    let doubt = match (is_warning, comparison.pairs) {
        (false, _) => "",
        (true, 0) => ", so that none is left",
        (true, _) if is_of_readings(comparison) => {
            ": more than a tenth, so the figures rest on the pairs that could be measured"
        }
        (true, _) => ": more than a tenth, so the verdict rests on the calmer pairs",
    };
    let sentence = format!("{} of {total}{TIE}pairs were dropped{reasons}{doubt}.", comparison.dropped_pairs);
    Some(Guard { sentence, is_warning })
}

/// Words about the failed runs of a command, whose name in the text is `name`; `None` if no run failed.
pub(crate) fn failed(found: &RunFindings, name: &str) -> Option<String> {
    let runs = counted(found.failures, "run", "runs");
    (found.failures > 0).then(|| format!("{runs} failed: {name}"))
}

/// Whether most of the dropped pairs lack a reading, which says nothing about disturbances.
fn is_of_readings(comparison: &Comparison) -> bool {
    let lacks = |it: &&Dropped| matches!(it.reason, DroppedReason::FailedRun | DroppedReason::NotMeasured);
    let lacking: usize = comparison.dropped.iter().filter(lacks).map(|it| it.pairs).sum();
    lacking * 2 > comparison.dropped_pairs
}

fn reason(reason: DroppedReason) -> &'static str {
    match reason {
        DroppedReason::FailedRun => "for a failed run",
        DroppedReason::NotMeasured => "for a run in which the metric was not measured",
        DroppedReason::HeavySteal => "for heavy steal",
        DroppedReason::MigrationStorm => "for a migration storm",
        DroppedReason::Preempted => "because other programs held the CPU",
        DroppedReason::Throttled => "for throttling",
    }
}
