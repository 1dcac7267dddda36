//! Sentences about comparisons in which readings are only bounds, or cover only a part of the command.

use fauxplat_model::{Bound, BoundedEffect, Comparison, Metric, Verdict, is_no_bound};

use crate::relation::relation;
use crate::words::{change, percent, round_percent};

/// The verdict of a comparison in which some readings are bounds, in sentences: the conclusion from the bounds, their
/// cause, and a remedy.
pub(crate) fn sentence(comparison: &Comparison, bounded: BoundedEffect, a: &str, b: &str) -> String {
    let of = match (bounded.a, bounded.b) {
        (true, true) => format!("readings of {a} and of {b} are bounds"),
        (true, false) => format!("readings of {a} are bounds"),
        _ => format!("readings of {b} are bounds"),
    };
    let metric = comparison.metric.title();
    let cure = cure(comparison.metric);
    match (comparison.verdict, at_least(comparison)) {
        (Verdict::Different, Some(amount)) => {
            let relation = relation(comparison, comparison.effect_ratio > 1.0);
            let level = round_percent(1.0 - comparison.level);
            format!("{b} {relation} {a} by at least {amount} (at {level}): {of}. {cure}")
        }
        (Verdict::Different, None) => {
            format!(
                "{b} and {a} differ in some of their runs in {metric}, by an unknown amount: {of}. {cure}"
            )
        }
        _ => format!("{b} against {a}: inconclusive in {metric}, since {of}. {cure}"),
    }
}

/// The least size of the difference as a share; `None` if the bounds give none.
fn at_least(comparison: &Comparison) -> Option<String> {
    let end = match comparison.bounded?.effect? {
        Bound::AtLeast => comparison.ci_low_ratio,
        _ => comparison.ci_high_ratio,
    };
    let is_beyond = (end > 1.0) == (comparison.effect_ratio > 1.0) && end != 1.0;
    (comparison.verdict == Verdict::Different && is_beyond).then(|| percent((end - 1.0).abs()))
}

/// The effect in a table or in one line, if it is known as a bound; `None` for other comparisons.
pub(crate) fn effect(comparison: &Comparison) -> Option<String> {
    let bounded = comparison.bounded?;
    let none = || "unknown".to_owned();
    if comparison.verdict != Verdict::Different {
        return Some(none());
    }
    Some(match bounded.effect {
        Some(Bound::AtLeast) => format!("at least {}", change(comparison.ci_low_ratio)),
        Some(Bound::AtMost) => format!("at most {}", change(comparison.ci_high_ratio)),
        _ => none(),
    })
}

/// An interval of ratios as changes with `between` between its ends, such as `+1.00 % to +3.00 %`. An end that is no
/// bound is left out: `at least +1.00 %`, `at most +3.00 %` or `no bound yet`.
pub fn interval_of_changes(low: f64, high: f64, between: &str) -> String {
    match (is_no_bound(low), is_no_bound(high)) {
        (false, false) => format!("{}{between}{}", change(low), change(high)),
        (false, true) => format!("at least {}", change(low)),
        (true, false) => format!("at most {}", change(high)),
        (true, true) => "no bound yet".to_owned(),
    }
}

/// Sentence about why readings of a metric are bounds, and how to obtain values.
fn cure(metric: Metric) -> &'static str {
    match metric == Metric::PEAK_MEMORY {
        true => {
            "Without CAP_NET_ADMIN a reading of peak memory is at least the size of fauxplat's own helper; as root the \
             program's own peak is measured."
        }
        false => "A bound limits the value on one side only.",
    }
}

/// Sentence to append to the verdict of a comparison whose readings cover only the first thread of each command; empty
/// for others.
pub(crate) fn of_first_thread(comparison: &Comparison) -> &'static str {
    match comparison.first_thread {
        true => {
            " This covers only the first thread of each command, not its other threads and processes; as root all are \
             read."
        }
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::NO_BOUND_LOG;

    use super::*;
    use crate::words::spaced;

    #[test]
    fn an_end_that_is_no_bound_is_no_number() {
        let [no_low, no_high] = [(-NO_BOUND_LOG).exp(), NO_BOUND_LOG.exp()];
        let said = |low, high| spaced(&interval_of_changes(low, high, " to "));
        assert_eq!(said(1.01, 1.03), "+1.00 % to +3.00 %");
        assert_eq!(said(1.01, no_high), "at least +1.00 %");
        assert_eq!(said(no_low, 1.03), "at most +3.00 %");
        assert_eq!(said(no_low, no_high), "no bound yet");
    }
}
