//! The counts of single functions, from the Cachegrind files that also give the sums of a whole run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::{COUNTED, COUNTS, Uncounted, each_line, files, words};

/// Counts of a function, summed over the processes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionCounts {
    /// Name of the function; `???` if the simulator does not know it.
    pub name: String,
    /// Source file of the function, or `???`.
    pub file: String,
    /// Counts, in the order of [`super::names`].
    pub counts: Vec<u64>,
    /// Number of the source line that executed the most instructions; `None` if line numbers are unknown.
    pub line: Option<u32>,
}

/// Maximum number of functions that are collected; a program has some ten thousand at most, and a hostile file could
/// have any number.
const FUNCTIONS_MAX: usize = 200_000;

/// Returns the counts of each function of one run, by file and name.
///
/// # Errors
/// Fails where a file cannot be read.
pub fn functions(folder: &Path) -> Result<Vec<FunctionCounts>, Uncounted> {
    let mut found = BTreeMap::new();
    for path in files(folder, COUNTS)?.values() {
        let fail = |source| Uncounted::File { path: path.clone(), source };
        let file = File::open(path).map_err(fail)?;
        parse(BufReader::new(file), &mut found).map_err(fail)?;
    }
    Ok(found.into_values().map(|(function, _)| function).collect())
}

/// Functions by file and name, each with the instructions of its busiest line.
type Found = BTreeMap<(String, String), (FunctionCounts, u64)>;

fn parse(file: impl BufRead, found: &mut Found) -> io::Result<()> {
    let (mut events, mut source) = (Vec::new(), "???".to_owned());
    let mut function: Option<(String, String)> = None;
    each_line(file, |line| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if text.starts_with("events:") {
            events = words(line);
        } else if let Some(name) = text.strip_prefix("fl=") {
            source = name.to_owned();
        } else if let Some(name) = text.strip_prefix("fn=") {
            function = Some((source.clone(), name.to_owned()));
        } else if let Some(key) = function.as_ref().filter(|_| text.starts_with(|c: char| c.is_ascii_digit()))
            && (found.len() < FUNCTIONS_MAX || found.contains_key(key))
        {
            add(found.entry(key.clone()).or_insert_with(|| empty(key)), &events, text);
        }
    })
}

fn empty((file, name): &(String, String)) -> (FunctionCounts, u64) {
    let counts = vec![0; COUNTED.len()];
    (FunctionCounts { name: name.clone(), file: file.clone(), counts, line: None }, 0)
}

/// Adds a line of a file to its function: the line has the number of a source line, and a count for each event.
fn add((function, busiest): &mut (FunctionCounts, u64), events: &[String], text: &str) {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().unwrap_or(0));
    let number = numbers.next().unwrap_or(0);
    let counts: Vec<u64> = numbers.collect();
    let of = |event: &str| {
        let place = events.iter().position(|known| known == event);
        place.and_then(|place| counts.get(place)).copied().unwrap_or(0)
    };
    for (sum, (_, _, parts)) in function.counts.iter_mut().zip(COUNTED) {
        let own = parts.iter().fold(0u64, |sum, part| sum.saturating_add(of(part)));
        *sum = sum.saturating_add(own);
    }
    let instructions = of("Ir");
    if number > 0 && instructions > *busiest {
        (function.line, *busiest) = (u32::try_from(number).ok(), instructions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_summed_by_function_and_the_busiest_is_kept() {
        let text = b"desc: x\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\nfl=a.c\nfn=f\n\
            3 10 0 0 1 0 0 0 0 0 0 0 0 0\n4 90 0 0 2 1 1 0 0 0 5 4 0 0\nfn=g\n0 7\nfl=b.c\nfn=f\n1 1\nsummary: 1\n";
        let mut found = Found::new();
        parse(text.as_slice(), &mut found).unwrap();
        parse(text.as_slice(), &mut found).unwrap();
        let all: Vec<FunctionCounts> = found.into_values().map(|(function, _)| function).collect();
        assert_eq!(all.len(), 3);
        let f = &all[0];
        assert_eq!((f.name.as_str(), f.file.as_str(), f.line), ("f", "a.c", Some(4)));
        let of = |name: &str| f.counts[super::super::names().position(|known| known == name).unwrap()];
        assert_eq!([of("instructions"), of("loads"), of("branch-misses"), of("llc-misses")], [200, 6, 8, 2]);
        assert_eq!(all[1].line, None, "line 0 says that lines are not known");
    }

    /// The rest of a line that is too long could begin like a line of counts.
    #[test]
    fn the_rest_of_a_line_that_is_too_long_is_no_line() {
        let mut text = b"events: Ir\nfn=f\nfn=".to_vec();
        text.resize(text.len() - 3 + (1 << 20), b'g');
        text.extend_from_slice(b"7 900\n");
        let mut found = Found::new();
        parse(text.as_slice(), &mut found).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}
