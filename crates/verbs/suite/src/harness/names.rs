//! Names of benchmarks: makes them unique within a program, and safe to print.

use std::collections::HashMap;

use super::Reading;

/// Appends a number to repeated names, from the second on: `name #2`. Programs list and run benchmarks in the same
/// order, so the numbers of A and B agree.
pub fn numbered(names: Vec<String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    names
        .into_iter()
        .map(|name| {
            let times = seen.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
            if *times == 1 { name } else { format!("{name} #{times}") }
        })
        .collect()
}

/// Name of a benchmark as the program knows it, without the number that [`numbered`] added.
pub(super) fn plain<'a>(name: &'a str, all: &[String]) -> &'a str {
    let numbered = name.rsplit_once(" #").filter(|(plain, number)| {
        number.parse::<u32>().is_ok_and(|number| number > 1) && all.iter().any(|other| other == plain)
    });
    numbered.map_or(name, |(plain, _)| plain)
}

/// Merges all readings of a benchmark within a process to their median. Repetitions within a process are not
/// independent, since they share the layout and placement of the process.
pub fn medians(readings: Vec<Reading>) -> Vec<Reading> {
    let mut merged: Vec<(Reading, Vec<f64>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for reading in readings {
        match places.get(&reading.name) {
            Some(&place) => merged[place].1.push(reading.value),
            None => {
                places.insert(reading.name.clone(), merged.len());
                merged.push((reading.clone(), vec![reading.value]));
            }
        }
    }
    let one = |(reading, values): (Reading, Vec<f64>)| Reading {
        value: fauxplat_stats::describe::median(&values).unwrap_or(reading.value),
        ..reading
    };
    merged.into_iter().map(one).collect()
}

/// Replaces characters that move the cursor or change the direction of text by U+FFFD.
pub fn shown(text: &str) -> String {
    let is_unfit = |it: char| {
        it.is_control()
            || matches!(it, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|it| if is_unfit(it) { '\u{fffd}' } else { it }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Unit;

    #[test]
    fn names_that_occur_twice_are_told_apart() {
        let names = numbered(["a", "b", "a", "a"].map(str::to_owned).to_vec());
        assert_eq!(names, ["a", "b", "a #2", "a #3"]);
        assert_eq!(plain("a #2", &names), "a");
        assert_eq!(plain("issue #2", &["issue #2".to_owned()]), "issue #2");
    }

    #[test]
    fn repetitions_are_one_reading() {
        let reading = |name: &str, value| Reading { name: name.to_owned(), value, unit: Unit::Ns };
        let merged =
            medians(vec![reading("a", 1.0), reading("b", 5.0), reading("a", 9.0), reading("a", 2.0)]);
        assert_eq!(merged, [reading("a", 2.0), reading("b", 5.0)]);
    }

    #[test]
    fn names_cannot_turn_what_follows() {
        assert_eq!(shown("a\u{202e}b\u{1b}[2J"), "a\u{fffd}b\u{fffd}[2J");
    }
}
