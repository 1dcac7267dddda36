//! The verdict of a comparison in words that state its scope.

use fauxplat_model::{
    Comparison, DifferenceIn, Dropped, DroppedReason, ExactCounts, Extent, Grade, Metric, Scope, Secondary,
    Side, StoppedBy, Tail, Unit, VarianceBudget, Verdict, is_no_bound,
};

use crate::bounded;
use crate::tables::titled;
use crate::words::{TIE, change, counted, listed, p_value, percent, quantity, round_percent};

/// Autocorrelation above which neighbouring pairs are not nearly independent.
const AUTOCORRELATION_HIGH: f64 = 0.2;

/// Ratios from here on are easier to grasp as a factor.
const FACTOR_FROM: f64 = 1.5;

/// A verdict in one or two sentences. `a` and `b` are the names in the text.
pub(crate) fn sentence(comparison: &Comparison, a: &str, b: &str) -> String {
    let sentence = match comparison.bounded {
        Some(bounded) => bounded::sentence(comparison, bounded, a, b),
        None => sentence_of_values(comparison, a, b),
    };
    format!("{sentence}{}", bounded::of_first_thread(comparison))
}

fn sentence_of_values(comparison: &Comparison, a: &str, b: &str) -> String {
    if let Some(counts) = comparison.exact {
        return exactly(comparison, counts, a, b);
    }
    let verdict = match comparison.verdict {
        Verdict::Different => different(comparison, a, b),
        Verdict::Equivalent => equivalent(comparison, a, b),
        Verdict::Inconclusive => inconclusive(comparison, a, b),
    };
    let scope = match comparison.scope {
        Scope::Source => "for the source (every block had a layout of its own)",
        Scope::Binaries => "for this pair of binaries (layout was not varied)",
    };
    let reach = match comparison.grade {
        Grade::WithinSession => ", within this session".to_owned(),
        Grade::Replicated => match &comparison.replication {
            Some(it) => format!(", over {} sessions", it.sessions.len()),
            None => ", replicated over sessions of this pair".to_owned(),
        },
        Grade::AgainstBaseline => String::new(),
    };
    let metric = comparison.metric.title();
    let stated = match comparison.verdict {
        Verdict::Inconclusive => format!("{verdict}. This is about {metric}{reach}, {scope}."),
        // The relation of typical runs has named any other metric already.
        Verdict::Different if !is_time(comparison.metric) && !is_in_tail_alone(comparison) => {
            format!("{verdict}{reach}, {scope}.")
        }
        _ => format!("{verdict}, in {metric}{reach}, {scope}."),
    };
    match comparison.grade {
        Grade::AgainstBaseline => format!(
            "Weaker evidence: {stated} {a} was measured at another time: drift of the machine between the two is not \
             excluded. Only an interleaved comparison can decide."
        ),
        _ => stated,
    }
}

/// The verdict of exact counts, which were the same in each run.
fn exactly(comparison: &Comparison, counts: ExactCounts, a: &str, b: &str) -> String {
    let ExactCounts { a: count_a, b: count_b, runs } = counts;
    let [count_a, count_b] = [count_a, count_b].map(|count| quantity(comparison.metric, count as f64));
    let runs = counted(runs as usize, "run", "runs");
    let metric = comparison.metric.title();
    if comparison.verdict == Verdict::Equivalent {
        return format!("{a} and {b} have the same count of {metric}: {count_a} in each of {runs} of both.");
    }
    let more = if counts.b > counts.a { "more" } else { "fewer" };
    let by = match counts.a.min(counts.b) {
        0 => String::new(),
        _ => format!(" by {}", percent((counts.ratio() - 1.0).abs())),
    };
    let within = match comparison.beyond_margin {
        Some(false) => format!(", within the margin of ±{}", margin(comparison)),
        _ => String::new(),
    };
    format!(
        "{b} has {more} {metric} than {a}{by}{within}: {count_b} against {count_a}, the same in each of {runs} of both."
    )
}

/// A verdict in one line: the word, the effect, its interval.
pub(crate) fn line(comparison: &Comparison, a: &str, b: &str) -> String {
    let effect = match is_unbounded(comparison) {
        _ if comparison.bounded.is_some() => {
            bounded::effect(comparison).map_or_else(String::new, |effect| format!(", difference {effect}"))
        }
        true => String::new(),
        false if comparison.exact.is_some() => exact_change(comparison),
        false => format!(", {} ({})", change(comparison.effect_ratio), interval(comparison)),
    };
    let total = comparison.pairs + comparison.dropped_pairs;
    let dropped = guard(comparison).filter(|guard| guard.is_warning);
    let dropped = dropped
        .map_or_else(String::new, |_| format!("; {} of {total} pairs dropped", comparison.dropped_pairs));
    format!(
        "{b} against {a}: {}{effect}, {}{dropped}",
        word(comparison),
        titled(comparison.metric, comparison.first_thread)
    )
}

/// The change of exact counts; both counts where one is zero, since a ratio cannot show that.
fn exact_change(comparison: &Comparison) -> String {
    let count = |count: u64| quantity(comparison.metric, count as f64);
    match comparison.exact.filter(ExactCounts::is_one_zero) {
        Some(counts) => format!(", exactly {} against {}", count(counts.b), count(counts.a)),
        None => format!(", exactly {}", change(comparison.effect_ratio)),
    }
}

fn is_in_tail_alone(comparison: &Comparison) -> bool {
    comparison.difference_in == [DifferenceIn::Tail]
}

fn different(comparison: &Comparison, a: &str, b: &str) -> String {
    let (Some(tail), Some(side)) = (&comparison.tail, comparison.tail_side()) else {
        return different_typically(comparison, a, b);
    };
    let slow = slower_now_and_then(comparison, tail, side, [a, b]);
    if is_in_tail_alone(comparison) {
        return format!(
            "{b} and {a} differ in some of their runs: {slow}; typical runs: {} ({})",
            change(comparison.effect_ratio),
            interval(comparison)
        );
    }
    let typically = different_typically(comparison, a, b);
    match (side == Side::B) == (comparison.effect_ratio > 1.0) {
        true => format!("{typically}, and in some runs by more: beside that, {slow}"),
        false => format!("{typically}, but in some runs the other way: beside that, {slow}"),
    }
}

fn different_typically(comparison: &Comparison, a: &str, b: &str) -> String {
    let ratio = comparison.effect_ratio;
    let amount = percent((ratio - 1.0).abs());
    let factor = factor(comparison.metric, ratio).map_or_else(String::new, |factor| format!(", {factor}"));
    let relation = relation(comparison, ratio > 1.0);
    let within = match comparison.beyond_margin {
        Some(false) => format!(", within the margin of ±{}", margin(comparison)),
        _ => String::new(),
    };
    format!("{b} {relation} {a} by {amount}{factor}{within} ({})", interval(comparison))
}

/// A sentence about slow runs: their difference, and which command has them.
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

/// A large ratio in words.
fn factor(metric: Metric, ratio: f64) -> Option<String> {
    let is_large = ratio.is_finite() && ratio > 0.0 && !(1.0 / FACTOR_FROM..FACTOR_FROM).contains(&ratio);
    let words = match (is_time(metric), ratio > 1.0) {
        (true, true) => format!("{ratio:.2} times as long"),
        (true, false) => format!("{:.2} times as fast", 1.0 / ratio),
        (false, _) if metric.more_is_better() => format!("{ratio:.2} times as fast"),
        (false, _) => format!("{ratio:.2} times as much"),
    };
    is_large.then_some(words)
}

/// Whether the metric is the command's own time, of which less is faster.
pub(crate) fn is_time(metric: Metric) -> bool {
    [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::CPU].contains(&metric)
}

/// `is slower than`, `has fewer migrations than`; a baseline's claim is put less firmly.
pub(crate) fn relation(comparison: &Comparison, more: bool) -> String {
    let metric = comparison.metric;
    let baseline = comparison.grade == Grade::AgainstBaseline;
    let (is, has) = if baseline { ("measured", "showed") } else { ("is", "has") };
    let title = metric.title();
    match metric.unit() {
        _ if is_time(metric) => format!("{is} {} than", if more { "slower" } else { "faster" }),
        Unit::Nanos | Unit::Bytes => format!("{has} {} {title} than", if more { "more" } else { "less" }),
        Unit::MicroPerSecond | Unit::Millionth => {
            format!("{has} a {} {title} than", if more { "higher" } else { "lower" })
        }
        Unit::Count => format!("{has} {} {title} than", if more { "more" } else { "fewer" }),
    }
}

/// `1 %`, or `0.83 % (64 KiB)` where it was stated as an amount.
fn margin(comparison: &Comparison) -> String {
    match comparison.margin_absolute {
        None => round_percent(comparison.margin),
        Some(amount) => format!("{} ({})", percent(comparison.margin), quantity(comparison.metric, amount)),
    }
}

fn equivalent(comparison: &Comparison, a: &str, b: &str) -> String {
    if let (Some(extent), Some(tail)) = (comparison.extent, &comparison.tail) {
        let (margin, interval) = (margin(comparison), interval(comparison));
        let (beyond, excluded) = (percent(tail.threshold_ratio - 1.0), percent(tail.excess_excluded));
        let much = if is_time(comparison.metric) { "much slower" } else { "much higher" };
        return match extent {
            Extent::Whole => format!(
                "{a} and {b} are equivalent: typical runs differ by at most ±{margin} ({interval}), and neither is {much} \
                 (by more than {beyond}) in {excluded} of its runs more than the other"
            ),
            Extent::Typical => format!(
                "Typical runs of {a} and {b} are equivalent: they differ by at most ±{margin} ({interval}). That one is \
                 {much} (by more than {beyond}) in up to {excluded} of its runs more than the other is not excluded"
            ),
        };
    }
    let are = if comparison.grade == Grade::AgainstBaseline { "look" } else { "are" };
    format!(
        "{a} and {b} {are} equivalent: the difference is within ±{} ({})",
        margin(comparison),
        interval(comparison)
    )
}

fn inconclusive(comparison: &Comparison, a: &str, b: &str) -> String {
    if comparison.pairs == 0 {
        return format!("{b} against {a}: inconclusive, since no pair could be analysed");
    }
    let pairs = match is_baseline(comparison) {
        true => counted(comparison.pairs, "run", "runs"),
        false => counted(comparison.pairs, "pair", "pairs"),
    };
    let needed = match comparison.pairs_needed {
        Some(needed) => format!("; about {needed}{TIE}pairs would decide"),
        None => String::new(),
    };
    let cpu = cpu_time(comparison).map_or_else(String::new, |words| format!("; {words}"));
    format!(
        "{b} against {a}: inconclusive after {pairs}{}: {}{needed}{cpu}",
        limit(comparison),
        doubt(comparison)
    )
}

/// Where wall time leaves the question open, CPU time may answer one of its own.
fn cpu_time(comparison: &Comparison) -> Option<String> {
    let cpu = comparison.secondary.iter().find(|it| it.metric == Metric::CPU)?;
    let ratio = 1.0 + comparison.margin;
    let interval = format!("{} to {}", change(cpu.ci_low_ratio), change(cpu.ci_high_ratio));
    let words = match cpu.different {
        true => format!("CPU time does differ: {} ({interval})", change(cpu.effect_ratio)),
        false if cpu.ci_low_ratio >= 1.0 / ratio && cpu.ci_high_ratio <= ratio => {
            format!("CPU time is equal within ±{} ({interval})", round_percent(comparison.margin))
        }
        false => return None,
    };
    (comparison.metric == Metric::WALL && !is_baseline(comparison)).then_some(words)
}

/// The limit that ended a comparison before it was decided, in brackets.
fn limit(comparison: &Comparison) -> &'static str {
    match comparison.stopped_by {
        // A baseline has no design that could have gone on.
        _ if is_baseline(comparison) => "",
        StoppedBy::MaxPairs => " (the limit)",
        StoppedBy::MaxTime => " (the time limit)",
        StoppedBy::Interrupt => " (interrupted)",
        StoppedBy::Verdict => "",
    }
}

/// Why the interval leaves the question open.
fn doubt(comparison: &Comparison) -> String {
    let &Comparison { ci_low_ratio: low, ci_high_ratio: high, margin, level, .. } = comparison;
    let interval = format!("the {} interval, {} to {},", round_percent(1.0 - level), end(low), end(high));
    let margin_words = self::margin(comparison);
    let contains_none = low <= 1.0 && high >= 1.0;
    // The margin is symmetric in logarithms: swapping A and B must not change the answer.
    let within = low >= 1.0 / (1.0 + margin) && high <= 1.0 + margin;
    match (contains_none, within) {
        _ if is_unbounded(comparison) => "too few pairs for an interval".to_owned(),
        (true, false) => {
            format!("{interval} contains both equality and differences of more than ±{margin_words}")
        }
        (true, true) if !is_baseline(comparison) => {
            format!("{interval} lies within ±{margin_words}, but the tests at its two ends do not both agree")
        }
        (false, _) if low.is_finite() && high.is_finite() => {
            format!(
                "{interval} excludes equality, but the {} ({}) does not",
                test(comparison),
                p_value(comparison.p_value)
            )
        }
        _ => "too few pairs for an interval".to_owned(),
    }
}

/// Whether the interval excludes nothing.
pub(crate) fn is_unbounded(comparison: &Comparison) -> bool {
    is_no_bound(comparison.ci_low_ratio) && is_no_bound(comparison.ci_high_ratio)
}

/// An end of an interval.
pub(crate) fn end(ratio: f64) -> String {
    if is_no_bound(ratio) { "no bound".to_owned() } else { change(ratio) }
}

/// `99 % interval +1.80 % to +2.90 %`.
pub(crate) fn interval(comparison: &Comparison) -> String {
    let level = round_percent(1.0 - comparison.level);
    format!("{level} interval {} to {}", end(comparison.ci_low_ratio), end(comparison.ci_high_ratio))
}

/// Name of the test behind the p-value.
fn test(comparison: &Comparison) -> &'static str {
    match (is_baseline(comparison), comparison.anytime) {
        (true, _) => "permutation test",
        (false, true) => "e-process",
        (false, false) => "sign-flip test",
    }
}

/// Whether A was measured at another time, so that there are no pairs.
fn is_baseline(comparison: &Comparison) -> bool {
    comparison.grade == Grade::AgainstBaseline
}

/// The second opinions: the randomisation test and the bootstrap interval.
pub(crate) fn tests(comparison: &Comparison) -> String {
    let gives = match comparison.replication {
        None => format!("The {} gives", test(comparison)),
        Some(_) => {
            "Sign-flip test over all pairs and Student's t over the sessions, the larger p-value:".into()
        }
    };
    format!(
        "{gives} {}; bootstrap interval (BCa) {} to {}.",
        p_value(comparison.p_value),
        change(comparison.bootstrap_low_ratio),
        change(comparison.bootstrap_high_ratio)
    )
}

/// Means with slow runs included, and how often one was much slower.
pub(crate) fn slow_runs(comparison: &Comparison) -> Option<String> {
    let ends = |[low, high]: [f64; 2]| format!("{} to {}", percent(low), percent(high));
    let mean = comparison.mean.map(|mean| {
        format!("Means: {} ({} to {}).", change(mean.ratio), change(mean.low_ratio), change(mean.high_ratio))
    });
    // Where typical runs differ, a pair beyond the typical range is no sign of slow runs.
    let is_typical = comparison.effect_ratio.ln().abs() <= (1.0 + comparison.margin).ln();
    let Some(tail) = comparison.tail.as_ref().filter(|_| is_typical) else { return mean };
    let beside = match comparison.difference_in.contains(&DifferenceIn::Typical) {
        true => "Beside what is typical, the second",
        false => "The second",
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

/// The metrics that do not decide: those that moved, or that none did.
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

/// Where the variance of a pair comes from, in two sentences; in one where there were no pairs.
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

/// Pairs that the guards dropped, and whether they are too many to trust the rest.
pub(crate) struct Guard {
    pub(crate) sentence: String,
    pub(crate) is_warning: bool,
}

/// Pairs that the guards dropped; `None` if they dropped none.
pub(crate) fn guard(comparison: &Comparison) -> Option<Guard> {
    let total = comparison.pairs + comparison.dropped_pairs;
    if comparison.dropped_pairs == 0 {
        return None;
    }
    let reason = |it: &Dropped| format!("{} {}", it.pairs, reason(it.reason));
    let reasons: Vec<String> = comparison.dropped.iter().map(reason).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", listed(&reasons)) };
    let is_warning = comparison.dropped_pairs * 10 > total;
    let doubt = if is_warning { ": more than a tenth, so the verdict rests on the calmer pairs" } else { "" };
    let sentence = format!("{} of {total}{TIE}pairs were dropped{reasons}{doubt}.", comparison.dropped_pairs);
    Some(Guard { sentence, is_warning })
}

fn reason(reason: DroppedReason) -> &'static str {
    match reason {
        DroppedReason::FailedRun => "for a failed run",
        DroppedReason::NotMeasured => "for a run in which it was not measured",
        DroppedReason::HeavySteal => "for heavy steal",
        DroppedReason::MigrationStorm => "for a migration storm",
        DroppedReason::Preempted => "because other programs held the CPU",
        DroppedReason::Throttled => "for throttling",
    }
}

/// The verdict in one word, for tables.
pub(crate) fn word(comparison: &Comparison) -> &'static str {
    match comparison.verdict {
        Verdict::Equivalent if comparison.first_thread => "equivalent in the first thread",
        Verdict::Equivalent if comparison.extent == Some(Extent::Typical) => "typically equivalent",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Different if comparison.is_told_by_its_tail() => "different in some runs",
        Verdict::Different if comparison.beyond_margin == Some(false) => "different, within the margin",
        Verdict::Different => match (comparison.b_is_better(), comparison.effect_ratio > 1.0) {
            (true, _) if is_speed(comparison.metric) => "faster",
            (false, _) if is_speed(comparison.metric) => "slower",
            (_, true) => "more",
            (_, false) => "less",
        },
    }
}

/// Whether the metric measures the speed of a command, by its time or by its rate of work.
fn is_speed(metric: Metric) -> bool {
    is_time(metric) || metric.unit() == Unit::MicroPerSecond
}
