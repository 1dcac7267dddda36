//! Sentences and test cases of the report about processes that failed or gave no usable reading.

use fauxplat_report::parts::{Piece, Tone};
use fauxplat_report::{Case, CaseOutcome, say};

use crate::findings::{Benchmark, SuiteFindings};
use crate::names::{named, reason};
use crate::processes::SIDES;

/// Maximum number of names of benchmarks in a sentence.
const NAMES: usize = 5;

/// Sentences about the processes of each side of which no reading counts; empty where all gave readings.
pub(crate) fn lost(found: &SuiteFindings) -> Vec<Piece> {
    let failed = [0, 1].into_iter().filter_map(|side| failed(found, side));
    let mut pieces: Vec<Piece> = failed.chain(lacking(found)).collect();
    if !pieces.is_empty() {
        pieces.push(Piece::plain("Only pairs with readings of both sides count."));
    }
    pieces
}

fn failed(found: &SuiteFindings, side: usize) -> Option<Piece> {
    let words = reason(&found.processes_by_side[side].failure(SIDES[side])?);
    let has_failed = |it: &&Benchmark| it.processes[side].failed.count > 0;
    let names: Vec<String> = found.benchmarks.iter().filter(has_failed).map(|it| named(&it.name)).collect();
    let of = if names.is_empty() { String::new() } else { format!("; these ran {}", first(&names)) };
    let tone = if found.skips_failures { Tone::Doubt } else { Tone::Bad };
    Some(Piece::said(tone, format!("{words}{of}.")))
}

/// Sentence about benchmarks without a reading in a share of the processes that succeeded. Benchmarks without any pair
/// have a row with the reason.
fn lacking(found: &SuiteFindings) -> Option<Piece> {
    let of = |it: &Benchmark, side: usize| {
        let (missed, all) = (&it.processes[side].without_reading, it.processes[side].count);
        let share = || format!("of {} from {} in {}", named(&it.name), SIDES[side], missed.share(all));
        (missed.count > 0).then(share)
    };
    let measured = found.benchmarks.iter().filter(|it| it.pairs > 0);
    let told: Vec<String> = measured.flat_map(|it| [of(it, 0), of(it, 1)]).flatten().collect();
    (!told.is_empty())
        .then(|| Piece::said(Tone::Doubt, format!("There was no usable reading {}.", first(&told))))
}

/// The first few items of a list, and the number of the others.
fn first(items: &[String]) -> String {
    match items.len().saturating_sub(NAMES) {
        0 => say::listed(items),
        more => format!("{} and {more} more", items[..NAMES].join(", ")),
    }
}

/// A test case for each side with failed processes: failed, unless the user asked to leave failures out.
pub(crate) fn cases(found: &SuiteFindings) -> Vec<Case> {
    let case = |side: usize| {
        let words = found.processes_by_side[side].failure(SIDES[side])?;
        let outcome = match found.skips_failures {
            true => CaseOutcome::Passed(words),
            false => CaseOutcome::Failed(words),
        };
        Some(Case { name: format!("processes of {}", SIDES[side]), time_s: None, outcome })
    };
    [case(0), case(1)].into_iter().flatten().collect()
}
