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
    let sentences = both.into_iter().filter_map(|(of, names)| sentence(of, names));
    sentences.chain(renamed(&found.gone, &found.new)).map(Piece::plain).collect()
}

/// Maximum number of names of each side that are compared with those of the other.
const COMPARED: usize = 100;

/// Maximum number of characters of a name that are compared.
const COMPARED_CHARACTERS: usize = 200;

/// Least share of a name that has to be equal at its beginning and its end for a benchmark to seem renamed.
const ALIKE: f64 = 0.7;

/// Sentence about gone and new benchmarks whose names are alike; `None` where there are none.
fn renamed(gone: &[String], new: &[String]) -> Option<String> {
    let nearest = |name: &str, others: &[String]| -> Option<String> {
        let near = others.iter().take(COMPARED).map(|other| (likeness(name, other), other));
        let near = near.filter(|(likeness, _)| *likeness >= ALIKE);
        near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other.clone())
    };
    let pair = |name: &String| {
        let to = nearest(name, new)?;
        (nearest(&to, gone)? == *name).then(|| (name.clone(), to))
    };
    let pairs: Vec<(String, String)> = gone.iter().take(COMPARED).filter_map(pair).collect();
    let named = |(from, to): &(String, String)| {
        format!("{} to {}", crate::names::named(from), crate::names::named(to))
    };
    let shown: Vec<String> = pairs.iter().take(NAMES).map(named).collect();
    let rest = pairs.len().saturating_sub(NAMES);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    (!pairs.is_empty())
        .then(|| format!("Perhaps renamed, since the names are alike: {}{rest}.", shown.join(", ")))
}

/// Share of the longer of two names that both have in common at the beginning and at the end.
fn likeness(a: &str, b: &str) -> f64 {
    let [a, b] = [a, b].map(|name| name.chars().take(COMPARED_CHARACTERS).collect::<Vec<char>>());
    let shorter = a.len().min(b.len());
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take(shorter - head).take_while(|(a, b)| a == b).count();
    (head + tail) as f64 / a.len().max(b.len()).max(1) as f64
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike_may_be_one_benchmark() {
        let list = |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        let said = |gone: &[&str], new: &[&str]| renamed(&list(gone), &list(new));
        let told = said(&["sort_fast", "parse"], &["sort_faster", "other"]).unwrap();
        assert!(told.contains("sort_fast") && told.contains("sort_faster"), "{told}");
        assert!(!told.contains("parse") && !told.contains("other"), "{told}");
        assert_eq!(said(&["parse"], &["other"]), None);
        assert_eq!(said(&["parse"], &[]), None);
        // Of two that are alike to one, only the nearer is named.
        let told = said(&["find/1000", "find/1001"], &["find/1002x", "find/1001x"]).unwrap();
        assert!(told.contains("find/1001x"), "{told}");
        assert_eq!([likeness("aa", "aaa"), likeness("", ""), likeness("ab", "ab")], [2.0 / 3.0, 0.0, 1.0]);
    }
}
