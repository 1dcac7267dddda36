//! divan: <https://docs.rs/divan>. Its output is a table whose rows form a tree.

use std::time::Duration;

use super::names::plain;
use super::unit::number;
use super::{Asked, Chosen, Harness, Output, Reading, Told, Unit, numbered, quoted};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Divan;

/// Index of the median in the columns of figures of a row.
const MEDIAN: usize = 2;

impl Harness for Divan {
    fn name(&self) -> String {
        "divan".to_owned()
    }

    /// Runs each benchmark once, because divan's list does not show the arguments of benchmarks.
    fn list(&self, user: &[String], _folder: &str) -> Asked {
        let mut asked = Asked::default();
        asked.word(user, "--bench");
        asked.arguments.extend(["--sample-count=1", "--sample-size=1"].map(str::to_owned));
        asked
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(self.told(output)?.readings.into_iter().map(|it| it.name).collect())
    }

    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, _folder: &str) -> Asked {
        let mut asked = Asked::default();
        asked.word(user, "--bench");
        asked.option(user, "--sample-count", 25);
        asked.option(user, "--max-time", time.as_secs_f64());
        asked.arguments.push("--color=never".to_owned());
        // The path that a filter is matched against begins with the crate's name, which is the title of the table.
        let names: Vec<String> = chosen.only.iter().map(|name| quoted(plain(name, chosen.all))).collect();
        asked.arguments.push(format!("^[^:]+::({})$", names.join("|")));
        asked
    }

    fn alone(&self, user: &[String], name: &str, all: &[String], rounds: u64) -> Option<Vec<String>> {
        let mut asked = Asked::default();
        asked.word(user, "--bench");
        asked.option(user, "--sample-count", 1);
        asked.option(user, "--sample-size", rounds);
        asked.arguments.push(format!("^[^:]+::{}$", quoted(plain(name, all))));
        Some(asked.arguments)
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let mut readings = Vec::new();
        let mut path: Vec<&str> = Vec::new();
        let mut has_table = false;
        for line in output.stdout.lines() {
            has_table |= line.contains("fastest") && line.contains("median");
            let Some((depth, name, figures)) = row(line) else { continue };
            path.truncate(depth);
            path.push(name);
            let median = figures.split('│').nth(MEDIAN).and_then(time);
            readings.extend(median.map(|value| (path.join("::"), value)));
        }
        if !has_table {
            return Err(SuiteError::output("divan", "it has no table with a median"));
        }
        let names = numbered(readings.iter().map(|(name, _)| name.clone()).collect());
        let reading =
            |(name, (_, value)): (String, &(String, f64))| Reading { name, value: *value, unit: Unit::Ns };
        Ok(Told { readings: names.into_iter().zip(&readings).map(reading).collect(), missing: Vec::new() })
    }
}

/// Depth in the tree, name and figures of a row; `None` for other lines. Each level of the tree is three characters
/// wide.
fn row(line: &str) -> Option<(usize, &str, &str)> {
    let at = line.find("├─ ").or_else(|| line.find("╰─ "))?;
    let depth = line[..at].chars().count() / 3;
    let rest = &line[at + "├─ ".len()..];
    let (name, figures) = rest.split_once("  ")?;
    Some((depth, name.trim(), figures))
}

/// A time such as `13.41 ns`, in nanoseconds; `None` for anything else.
fn time(cell: &str) -> Option<f64> {
    let (value, unit) = cell.trim().split_once(' ')?;
    let (value, unit) = Unit::reading(number(value)?, unit);
    (unit == Unit::Ns).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_output_is_read() {
        let told = Divan.told(&Output::printed(include_str!("../../fixtures/divan.txt"))).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["arg::10", "arg::1000", "plain", "inner::generic::u32", "inner::generic::u64"]);
        assert!(told.readings[1].value > 500.0, "microseconds become nanoseconds: {told:?}");
        assert!(Divan.told(&Output::printed("error: no such thing")).is_err());
    }
}
