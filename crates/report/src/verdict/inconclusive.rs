//! Reasons why a comparison is inconclusive.

use fauxplat_model::{Comparison, Metric, StoppedBy};

use super::grounds::test;
use super::{end, is_apart, is_baseline, is_of_means, is_unbounded, is_within, mean_without_verdict};
use crate::words::{TIE, change, counted, p_value, round_percent};

/// The clause for the verdict *inconclusive*: number of pairs, reason, and remedy.
pub(super) fn clause(comparison: &Comparison, a: &str, b: &str) -> String {
    if comparison.pairs == 0 {
        let why = match comparison.stopped_by {
            StoppedBy::MaxTime if comparison.dropped_pairs == 0 => {
                "the time limit was over before the first pair"
            }
            _ => "no pair could be analysed",
        };
        return format!("{b} against {a}: inconclusive, since {why}");
    }
    let pairs = match is_baseline(comparison) {
        true => counted(comparison.pairs, "run", "runs"),
        false => counted(comparison.pairs, "pair", "pairs"),
    };
    let needed = match comparison.pairs_needed {
        Some(needed) => format!("; about {needed}{TIE}pairs would decide"),
        None => String::new(),
    };
    let mean = mean(comparison).map_or_else(String::new, |words| format!("; {words}"));
    let cpu = cpu_time(comparison).map_or_else(String::new, |words| format!("; {words}"));
    format!(
        "{b} against {a}: inconclusive after {pairs}{}: {}{needed}{mean}{cpu}",
        limit(comparison),
        doubt(comparison)
    )
}

/// Clause about the mean, whose interval may exclude equality although typical runs leave the question open; `None` if
/// the interval does not, or if the halves of the session contradict each other.
fn mean(comparison: &Comparison) -> Option<String> {
    let mean = comparison.mean.filter(|it| is_apart(it.low_ratio, it.high_ratio))?;
    let is_trusted = halves(comparison).is_none() && !is_of_means(comparison);
    is_trusted.then(|| format!("means, {}", mean_without_verdict(comparison, &mean)))
}

/// Clause about CPU time, which may differ or be equal although wall time leaves the question open.
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

/// Words in parentheses for the limit that ended a comparison before it was decided; empty if none did.
fn limit(comparison: &Comparison) -> &'static str {
    match comparison.stopped_by {
        // A comparison with a baseline could not have been continued beyond a limit.
        _ if is_baseline(comparison) => "",
        StoppedBy::MaxPairs => " (the limit)",
        StoppedBy::MaxTime => " (the time limit)",
        StoppedBy::Interrupt => " (interrupted)",
        StoppedBy::Verdict => "",
    }
}

/// The halves of the session that contradict each other, with the quantity in which they do; `None` if they do not.
fn halves(comparison: &Comparison) -> Option<String> {
    let of_slow_runs = comparison.tail_halves.map(|[early, late]| {
        format!(
            "large differences came mostly in one half of the session ({} in the early half, {late} in the late one)",
            counted(early, "pair", "pairs")
        )
    });
    let of_pairs = comparison.halves.map(|[early, late]| {
        format!(
            "the means of all pairs, extreme ones capped, do not agree in the early and in the late half of the session \
             ({} against {})",
            change(early),
            change(late)
        )
    });
    of_slow_runs.or(of_pairs)
}

/// The reason why no verdict was reached: contradicting halves of the session, or an interval that is too wide.
fn doubt(comparison: &Comparison) -> String {
    if let Some(halves) = halves(comparison) {
        return format!("{halves}, so no verdict is given");
    }
    let &Comparison { ci_low_ratio: low, ci_high_ratio: high, margin, level, .. } = comparison;
    let interval = format!("the {} interval, {} to {},", round_percent(1.0 - level), end(low), end(high));
    let margin_words = super::margin(comparison);
    let contains_none = low <= 1.0 && high >= 1.0;
    let within = is_within(low, high, margin);
    match (contains_none, within) {
        _ if is_unbounded(comparison) => "too few pairs for an interval".to_owned(),
        (true, false) => {
            format!("{interval} contains both equality and differences of more than ±{margin_words}")
        }
        (true, true) if !is_baseline(comparison) => {
            let lower = super::margin_downwards(comparison);
            format!(
                "{interval} lies within ±{margin_words}, but the tests against +{margin_words} and against −{lower} do not \
                 both exclude such a difference"
            )
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
