//! pytest-benchmark: <https://pytest-benchmark.readthedocs.io/en/latest/usage.html>.

use std::time::Duration;

use serde::Deserialize;

use super::{Asked, Chosen, Harness, Output, Reading, Told, Unit, numbered};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Pytest;

const FILE: &str = "pytest-benchmark.json";

#[derive(Deserialize)]
struct Document {
    benchmarks: Vec<PytestRow>,
}

#[derive(Deserialize)]
struct PytestRow {
    fullname: String,
    stats: Stats,
}

#[derive(Deserialize)]
struct Stats {
    /// Median in seconds.
    median: f64,
}

impl Harness for Pytest {
    fn name(&self) -> String {
        "pytest-benchmark".to_owned()
    }

    /// Runs each benchmark briefly, since pytest's own list would include tests without a benchmark.
    fn list(&self, user: &[String], folder: &str) -> Asked {
        self.briefly(user, Duration::from_micros(10), folder)
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(self.told(output)?.readings.into_iter().map(|it| it.name).collect())
    }

    /// Deselects the benchmarks that were not chosen. Naming the chosen ones would only widen the user's own selection.
    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, folder: &str) -> Asked {
        let mut asked = self.briefly(user, time, folder);
        let is_wanted = |name: &String| chosen.only.contains(name);
        // pytest deselects all ids that begin with the given one, so an id with which a chosen id begins is not
        // deselected.
        let is_safe = |name: &&String| !chosen.only.iter().any(|wanted| wanted.starts_with(name.as_str()));
        for name in chosen.all.iter().filter(|name| !is_wanted(name)).filter(is_safe) {
            asked.arguments.push(format!("--deselect={name}"));
        }
        asked
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let text = output.file_or_stdout(FILE);
        let document: Document =
            serde_json::from_str(text).map_err(|error| SuiteError::json("pytest-benchmark", &error))?;
        let names = numbered(document.benchmarks.iter().map(|row| row.fullname.clone()).collect());
        let reading = |(row, name): (&PytestRow, String)| {
            let (value, unit) = Unit::reading(row.stats.median, "s");
            Reading { name, value, unit }
        };
        Ok(Told {
            readings: document.benchmarks.iter().zip(names).map(reading).collect(),
            missing: Vec::new(),
        })
    }
}

impl Pytest {
    fn briefly(&self, user: &[String], time: Duration, folder: &str) -> Asked {
        let mut asked =
            Asked::words(["-q", "--benchmark-only", &format!("--benchmark-json={folder}/{FILE}")]);
        asked.arguments.extend(["-p".to_owned(), "no:cacheprovider".to_owned()]);
        asked.option(user, "--benchmark-max-time", time.as_secs_f64());
        asked.option(user, "--benchmark-min-rounds", 3);
        asked.option(user, "--benchmark-warmup", "off");
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_output_is_read() {
        let text = include_str!("../../fixtures/pytest-benchmark.json");
        let told = Pytest.told(&Output::printed(text)).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        assert!(names.contains(&"test_b.py::test_arg[10]"), "{names:?}");
        assert!(
            told.readings.iter().all(|it| it.value > 10.0 && it.unit == Unit::Ns),
            "seconds become nanoseconds"
        );
        assert!(Pytest.told(&Output::printed(&text[..text.len() / 2])).is_err());
    }

    #[test]
    fn what_a_wanted_name_begins_with_is_not_deselected() {
        let all = ["t::a", "t::ab", "t::b"].map(str::to_owned);
        let asked = Pytest.run(&[], Chosen { all: &all, only: &all[1..2] }, Duration::from_millis(5), "/x");
        let deselected: Vec<&String> =
            asked.arguments.iter().filter(|it| it.starts_with("--deselect")).collect();
        assert_eq!(deselected, ["--deselect=t::b"]);
    }
}
