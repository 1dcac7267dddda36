//! Sentences of the report about open questions: benchmarks that were given up, and the time that the others need.

use fauxplat_model::{FailIf, GateState};
use fauxplat_report::parts::{Piece, Tone};
use fauxplat_report::say;

use crate::findings::{Benchmark, State, SuiteFindings};
use crate::names::{named, reason};

/// Maximum number of names of benchmarks in the sentence about benchmarks that were given up.
const NAMES: usize = 5;

/// Sentences about benchmarks whose question has no answer; empty where all have one.
pub(crate) fn open(found: &SuiteFindings) -> Vec<Piece> {
    given_up(found).into_iter().chain(left(found).map(Piece::plain)).collect()
}

/// Whether further runs may decide something about a benchmark: its state or, with `--fail-if`, the question of that
/// option.
fn is_open(found: &SuiteFindings, it: &Benchmark) -> bool {
    // Documents of earlier versions do not say which benchmarks were given up.
    let is_hopeless = it.is_given_up || it.state == State::NotMeasured && it.trouble.is_some();
    !is_hopeless && !is_answered(found, it)
}

/// Whether all that the suite was asked about a benchmark is answered.
fn is_answered(found: &SuiteFindings, it: &Benchmark) -> bool {
    let has_verdict = !matches!(it.state, State::Undecided | State::NotMeasured);
    let needs_verdict = it.gate.is_none() || found.fail_if.contains(&FailIf::Inconclusive);
    it.gate != Some(GateState::Undecided) && (has_verdict || !needs_verdict)
}

/// Whether a gate asks about benchmarks that both programs have.
fn is_gated(found: &SuiteFindings) -> bool {
    found.fail_if.iter().any(|gate| *gate != FailIf::Missing)
}

/// Sentence about the benchmarks that were given up before their question was answered, with the reasons.
fn given_up(found: &SuiteFindings) -> Option<Piece> {
    let given_up: Vec<&Benchmark> = found.given_up().collect();
    let one = |it: &&Benchmark| {
        let why = it.trouble.as_deref().map(|why| format!(" ({})", reason(why)));
        format!("{}{}", named(&it.name), why.unwrap_or_default())
    };
    let mut told: Vec<String> = given_up.iter().take(NAMES).map(one).collect();
    let more = given_up.len().saturating_sub(NAMES);
    told.extend((more > 0).then(|| format!("{more} more")));
    let question = if is_gated(found) { "answered the gate" } else { "were decided" };
    (!told.is_empty()).then(|| {
        Piece::said(
            Tone::Doubt,
            format!(
                "Benchmarks given up before they {question}, since several pairs in a row gave no readings: {}.",
                say::listed(&told)
            ),
        )
    })
}

/// Sentence about the open benchmarks, with the time that decides them in nine of ten cases.
fn left(found: &SuiteFindings) -> Option<String> {
    let open: Vec<&Benchmark> = found.benchmarks.iter().filter(|it| is_open(found, it)).collect();
    let is_gated = is_gated(found);
    let is_only_answered = |it: &Benchmark| it.state == State::Undecided && is_answered(found, it);
    if open.is_empty() && is_gated && found.benchmarks.iter().any(is_only_answered) {
        let are_all = found.benchmarks.iter().all(|it| is_answered(found, it));
        let others = if are_all { "" } else { "other " };
        return Some(format!(
            "The gate is answered for all {others}benchmarks, so sampling has ended; without --fail-if it goes on until each is \
             decided.",
        ));
    }
    if open.is_empty() || found.is_weaker {
        return None;
    }
    let what = if is_gated { "What the gate leaves open" } else { "What is not decided" };
    let takes = |it: &&Benchmark| {
        let pair_s = if it.pair_s > 0.0 { it.pair_s } else { 2.0 * it.cost_s };
        it.pairs_to_decide.map(|pairs| f64::from(pairs.saturating_sub(it.pairs)) * pair_s)
    };
    let known: Vec<f64> = open.iter().filter_map(takes).collect();
    let count = |number| say::counted(number, "benchmark", "benchmarks");
    let others = match open.len() - known.len() {
        0 => String::new(),
        others => format!(" For {others} more there are too few pairs to say."),
    };
    let more: f64 = known.iter().sum();
    // Documents of earlier versions estimate the mean.
    let chance = if open.iter().all(|it| it.pair_s == 0.0) { "" } else { " in nine of ten cases" };
    let sentence = match known.len() {
        0 => format!("{what} needs more pairs of processes: raise --max-time."),
        number => format!(
            "{what} would take up to about {} more{chance}, for {}: raise --max-time by as much, widen --margin, or use \
             --filter.{others}",
            about(more.clamp(1.0, 1e7)),
            count(number)
        ),
    };
    Some(sentence)
}

/// A number of seconds, rounded to two significant digits.
fn about(seconds: f64) -> fauxplat_units::Nanos {
    let digit = 10f64.powf(seconds.log10().floor() - 1.0);
    fauxplat_units::Nanos::from_secs_f64((seconds / digit).round() * digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Control, StoppedBy};

    /// Sentence about the time for open benchmarks, each given by its pairs, the pairs that suffice and the seconds of a
    /// pair.
    fn said(all: &[(u32, Option<u32>, f64)]) -> String {
        let rule = crate::analysis::Rule {
            level: 0.01,
            margin: 0.03,
            control: Control::Family,
            gate: None,
            needs_verdict: false,
        };
        let benchmark = |&(pairs, pairs_to_decide, pair_s): &(u32, Option<u32>, f64)| Benchmark {
            state: State::Undecided,
            pairs,
            pairs_to_decide,
            pair_s,
            cost_s: 0.25,
            trouble: None,
            ..crate::analysis::not_measured("x", String::new(), &rule)
        };
        let found = SuiteFindings {
            harness: String::new(),
            programs: Default::default(),
            are_same_file: None,
            control: Control::Family,
            level: 0.01,
            margin: 0.03,
            fail_if: Vec::new(),
            seed: 0,
            order: None,
            is_weaker: false,
            benchmarks: all.iter().map(benchmark).collect(),
            new: Vec::new(),
            gone: Vec::new(),
            mean: None,
            common: None,
            groups: Vec::new(),
            parameters: Vec::new(),
            processes: 0,
            processes_by_side: Default::default(),
            skips_failures: false,
            elapsed_s: 0.0,
            stopped_by: StoppedBy::Time,
        };
        left(&found).unwrap_or_default().replace('\u{a0}', " ")
    }

    #[test]
    fn the_time_for_open_benchmarks_counts_all_of_a_pair() {
        let told = said(&[(10, Some(20), 2.0), (10, Some(15), 1.0), (10, None, 1.0)]);
        assert!(told.contains("up to about 25"), "{told}");
        assert!(told.contains("more in nine of ten cases, for 2 benchmarks"), "{told}");
        assert!(told.contains("For 1 more there are too few pairs to say."), "{told}");
        // A document of an earlier version has the cost of a process alone.
        let told = said(&[(10, Some(20), 0.0)]);
        assert!(told.contains("up to about 5") && !told.contains("nine of ten"), "{told}");
        let told = said(&[(2, None, 1.0)]);
        assert!(told.contains("What is not decided needs more pairs of processes"), "{told}");
    }
}
