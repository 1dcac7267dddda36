//! Sentences about the extent of an equivalence: typical runs, means, spreads, and the share of slow runs.

use fauxplat_model::{Comparison, Extent, Grade, SpreadChange, Tail, Verdict};

use super::{Said, end, interval, is_apart, is_of_means, margin, mean_without_verdict};
use crate::relation::is_time;
use crate::words::percent;

/// The words of the verdict *equivalent*: the equality as far as it was shown, and the questions that are still open.
pub(super) fn said(comparison: &Comparison, a: &str, b: &str) -> Said {
    let (margin, interval) = (margin(comparison), interval(comparison));
    match (comparison.extent, &comparison.tail) {
        (Some(_), Some(tail)) if is_of_means(comparison) => Said {
            main: format!(
                "The means of {a} and {b} are equivalent: they differ by at most ±{margin} ({interval})"
            ),
            more: vec![slow_runs(comparison, tail)],
        },
        (Some(Extent::Whole), Some(tail)) => Said::only(as_a_whole(comparison, tail, a, b)),
        (Some(Extent::Typical), Some(tail)) => Said {
            main: format!(
                "Typical runs of {a} and {b} are equivalent: they differ by at most ±{margin} ({interval})"
            ),
            more: beside_typical(comparison, tail, a, b),
        },
        _ => {
            let are = if comparison.grade == Grade::AgainstBaseline { "look" } else { "are" };
            Said::only(format!(
                "{a} and {b} {are} equivalent: the difference is within ±{margin} ({interval})"
            ))
        }
    }
}

/// The clause for equivalence as a whole: of means and spreads, too. Documents of earlier versions bound neither.
fn as_a_whole(comparison: &Comparison, tail: &Tail, a: &str, b: &str) -> String {
    let (margin, interval) = (margin(comparison), interval(comparison));
    let (much, beyond) = (much_slower(comparison), percent(tail.threshold_ratio - 1.0));
    let slow = format!(
        "neither is {much} (by more than {beyond}) in {} more of its runs",
        percent(tail.excess_excluded)
    );
    if comparison.mean_verdict != Verdict::Equivalent {
        return format!(
            "{a} and {b} are equivalent: typical runs differ by at most ±{margin} ({interval}), and {slow}"
        );
    }
    let spread = match comparison.spread {
        Some(_) => ", spreads are alike,",
        None => "",
    };
    format!(
        "{a} and {b} are equivalent as a whole: typical runs ({interval}) and means differ by at most ±{margin}{spread} and \
         {slow}"
    )
}

/// Sentences about means, spreads and slow runs when typical runs are equal: bounded or open.
fn beside_typical(comparison: &Comparison, tail: &Tail, a: &str, b: &str) -> Vec<String> {
    let mean = mean(comparison);
    let spread = comparison.spread.as_ref().map(|it| spread(it, a, b));
    [Some(slow_runs(comparison, tail)), mean, spread].into_iter().flatten().collect()
}

fn slow_runs(comparison: &Comparison, tail: &Tail) -> String {
    let (beyond, excluded) = (percent(tail.threshold_ratio - 1.0), percent(tail.excess_excluded));
    let much = much_slower(comparison);
    match tail.excess_excluded <= tail.margin {
        true => format!(
            "Neither command is {much} (by more than {beyond}) in {excluded} more of its runs than the other."
        ),
        false => format!(
            "It is possible that one command is {much} (by more than {beyond}) in up to {excluded} more of its runs."
        ),
    }
}

fn much_slower(comparison: &Comparison) -> &'static str {
    if is_time(comparison.metric) { "much slower" } else { "much higher" }
}

/// Sentence that the mean is or is not bounded, or the mean without a verdict; `None` in documents of earlier versions,
/// which have only a plain interval.
fn mean(comparison: &Comparison) -> Option<String> {
    let margin = margin(comparison);
    let Some(mean) = comparison.mean else {
        return Some(format!("The difference of means is not bounded by ±{margin} yet."));
    };
    let interval = format!("{} to {}", end(mean.low_ratio), end(mean.high_ratio));
    mean.cap?;
    Some(match comparison.mean_verdict {
        Verdict::Equivalent => format!("Means differ by at most ±{margin} too ({interval})."),
        _ if is_apart(mean.low_ratio, mean.high_ratio) => {
            format!("Means, {}.", mean_without_verdict(comparison, &mean))
        }
        _ => format!("The difference of means is not bounded by ±{margin} yet: {interval}."),
    })
}

/// Sentence about how much two successive runs of each command differ.
pub(super) fn spread(spread: &SpreadChange, a: &str, b: &str) -> String {
    let (more, less) = if spread.difference > 0.0 { (b, a) } else { (a, b) };
    // The medians of the commands need not differ in the direction of the median difference; they are omitted then.
    let of_each = spread.of_each.filter(|[a, b]| (b > a) == (spread.difference > 0.0));
    match (spread.verdict, of_each) {
        (Verdict::Equivalent, _) => "Runs of both commands scatter equally.".to_owned(),
        (Verdict::Inconclusive, _) => "The difference in scatter is not bounded yet.".to_owned(),
        (Verdict::Different, None) => format!("Runs of {more} scatter more than those of {less}."),
        (Verdict::Different, Some([a, b])) => format!(
            "Runs of {more} scatter more: two in a row differ by {}, those of {less} by {}.",
            percent(a.max(b)),
            percent(a.min(b))
        ),
    }
}
