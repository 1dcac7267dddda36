//! Checks the glossary: each word has one row, in alphabetical order.

use std::fs;
use std::path::Path;

use crate::error::ChoreError;
use crate::violation::Violation;

/// Path of the glossary, from the root of the workspace.
const FILE: &str = "GLOSSARY.md";

pub(super) fn check(root: &Path) -> Result<Vec<Violation>, ChoreError> {
    let path = root.join(FILE);
    Ok(rows(&fs::read_to_string(&path).map_err(ChoreError::at(path))?))
}

/// Word by which a row of the glossary is sorted, without text in brackets; `None` for other lines.
fn word(row: &str) -> Option<String> {
    let first = row.strip_prefix('|')?.split('|').next()?.trim();
    let word = first.split(" (").next().unwrap_or(first);
    let is_word = word != "word" && word.contains(char::is_alphabetic);
    is_word.then(|| word.to_lowercase())
}

fn rows(text: &str) -> Vec<Violation> {
    let words: Vec<(usize, String)> =
        text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, word(line)?))).collect();
    let mut violations = Vec::new();
    for (index, (line, word)) in words.iter().enumerate() {
        let earlier = words[..index].iter().find(|(_, other)| other == word);
        if let Some((first, _)) = earlier {
            let what = format!("`{word}` stands in line {first} already");
            violations.push(Violation::new(
                FILE,
                Some(*line),
                what,
                "let one row say all that the word means",
            ));
        } else if index > 0 && words[index - 1].1 > *word {
            let what = format!("`{word}` stands below `{}`", words[index - 1].1);
            violations.push(Violation::new(FILE, Some(*line), what, "sort the rows by their words"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str]) -> Vec<String> {
        let rows: String = words.iter().map(|word| format!("| {word} | means |\n")).collect();
        let text = format!("# Glossary\n\n| word | meaning |\n| --- | --- |\n{rows}");
        super::rows(&text).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn sorted_rows_are_accepted() {
        assert!(
            found(&["A/A", "block", "CPU", "CPU time", "different, equivalent", "kernel (of a worker)"])
                .is_empty()
        );
    }

    #[test]
    fn unsorted_and_doubled_rows_are_refused() {
        let unsorted = found(&["block", "CPU", "baseline"]);
        assert_eq!(unsorted, ["GLOSSARY.md:7: `baseline` stands below `cpu`; sort the rows by their words"]);
        let doubled = found(&["level", "level (of a factor)", "look"]);
        assert_eq!(
            doubled,
            ["GLOSSARY.md:6: `level` stands in line 5 already; let one row say all that the word means"]
        );
    }
}
