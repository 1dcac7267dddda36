//! Sentences, test cases and rows of the report about benchmarks that one of the two programs has alone.

use fauxplat_report::parts::Piece;
use fauxplat_report::{Case, CaseOutcome, say};

use crate::analysis::group_of;
use crate::findings::SuiteFindings;

/// Maximum number of names of benchmarks in a sentence.
const NAMES: usize = 5;

/// Words for a benchmark that only A has, and only B.
const ONLY_IN: [&str; 2] = ["only in A", "only in B"];

/// Benchmarks of one program alone, each with the words for that.
fn named(found: &SuiteFindings) -> impl Iterator<Item = (&String, &'static str)> {
    let gone = found.gone.iter().map(|name| (name, ONLY_IN[0]));
    gone.chain(found.new.iter().map(|name| (name, ONLY_IN[1])))
}

/// Sentences about new and gone benchmarks; empty where there are none.
pub(crate) fn pieces(found: &SuiteFindings) -> Vec<Piece> {
    let both = [(ONLY_IN[1], &found.new), (ONLY_IN[0], &found.gone)];
    both.into_iter().filter_map(|(of, names)| sentence(of, names)).map(Piece::plain).collect()
}

fn sentence(of: &str, names: &[String]) -> Option<String> {
    let shown: Vec<String> = names.iter().take(NAMES).map(|name| crate::names::named(name)).collect();
    let rest = names.len().saturating_sub(NAMES);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    (!names.is_empty()).then(|| {
        format!(
            "{} {of}: {}{rest}.",
            say::counted(names.len(), "benchmark is", "benchmarks are"),
            shown.join(", ")
        )
    })
}

/// Rows of `width` fields, which hold no more than name, group and state.
pub(crate) fn rows(found: &SuiteFindings, width: usize) -> impl Iterator<Item = Vec<String>> {
    named(found).map(move |(name, words)| {
        let mut row = vec![name.clone(), group_of(name).to_owned(), words.to_owned()];
        row.resize(width, String::new());
        row
    })
}

/// A test case for each benchmark: one that is gone fails where the user asked for that.
pub(crate) fn cases(found: &SuiteFindings) -> impl Iterator<Item = Case> {
    named(found).map(move |(name, words)| {
        let is_failed = found.misses_gone() && words == ONLY_IN[0];
        let outcome = if is_failed { CaseOutcome::Failed } else { CaseOutcome::Skipped };
        Case { name: name.clone(), time_s: None, outcome: outcome(words.to_owned()) }
    })
}
