//! Checks documents: no paragraph occurs twice, no sentence stops half-way, and the README stays short.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ChoreError;
use crate::violation::Violation;

/// Limit of README.md in bytes, since newcomers read it to the end.
const README_BYTES_MAX: usize = 10 * 1024;

/// Least number of characters of a paragraph that must not occur twice; a shorter one may introduce two tables.
const TWICE_CHARS_MIN: usize = 60;

/// Line that begins or ends a block of code.
const FENCE: &str = "```";

/// Words that cannot end a sentence.
const OPEN_WORDS: [&str; 26] = [
    "a", "an", "and", "are", "as", "at", "because", "but", "by", "for", "from", "if", "in", "into", "is",
    "nor", "of", "on", "or", "than", "that", "the", "to", "which", "whose", "with",
];

/// A part of a document between empty lines, or an entry of a list or row of a table.
#[derive(Debug, PartialEq, Eq)]
struct Paragraph {
    line: usize,
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Prose,
    /// An entry of a list.
    Entry,
    /// A row of a table, or a heading.
    Row,
    /// A formula or the like, indented by four blanks.
    SetOff,
    Code,
}

impl Kind {
    fn of(line: &str) -> Self {
        let words = line.trim_start();
        match () {
            () if words.starts_with(FENCE) => Kind::Code,
            () if words.starts_with(['|', '#']) => Kind::Row,
            () if ["- ", "* "].iter().any(|mark| words.starts_with(mark)) || is_numbered(words) => {
                Kind::Entry
            }
            () if line.starts_with("    ") => Kind::SetOff,
            () => Kind::Prose,
        }
    }
}

/// Checks every document below the root.
pub(super) fn check(root: &Path) -> Result<Vec<Violation>, ChoreError> {
    let mut violations = Vec::new();
    for path in documents(root)? {
        let text = fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
        violations.extend(document(path.strip_prefix(root).unwrap_or(&path), &text));
    }
    Ok(violations)
}

/// Paths of the Markdown files of the workspace, without build products.
fn documents(root: &Path) -> Result<Vec<PathBuf>, ChoreError> {
    let mut found = super::sources::files(root, "md", &[])?;
    found.sort();
    Ok(found)
}

fn document(path: &Path, text: &str) -> Vec<Violation> {
    let paragraphs = paragraphs(text);
    let mut violations = twice(path, &paragraphs);
    let nexts = paragraphs.iter().skip(1).map(Some).chain([None]);
    violations.extend(paragraphs.iter().zip(nexts).filter_map(|(one, next)| unfinished(path, one, next)));
    violations.extend(fragments(path, text));
    if path == Path::new("README.md") && text.len() > README_BYTES_MAX {
        let what = format!("it has {} bytes, more than {README_BYTES_MAX}", text.len());
        violations.push(Violation::new(
            path,
            None,
            what,
            "move what only some readers need to docs/verbs or docs/methods",
        ));
    }
    violations
}

/// Lines of a document with their numbers. Lines in a block of code are empty, except for the first one.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with(FENCE);
        inside ^= is_fence;
        let is_shown = inside == is_fence;
        (index + 1, if is_shown { line } else { "" })
    })
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut all: Vec<Paragraph> = Vec::new();
    let mut is_open = false;
    for (line, whole) in prose(text) {
        let (words, kind) = (whole.trim(), Kind::of(whole));
        let goes_on = is_open && matches!(kind, Kind::Prose | Kind::SetOff);
        if words.is_empty() {
            is_open = false;
        } else if let (true, Some(last)) = (goes_on, all.last_mut()) {
            last.text.push(' ');
            last.text.push_str(words);
        } else {
            all.push(Paragraph { line, text: words.to_owned(), kind });
            is_open = true;
        }
    }
    all
}

fn is_numbered(line: &str) -> bool {
    line.split_once(". ")
        .is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn twice(path: &Path, paragraphs: &[Paragraph]) -> Vec<Violation> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut violations = Vec::new();
    for Paragraph { line, text, kind } in paragraphs {
        // Rows of tables are checked elsewhere, and some tables repeat rows for good reasons.
        if text.chars().count() < TWICE_CHARS_MIN || *kind == Kind::Row {
            continue;
        }
        match seen.get(text.as_str()) {
            Some(first) => {
                let what = format!("the paragraph stands in line {first} already");
                violations.push(Violation::new(path, Some(*line), what, "keep the one that belongs there"));
            }
            None => drop(seen.insert(text, *line)),
        }
    }
    violations
}

/// Finds a sentence that stops half-way. A sentence before a list, a formula or code may continue there.
fn unfinished(path: &Path, one: &Paragraph, next: Option<&Paragraph>) -> Option<Violation> {
    let leads_on = next.is_some_and(|next| matches!(next.kind, Kind::Entry | Kind::SetOff | Kind::Code));
    if matches!(one.kind, Kind::Row | Kind::SetOff | Kind::Code) || one.kind == Kind::Prose && leads_on {
        return None;
    }
    let last = one.text.rsplit(' ').next().unwrap_or_default();
    let is_unfinished = one.text.ends_with(',') || OPEN_WORDS.contains(&last);
    let what = format!("the sentence stops half-way, at `{last}`");
    let cure = "say the rest, or take out what a merge left behind";
    is_unfinished.then(|| Violation::new(path, Some(one.line), what, cure))
}

/// Finds lines that begin in the middle of a sentence, although the line before ended one.
fn fragments(path: &Path, text: &str) -> Vec<Violation> {
    let lines: Vec<(usize, &str)> = prose(text).collect();
    let ends = |line: &str| line.ends_with('.') && !line.ends_with("…") && !line.starts_with('|');
    let begins = |line: &str| {
        let is_name = line.starts_with("fauxplat")
            || line.split(['(', ' ']).next().is_some_and(|word| word.contains('_'));
        line.starts_with(|c: char| c.is_lowercase()) && !is_name
    };
    let is_fragment = |pair: &&[(usize, &str)]| ends(pair[0].1.trim_end()) && begins(pair[1].1.trim_start());
    let violation = |pair: &[(usize, &str)]| {
        let what = "the line begins in the middle of a sentence that nobody began";
        Violation::new(path, Some(pair[1].0), what, "say its beginning, or take out what a merge left behind")
    };
    lines.windows(2).filter(is_fragment).map(violation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        document(Path::new("A.md"), text).iter().map(Violation::to_string).collect()
    }

    const LONG: &str = "A paragraph that says a little more than the shortest that may be there twice.";

    #[test]
    fn a_tidy_document_is_accepted() {
        let text = format!(
            "# A\n\n{LONG}\n\nA claim is\n\n- one of\n  two\n- three\n\nThe error is\n\n    SE = s,\n\n- four\n\n| a | b |\n| - | - |\n| of | the |\n\n```\nand\nof\n\nand\n```\nfauxplat ends.\nfauxplat begins:\n"
        );
        assert_eq!(found(&text), Vec::<String>::new());
    }

    #[test]
    fn what_stands_twice_is_found_however_it_is_wrapped() {
        let wrapped = LONG.replace("little more", "little\nmore");
        let twice = found(&format!("{LONG}\n\nOther words.\n\n{wrapped}\n"));
        assert_eq!(
            twice,
            ["A.md:5: the paragraph stands in line 1 already; keep the one that belongs there"]
        );
        let list = found(&format!("- {LONG}\n- {LONG}\n"));
        assert!(list.len() == 1 && list[0].starts_with("A.md:2: "), "{list:?}");
        assert!(found("Short words.\n\nShort words.\n").is_empty());
    }

    #[test]
    fn a_sentence_that_stops_half_way_is_found() {
        for text in [
            "- The other verbs: topology, hazards and tuning of\n- The other verbs: all.\n",
            "Words that lead to the\n\nNext.\n",
            "One, two,\n\nthree.\n",
            "1. This is for\n2. That.\n",
        ] {
            let found = found(text);
            assert!(
                found.len() == 1 && found[0].starts_with("A.md:1: the sentence stops half-way"),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn a_line_that_goes_on_with_what_nobody_began_is_found() {
        let found = found("It is so.\nvariance budget. It is well.\n");
        assert!(
            found.len() == 1 && found[0].starts_with("A.md:2: the line begins in the middle"),
            "{found:?}"
        );
    }

    #[test]
    fn the_readme_alone_has_a_limit() {
        let long = "Words and more. ".repeat(README_BYTES_MAX / 16 + 1);
        assert_eq!(found(&long), Vec::<String>::new());
        let refused = document(Path::new("README.md"), &long);
        assert!(
            refused.len() == 1 && refused[0].to_string().contains("bytes, more than 10240"),
            "{refused:?}"
        );
    }
}
