//! Sentences of the report about open questions: benchmarks that were given up, and the time that the others need.

use fauxplat_model::GateState;
use fauxplat_report::parts::{Piece, Tone};
use fauxplat_report::say;

use crate::findings::{Benchmark, State, SuiteFindings};

/// Maximum number of names of benchmarks in the sentence about benchmarks that were given up.
const NAMES: usize = 5;

/// Sentences about benchmarks whose question has no answer; empty where all have one.
pub(crate) fn open(found: &SuiteFindings) -> Vec<Piece> {
    given_up(found).into_iter().chain(left(found)).collect()
}

/// Whether further runs may decide something about a benchmark: its state or, with `--fail-if`, only the question of
/// that option.
fn is_open(it: &Benchmark) -> bool {
    // Documents of earlier versions do not say which benchmarks were given up.
    let is_hopeless = it.is_given_up || it.state == State::NotMeasured && it.trouble.is_some();
    !is_hopeless && it.gate.map_or(it.state == State::Undecided, |gate| gate == GateState::Undecided)
}

/// Sentence about the benchmarks that were given up before their question was answered, with the reasons.
fn given_up(found: &SuiteFindings) -> Option<Piece> {
    let given_up: Vec<&Benchmark> = found.given_up().collect();
    let one = |it: &&Benchmark| {
        let why = it.trouble.as_deref().map(|why| format!(" ({})", say::visible(why)));
        format!("{}{}", say::named(&it.name), why.unwrap_or_default())
    };
    let mut told: Vec<String> = given_up.iter().take(NAMES).map(one).collect();
    let more = given_up.len().saturating_sub(NAMES);
    told.extend((more > 0).then(|| format!("{more} more")));
    let question = if found.fail_if.is_empty() { "were decided" } else { "answered the gate" };
    (!told.is_empty()).then(|| {
        Piece::said(
            Tone::Doubt,
            format!(
                "Benchmarks given up before they {question}, since pairs in a row gave no readings: {}.",
                say::listed(&told)
            ),
        )
    })
}

/// Sentence about the open benchmarks, with the estimated time to decide them.
fn left(found: &SuiteFindings) -> Option<Piece> {
    let open: Vec<&Benchmark> = found.benchmarks.iter().filter(|it| is_open(it)).collect();
    let is_gated = !found.fail_if.is_empty();
    let is_answered = |it: &Benchmark| it.gate.is_some_and(|gate| gate != GateState::Undecided);
    let is_only_answered = |it: &Benchmark| it.state == State::Undecided && is_answered(it);
    if open.is_empty() && is_gated && found.benchmarks.iter().any(is_only_answered) {
        let others = if found.benchmarks.iter().all(is_answered) { "" } else { "other " };
        return Some(Piece::plain(format!(
            "The gate is answered for all {others}benchmarks, so sampling has ended; without --fail-if it goes on until each is \
             decided.",
        )));
    }
    let what = if is_gated { "What the gate leaves open" } else { "What is not decided" };
    if open.is_empty() || found.is_weaker {
        return None;
    }
    let takes = |it: &&&Benchmark| {
        it.pairs_to_decide.map(|pairs| f64::from(pairs.saturating_sub(it.pairs)) * 2.0 * it.cost_s)
    };
    let known: Vec<f64> = open.iter().filter_map(|it| takes(&it)).collect();
    let more: f64 = known.iter().sum();
    let sentence = match known.len() {
        0 => format!("{what} needs more pairs of processes: raise --max-time."),
        _ => format!(
            "{what} would take about {} more for {} benchmarks: raise --max-time, widen --margin, or use --filter.",
            about(more.clamp(1.0, 1e7)),
            known.len()
        ),
    };
    Some(Piece::plain(sentence))
}

/// A number of seconds, rounded to two significant digits.
fn about(seconds: f64) -> fauxplat_units::Nanos {
    let digit = 10f64.powf(seconds.log10().floor() - 1.0);
    fauxplat_units::Nanos::from_secs_f64((seconds / digit).round() * digit)
}
