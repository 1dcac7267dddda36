//! The verdict of a comparison in words that state what it holds for.

mod beside;
mod different;
mod equivalent;
mod gate;
mod grounds;
mod inconclusive;

use fauxplat_model::{
    Comparison, DifferenceIn, Estimand, ExactCounts, Extent, Grade, MeanRatio, Metric, Scope, Unit, Verdict,
    is_no_bound,
};

use crate::bounded;
use crate::relation::is_time;
use crate::tables::titled;
use crate::words::{change, counted, percent, quantity, round_percent};

pub(crate) use beside::{Beside, Sides, carry_over, findings, waited};
pub(crate) use gate::short as gate;
pub(crate) use grounds::{budget, failed, guard, secondary, slow_runs, tests};

/// Words of a verdict: the main clause, to which the scope is appended, and further sentences.
struct Said {
    main: String,
    more: Vec<String>,
}

impl Said {
    fn only(main: String) -> Self {
        Said { main, more: Vec::new() }
    }
}

/// A verdict in a few sentences, with the answer to a gate at the end. `a` and `b` are the names of the commands in the
/// text.
pub(crate) fn sentence(comparison: &Comparison, a: &str, b: &str) -> String {
    let said = match (comparison.bounded, comparison.exact) {
        (Some(bounded), _) => bounded::sentence(comparison, bounded, a, b),
        (None, Some(counts)) => exactly(comparison, counts, a, b),
        (None, None) => scoped(comparison, a, b),
    };
    let gate = gate::sentence(comparison).map_or_else(String::new, |gate| format!(" {gate}"));
    format!("{said}{}{gate}", bounded::of_first_thread(comparison))
}

/// The verdict in sentences, with its metric, its scope and its time span.
fn scoped(comparison: &Comparison, a: &str, b: &str) -> String {
    let Said { main, more } = match comparison.verdict {
        Verdict::Different => Said::only(different::clause(comparison, a, b)),
        Verdict::Equivalent => equivalent::said(comparison, a, b),
        Verdict::Inconclusive => Said::only(inconclusive::clause(comparison, a, b)),
    };
    let scope = match comparison.scope {
        Scope::Source => "for the source (every block had a layout of its own)",
        Scope::Binaries => "for this pair of binaries (layout was not varied)",
    };
    let reach = reach(comparison);
    let metric = comparison.metric.title();
    let stated = match comparison.verdict {
        Verdict::Inconclusive => format!("{main}. This is about {metric}{reach}, {scope}."),
        Verdict::Different if different::names_the_metric(comparison) => format!("{main}{reach}, {scope}."),
        _ => format!("{main}, in {metric}{reach}, {scope}."),
    };
    let stated = std::iter::once(stated).chain(more).collect::<Vec<_>>().join(" ");
    match comparison.grade {
        Grade::AgainstBaseline => format!(
            "Weaker evidence: {stated} {a} was measured at another time: drift of the machine between the two is not \
             excluded. Only an interleaved comparison can decide."
        ),
        _ => stated,
    }
}

/// The time over which a verdict holds (a session, several sessions), as a part of its sentence; empty against a
/// baseline.
fn reach(comparison: &Comparison) -> String {
    match (comparison.grade, &comparison.replication) {
        (Grade::WithinSession, _) => ", within this session".to_owned(),
        (Grade::Replicated, Some(it)) => format!(", over {} sessions", it.sessions.len()),
        (Grade::Replicated, None) => ", replicated over sessions of this pair".to_owned(),
        (Grade::AgainstBaseline, _) => String::new(),
    }
}

/// The verdict on exact counts, which were equal in every run of a command.
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

/// A verdict in one line: its word, the effect, the interval.
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
    let gate = gate(comparison).map_or_else(String::new, |gate| format!("; {gate}"));
    let title = titled(comparison.metric, comparison.first_thread);
    format!("{b} against {a}: {}{effect}, {title}{gate}{dropped}", word(comparison))
}

/// Words for the change of exact counts; both counts if one is zero, since no ratio describes the change.
fn exact_change(comparison: &Comparison) -> String {
    let count = |count: u64| quantity(comparison.metric, count as f64);
    match comparison.exact.filter(ExactCounts::is_one_zero) {
        Some(counts) => format!(", exactly {} against {}", count(counts.b), count(counts.a)),
        None => format!(", exactly {}", change(comparison.effect_ratio)),
    }
}

/// The margin, such as `1 %`, or `0.83 % (64 KiB)` if it was stated as an amount.
fn margin(comparison: &Comparison) -> String {
    match comparison.margin_absolute {
        None => round_percent(comparison.margin),
        Some(amount) => format!("{} ({})", percent(comparison.margin), quantity(comparison.metric, amount)),
    }
}

/// The margin downwards. A margin is a factor, equal in both directions, so that it does not matter which command is
/// named first: 20 % upwards are 16.7 % downwards.
fn margin_downwards(comparison: &Comparison) -> String {
    let factor = 1.0 + comparison.margin;
    let share = percent(comparison.margin / factor);
    match comparison.margin_absolute {
        None => share,
        Some(amount) => format!("{share} ({})", quantity(comparison.metric, amount / factor)),
    }
}

/// Whether the comparison is decided by means, so that the estimate is the ratio of the means.
fn is_of_means(comparison: &Comparison) -> bool {
    comparison.estimand == Estimand::Mean
}

/// The interval of a ratio of means with its confidence, as text.
fn mean_interval(comparison: &Comparison, mean: &MeanRatio) -> String {
    let level = round_percent(1.0 - comparison.level);
    format!("{level} interval {} to {}", end(mean.low_ratio), end(mean.high_ratio))
}

/// Whether the mean has a verdict of its own that it differs. Its interval alone is none: where typical runs differ,
/// the test of the mean is not made, and elsewhere it may not agree.
fn is_mean_shown(comparison: &Comparison) -> bool {
    comparison.mean_verdict == Verdict::Different || comparison.difference_in.contains(&DifferenceIn::Mean)
}

/// The ratio of the means with its interval, where nothing is concluded about the means.
fn mean_without_verdict(comparison: &Comparison, mean: &MeanRatio) -> String {
    format!("without a verdict: {} ({})", change(mean.ratio), mean_interval(comparison, mean))
}

/// Whether an interval of ratios excludes one, which means equality.
fn is_apart(low: f64, high: f64) -> bool {
    low > 1.0 || high < 1.0
}

/// Whether an interval of ratios lies beyond the margin on one side. The margin is symmetric in logarithms.
fn is_beyond(low: f64, high: f64, margin: f64) -> bool {
    low > 1.0 + margin || high < 1.0 / (1.0 + margin)
}

/// Whether an interval of ratios lies within the margin.
fn is_within(low: f64, high: f64, margin: f64) -> bool {
    low >= 1.0 / (1.0 + margin) && high <= 1.0 + margin
}

/// Whether the interval of the effect has no bound on either side.
fn is_unbounded(comparison: &Comparison) -> bool {
    excludes_nothing(comparison.ci_low_ratio, comparison.ci_high_ratio)
}

/// Whether neither end of an interval of ratios is a bound.
pub(crate) fn excludes_nothing(low: f64, high: f64) -> bool {
    is_no_bound(low) && is_no_bound(high)
}

pub(crate) fn end(ratio: f64) -> String {
    if is_no_bound(ratio) { "no bound".to_owned() } else { change(ratio) }
}

/// The interval of the effect, such as `99 % interval +1.80 % to +2.90 %`.
pub(crate) fn interval(comparison: &Comparison) -> String {
    let level = round_percent(1.0 - comparison.level);
    format!("{level} interval {} to {}", end(comparison.ci_low_ratio), end(comparison.ci_high_ratio))
}

/// Whether A was measured at another time (a baseline), so that there are no pairs.
fn is_baseline(comparison: &Comparison) -> bool {
    comparison.grade == Grade::AgainstBaseline
}

/// The verdict in a few words, for tables.
pub(crate) fn word(comparison: &Comparison) -> &'static str {
    match comparison.verdict {
        Verdict::Equivalent if comparison.first_thread => "equivalent in the first thread",
        Verdict::Equivalent if comparison.extent == Some(Extent::Typical) => "typically equivalent",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Different if comparison.is_told_by_its_tail() => "different in some runs",
        Verdict::Different if comparison.is_told_by_its_mean() => different::on_average(comparison),
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
