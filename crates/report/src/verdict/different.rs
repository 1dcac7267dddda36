//! Clauses about the difference of two commands: typically, in some runs, on average.

use fauxplat_model::{Comparison, DifferenceIn, GateState, MeanRatio, Metric, Side, Tail, Unit};

use super::{
    interval, is_apart, is_beyond, is_mean_shown, is_of_means, is_speed, is_within, margin, mean_interval,
    mean_without_verdict,
};
use crate::relation::{is_time, relation};
use crate::words::{change, percent};

/// Ratio from which on a difference is also given as a factor, which is then easier to understand than per cents.
const FACTOR_FROM: f64 = 1.5;

/// The clause for the verdict *different*: the difference, and its parts (typical runs, slow runs, means) if they
/// disagree.
pub(super) fn clause(comparison: &Comparison, a: &str, b: &str) -> String {
    if comparison.is_told_by_its_mean() {
        return in_the_mean(comparison, a, b);
    }
    let (Some(tail), Some(side)) = (&comparison.tail, comparison.tail_side()) else {
        return typically(comparison, a, b);
    };
    let slow = slower_now_and_then(comparison, tail, side, [a, b]);
    if !is_typical(comparison) {
        let mean = comparison.mean.and_then(|it| match is_mean_shown(comparison) {
            true => Some(format!("; means: {} ({})", change(it.ratio), mean_interval(comparison, &it))),
            false if is_apart(it.low_ratio, it.high_ratio) => {
                Some(format!("; means, {}", mean_without_verdict(comparison, &it)))
            }
            false => None,
        });
        let mean = mean.unwrap_or_default();
        return format!(
            "{b} and {a} differ in some of their runs: {slow}; typical runs: {} ({}){mean}",
            change(comparison.effect_ratio),
            interval(comparison)
        );
    }
    let typically = typically(comparison, a, b);
    match (side == Side::B) == (comparison.effect_ratio > 1.0) {
        true => format!("{typically}, and in some runs by more: beside that, {slow}"),
        // Slow runs are counted relative to the typical difference, so only a threshold beyond that difference implies
        // runs with the opposite sign.
        false if tail.threshold_ratio.ln() > comparison.effect_ratio.ln().abs() => {
            format!("{typically}, but in some runs the other way: beside that, {slow}")
        }
        false => format!("{typically}, but in some runs by less: {}", by_less(tail, side)),
    }
}

/// Clause about the shares of the pairs whose difference is much smaller, or much larger, than the typical difference.
fn by_less(tail: &Tail, side: Side) -> String {
    let (less, more) = match side {
        Side::A => (tail.share_a, tail.share_b),
        Side::B => (tail.share_b, tail.share_a),
    };
    let beyond = percent(tail.threshold_ratio - 1.0);
    format!(
        "in {} of the pairs by more than {beyond} less than typically, and in {} by as much more",
        percent(less),
        percent(more)
    )
}

/// Whether the figure that decides (typical pair or mean ratio) is different itself, and not only the slow runs.
fn is_typical(comparison: &Comparison) -> bool {
    let main = if is_of_means(comparison) { DifferenceIn::Mean } else { DifferenceIn::Typical };
    comparison.difference_in.contains(&main)
}

/// Whether B is higher than A. If the estimate is exactly equality, the interval decides.
fn is_higher(comparison: &Comparison) -> bool {
    comparison.effect_ratio > 1.0 || comparison.effect_ratio == 1.0 && comparison.ci_low_ratio >= 1.0
}

/// Whether [`clause`] names the metric already, as for metrics other than times.
pub(super) fn names_the_metric(comparison: &Comparison) -> bool {
    let is_in_tail_alone = comparison.difference_in.contains(&DifferenceIn::Tail) && !is_typical(comparison);
    !is_time(comparison.metric) && !is_in_tail_alone
}

fn typically(comparison: &Comparison, a: &str, b: &str) -> String {
    let ratio = comparison.effect_ratio;
    let amount = percent((ratio - 1.0).abs());
    let factor = factor(comparison.metric, ratio).map_or_else(String::new, |factor| format!(", {factor}"));
    let relation = relation(comparison, is_higher(comparison));
    let average = if is_of_means(comparison) { " on average" } else { "" };
    let within = match comparison.beyond_margin {
        Some(false) => format!(", within the margin of ±{}", margin(comparison)),
        _ => String::new(),
    };
    let mean = comparison.mean.filter(|_| !is_of_means(comparison));
    let mean = mean.and_then(|mean| unlike(comparison, &mean)).unwrap_or_default();
    format!("{b} {relation} {a} by {amount}{factor}{average}{within} ({}){mean}", interval(comparison))
}

/// Clause about the mean, if it disagrees with typical runs: on the other side, not significant, or beyond the margin
/// while typical runs are within it or the reverse. A mean without a verdict of its own is given and not claimed.
/// Beside a gate that is not decided, the clause also names a mean whose estimate lies beyond the margin.
fn unlike(comparison: &Comparison, mean: &MeanRatio) -> Option<String> {
    let &Comparison { effect_ratio: effect, margin, ci_low_ratio: low, ci_high_ratio: high, .. } = comparison;
    let shown = mean_interval(comparison, mean);
    let is_other_side = (mean.ratio > 1.0) != (effect > 1.0);
    if is_apart(mean.low_ratio, mean.high_ratio) {
        let is_open = comparison.gate.is_some_and(|gate| gate.state == GateState::Undecided)
            && is_beyond(mean.ratio, mean.ratio, margin);
        let parts =
            is_open || is_beyond(mean.low_ratio, mean.high_ratio, margin) != is_beyond(low, high, margin);
        let does = on_average_words(comparison, mean.ratio);
        return match (is_other_side, parts) {
            (false, false) => None,
            _ if !is_mean_shown(comparison) => {
                Some(format!("; means, {}", mean_without_verdict(comparison, mean)))
            }
            (true, _) => Some(format!(", but {does} on average ({shown})")),
            (false, true) => Some(format!(", and {does} on average ({shown})")),
        };
    }
    let is_within = is_within(mean.low_ratio, mean.high_ratio, margin);
    let is_far = is_other_side && is_beyond(mean.ratio, mean.ratio, margin);
    match (is_within, is_far || effect < mean.low_ratio || effect > mean.high_ratio) {
        (true, _) => Some(format!(", while means are alike: {} ({shown})", change(mean.ratio))),
        (false, true) => {
            Some(format!(", while the means are indistinguishable: {} ({shown})", change(mean.ratio)))
        }
        _ => None,
    }
}

/// Clause about a difference of means that typical runs do not share.
fn in_the_mean(comparison: &Comparison, a: &str, b: &str) -> String {
    let Some(mean) = comparison.mean else { return typically(comparison, a, b) };
    let alike = match is_within(comparison.ci_low_ratio, comparison.ci_high_ratio, comparison.margin) {
        true => "alike",
        false => "indistinguishable",
    };
    format!(
        "{b} {} on average than {a} ({}), while typical runs are {alike}: {} ({})",
        on_average_words(comparison, mean.ratio),
        mean_interval(comparison, &mean),
        change(comparison.effect_ratio),
        interval(comparison)
    )
}

/// A difference of means in words, such as `takes 12 % longer` or `has 3 % more peak memory`.
pub(super) fn on_average_words(comparison: &Comparison, ratio: f64) -> String {
    let (metric, amount, more) = (comparison.metric, percent((ratio - 1.0).abs()), ratio > 1.0);
    match metric.unit() {
        _ if is_time(metric) => format!("takes {amount} {}", if more { "longer" } else { "less time" }),
        Unit::MicroPerSecond | Unit::Millionth => {
            format!("has a {} {amount} {}", metric.title(), if more { "higher" } else { "lower" })
        }
        Unit::Count => format!("has {amount} {} {}", if more { "more" } else { "fewer" }, metric.title()),
        Unit::Nanos | Unit::Bytes => {
            format!("has {amount} {} {}", if more { "more" } else { "less" }, metric.title())
        }
    }
}

/// The verdict in a few words for tables, if only the mean differs.
pub(super) fn on_average(comparison: &Comparison) -> &'static str {
    let is_more = comparison.mean.is_some_and(|mean| mean.ratio > 1.0);
    match (is_speed(comparison.metric), comparison.b_is_better(), is_more) {
        (true, true, _) => "faster on average",
        (true, false, _) => "slower on average",
        (false, _, true) => "more on average",
        (false, _, false) => "less on average",
    }
}

/// Clause about slow runs: how much slower they are, and which command has more of them.
fn slower_now_and_then(comparison: &Comparison, tail: &Tail, side: Side, [a, b]: [&str; 2]) -> String {
    let (slow, other, more, less) = match side {
        Side::B => (b, a, tail.share_b, tail.share_a),
        Side::A => (a, b, tail.share_a, tail.share_b),
    };
    let beyond = percent(tail.threshold_ratio - 1.0);
    let (more, less) = (percent(more), percent(less));
    let relation = if is_time(comparison.metric) { "slower" } else { "higher" };
    format!(
        "{slow} was {relation} than {other} by more than {beyond} in {more} of the pairs, and {other} than {slow} in {less}"
    )
}

/// A large ratio in words, such as `2.80 times as fast`; `None` for a ratio nearer to one than [`FACTOR_FROM`].
pub(super) fn factor(metric: Metric, ratio: f64) -> Option<String> {
    let is_large = ratio.is_finite() && ratio > 0.0 && !(1.0 / FACTOR_FROM..FACTOR_FROM).contains(&ratio);
    let words = match (is_time(metric), ratio > 1.0) {
        (true, true) => format!("{ratio:.2} times as long"),
        (true, false) => format!("{:.2} times as fast", 1.0 / ratio),
        (false, _) if metric.more_is_better() => format!("{ratio:.2} times as fast"),
        (false, _) => format!("{ratio:.2} times as much"),
    };
    is_large.then_some(words)
}
