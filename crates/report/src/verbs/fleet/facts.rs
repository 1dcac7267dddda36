//! Effects on machines, and facts about machines, in words.

use fauxplat_model::{Delivery, FACTS, FactExplained, FactRole, FleetAnswer, Metric, Unit, role_of};

use crate::parts::spans::{emphasis, named};
use crate::parts::{Note, Notes, Part, Piece, Tone};
use crate::words::{change, counted, p_value, percent, visible};

const DELIVERIES_MAX: usize = 20;

pub(super) fn title(fact: &str) -> String {
    FACTS
        .iter()
        .find(|known| known.name == fact)
        .map_or_else(|| visible(fact), |known| known.title.to_owned())
}

/// Slowdown as a share, for a ratio of two readings of the metric; negative if faster.
pub(super) fn slower(metric: Metric, ratio: f64) -> f64 {
    if metric.more_is_better() { 1.0 - ratio } else { ratio - 1.0 }
}

/// A ratio of two readings in words, such as "2.10 % slower". Metrics other than times and rates are called more or
/// less.
pub(super) fn slower_words(metric: Metric, ratio: f64) -> String {
    let share = ratio - 1.0;
    let timed = matches!(metric.unit(), Unit::Nanos | Unit::MicroPerSecond);
    let word = match (timed, slower(metric, ratio) >= 0.0) {
        (true, true) => "slower",
        (true, false) => "faster",
        (false, _) if share >= 0.0 => "more",
        (false, _) => "less",
    };
    format!("{} {word}", percent(share.abs()))
}

/// An interval of a ratio as changes in per cent, or a dash if an end is missing.
pub(super) fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{} … {}", change(low), change(high)),
        _ => "–".to_owned(),
    }
}

/// The fact with the value that distinguishes some machines, such as "BIOS 1.2" or "more temperature".
pub(super) fn what(it: &FactExplained) -> String {
    match role_of(&it.fact) == FactRole::Reading && ["more", "less"].contains(&it.value.as_str()) {
        true => format!("{} {}", it.value, title(&it.fact)),
        false => format!("{} {}", title(&it.fact), named(&it.value)),
    }
}

/// A fact with the effect of the machines that have it, such as "BIOS 1.2: 3.00 % slower, 50 machines".
pub(super) fn brief(it: &FactExplained, metric: Metric) -> String {
    let machines = counted(it.machines, "machine", "machines");
    format!("{}: {}, {machines}", what(it), slower_words(metric, it.effect_ratio))
}

/// The behaviour of machines with which facts are associated.
#[derive(Clone, Copy)]
pub(super) enum Goes<'a> {
    /// How much slower than others a machine is. The number is that of the facts that were examined.
    Slow(usize),
    /// How much the program of this name differs from the other program.
    Effect(&'a str),
}

/// Sentences about the facts that are associated with a behaviour, one for each.
pub(super) fn explained(facts: &[FactExplained], metric: Metric, goes: Goes) -> Vec<Piece> {
    facts.iter().map(|it| Piece::said(Tone::Doubt, sentence(it, metric, goes))).collect()
}

fn sentence(it: &FactExplained, metric: Metric, goes: Goes) -> String {
    let effect = emphasis(&slower_words(metric, it.effect_ratio));
    let (said, over) = match goes {
        Goes::Slow(tested) => {
            (format!("they are {effect}"), format!(" over {}", counted(tested, "fact", "facts")))
        }
        Goes::Effect(program) => {
            (format!("{} is {effect} there than elsewhere", named(program)), String::new())
        }
    };
    format!(
        "{}{}: {} of {} machines have it, and {said} ({}; {}{over}){}.",
        what(it),
        also(it),
        it.machines,
        it.of_machines,
        interval(Some(it.low), Some(it.high)),
        p_value(it.p_value),
        of_slow(it, goes),
    )
}

fn also(it: &FactExplained) -> String {
    let names: Vec<String> = it.same_as.iter().map(|fact| title(fact)).collect();
    match names.len() {
        0 => String::new(),
        1 => format!(" ({} divides the machines in the same way)", names[0]),
        _ => format!(" ({} divide the machines in the same way)", names.join(", ")),
    }
}

/// Clause about how many of the outstanding machines have the fact, such as "; all 6 of the slow ones are among them".
fn of_slow(it: &FactExplained, goes: Goes) -> String {
    let which = match goes {
        Goes::Slow(_) => "slow ones",
        Goes::Effect(_) => "machines that do not follow the others",
    };
    match (it.slow, it.of_slow) {
        (_, 0) | (0, _) => String::new(),
        (slow, all) if slow == all => format!("; all {all} of the {which} are among them"),
        (slow, all) => format!("; {slow} of the {all} {which} are among them"),
    }
}

/// Sentences with the checksums of the programs' output (their answers), if machines disagree.
pub(super) fn answers(answers: &[FleetAnswer]) -> Vec<Piece> {
    if answers.is_empty() {
        return Vec::new();
    }
    let told = |it: &FleetAnswer| {
        let short: String = it.sha256.chars().take(12).collect();
        let right = if it.majority { ", which is the answer of most machines" } else { "" };
        let group = it.group.map_or(String::new(), |group| format!("group {group}, "));
        format!("{group}{} … by {}{right}", visible(&short), counted(it.machines, "machine", "machines"))
    };
    let tie = !answers.iter().any(|it| it.majority);
    let title = match tie {
        true => "Answers differ, and most machines agree on none, so which one is right is unknown",
        false => "Answers differ",
    };
    let values = answers.iter().map(told).collect();
    let lines = vec![Note { tone: Tone::Bad, ..Note::fact("SHA-256", values) }];
    vec![Piece::new(Part::Notes(Notes { title: title.to_owned(), folded: false, lines }))]
}

pub(super) fn state_with_reason(it: &Delivery) -> String {
    let reason = it.reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
    format!("{}{reason}", it.state.words())
}

/// Sentences about expected records of machines that did not arrive or cannot be used.
pub(super) fn deliveries(of: &[Delivery]) -> Vec<Piece> {
    if of.is_empty() {
        return Vec::new();
    }
    let told = |it: &Delivery| {
        let round = if it.round > 0 { format!(", round {}", it.round) } else { String::new() };
        let state = visible(&state_with_reason(it));
        format!("{}{round}, attempt {}: {state}", named(&it.node), it.attempt)
    };
    let mut values: Vec<String> = of.iter().take(DELIVERIES_MAX).map(told).collect();
    values.extend((of.len() > DELIVERIES_MAX).then(|| format!("and {} more", of.len() - DELIVERIES_MAX)));
    let lines = vec![Note::fact("", values)];
    vec![Piece::new(Part::Notes(Notes { title: "What does not count".to_owned(), folded: true, lines }))]
}
