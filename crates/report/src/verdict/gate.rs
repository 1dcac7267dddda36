//! Words for the answer to the question of a gate (`--fail-if`): whether B differs from A by more than the margin.

use fauxplat_model::{Comparison, Gate, GateQuestion, GateSide, GateState};

use super::{is_speed, margin, margin_downwards};
use crate::words::{change, percent};

/// The gate's question with its answer in a few words, such as `no regression beyond 1 %`; `None` without a gate.
pub(crate) fn short(comparison: &Comparison) -> Option<String> {
    let gate = comparison.gate.as_ref()?;
    let noun = noun(gate.question);
    let margin = match gate.question.side(comparison.metric) {
        GateSide::Lower => margin_downwards(comparison),
        GateSide::Higher | GateSide::Either => margin(comparison),
    };
    Some(match gate.state {
        GateState::Beyond => format!("{noun}: {}", shown(comparison, gate)),
        GateState::Within => format!("no {noun} beyond {margin}"),
        GateState::Undecided => {
            format!("not decided whether it is {} by more than {margin}", side(comparison, gate))
        }
    })
}

/// The gate's answer as a sentence, with the change that would have been detected.
pub(super) fn sentence(comparison: &Comparison) -> Option<String> {
    let gate = comparison.gate.as_ref()?;
    let short = short(comparison)?;
    let found = gate.detectable.map_or_else(String::new, |change| {
        format!(
            "; a change of about {} would have been found in 9 of 10 such comparisons",
            detectable(comparison, gate, change)
        )
    });
    let (first, rest) = short.split_at(1);
    Some(format!("{}{rest}{found}.", first.to_uppercase()))
}

/// Noun for the difference that the gate's question is about.
fn noun(question: GateQuestion) -> &'static str {
    match question {
        GateQuestion::Slower => "regression",
        GateQuestion::Faster => "improvement",
        GateQuestion::Different => "change",
    }
}

/// The difference that was found, in words. Slow runs count for a gate even if typical runs do not differ.
fn shown(comparison: &Comparison, gate: &Gate) -> String {
    let side = side(comparison, gate);
    if comparison.is_told_by_its_tail() {
        return format!("{side} in some runs");
    }
    let of_mean = comparison.mean.as_ref().filter(|_| comparison.is_told_by_its_mean());
    let average = if of_mean.is_some() { " on average" } else { "" };
    let is_lower = of_mean.map_or(comparison.effect_ratio, |mean| mean.ratio) < 1.0;
    let margin = if is_lower { margin_downwards(comparison) } else { margin(comparison) };
    format!("{side} by more than {margin}{average}")
}

/// The direction in which the gate looks for a difference, such as `slower` or `higher in peak memory`.
fn side(comparison: &Comparison, gate: &Gate) -> String {
    let metric = comparison.metric;
    let is_higher = match gate.question.side(metric) {
        GateSide::Either => return "different".to_owned(),
        GateSide::Higher => true,
        GateSide::Lower => false,
    };
    match (is_speed(metric), gate.question) {
        (true, GateQuestion::Slower) => "slower".to_owned(),
        (true, _) => "faster".to_owned(),
        (false, _) => format!("{} in {}", if is_higher { "higher" } else { "lower" }, metric.title()),
    }
}

/// The smallest change that would have been detected, in the direction of the gate's question, as text. Documents of
/// earlier versions have it without a sign.
fn detectable(comparison: &Comparison, gate: &Gate, least: f64) -> String {
    match gate.question.side(comparison.metric) {
        GateSide::Lower if least > 0.0 => change(1.0 / (1.0 + least)),
        GateSide::Higher | GateSide::Lower => change(1.0 + least),
        GateSide::Either => format!("±{}", percent(least)),
    }
}
