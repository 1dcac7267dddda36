//! Go's `testing` package: programs of `go test -c` (<https://pkg.go.dev/cmd/go#hdr-Testing_flags>).

use std::time::Duration;

use super::names::medians;
use super::unit::number;
use super::{Asked, Chosen, Harness, Output, Reading, Told, Unit, quoted};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Go;

impl Harness for Go {
    fn name(&self) -> String {
        "go".to_owned()
    }

    /// Runs each benchmark once, since `-test.list` does not list sub-benchmarks.
    fn list(&self, user: &[String], _folder: &str) -> Asked {
        let mut asked = Asked::words(["-test.run=^$", "-test.benchtime=1x"]);
        asked.option(user, "-test.bench", ".");
        asked
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(medians(self.told(output)?.readings).into_iter().map(|it| it.name).collect())
    }

    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, _folder: &str) -> Asked {
        let mut asked = Asked::words(["-test.run=^$", &format!("-test.bench={}", pattern(chosen.only))]);
        asked.option(user, "-test.benchtime", format!("{}us", time.as_micros()));
        asked.option(user, "-test.count", 1);
        asked
    }

    fn alone(&self, user: &[String], name: &str, _all: &[String], rounds: u64) -> Option<Vec<String>> {
        let only = pattern(std::slice::from_ref(&name.to_owned()));
        let mut asked = Asked::words(["-test.run=^$", &format!("-test.bench={only}")]);
        asked.option(user, "-test.benchtime", format!("{rounds}x"));
        asked.option(user, "-test.count", 1);
        Some(asked.arguments)
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let rows = rows(&output.stdout);
        let is_over = output.stdout.lines().any(|line| line == "PASS" || line.starts_with("ok  \t"));
        if rows.is_empty() && !is_over {
            return Err(SuiteError::output("Go", "there is neither a line of a benchmark nor PASS"));
        }
        let suffix = suffix(&rows);
        let reading = |(name, value): &(String, f64)| Reading {
            name: suffix
                .as_ref()
                .and_then(|suffix| name.strip_suffix(suffix.as_str()))
                .unwrap_or(name)
                .to_owned(),
            value: *value,
            unit: Unit::Ns,
        };
        Ok(Told { readings: rows.iter().map(reading).collect(), missing: Vec::new() })
    }
}

/// Regular expression that matches exactly these benchmarks. Go matches each element of a name between slashes
/// separately.
fn pattern(names: &[String]) -> String {
    let one = |name: &String| {
        let elements: Vec<String> = name.split('/').map(|element| format!("^{}$", quoted(element))).collect();
        elements.join("/")
    };
    names.iter().map(one).collect::<Vec<_>>().join("|")
}

/// Names of benchmarks with nanoseconds per operation. A benchmark may print text between its name and its figures,
/// which are then on a later line.
fn rows(text: &str) -> Vec<(String, f64)> {
    let mut rows = Vec::new();
    let mut waiting: Option<String> = None;
    for line in text.lines() {
        let is_name = |word: &&str| word.starts_with("Benchmark");
        let mut words = line.split_whitespace().peekable();
        if let Some(name) = words.next_if(is_name) {
            waiting = Some(name.to_owned());
        }
        let words: Vec<&str> = words.collect();
        let Some(is_count) = words.first().map(|word| word.parse::<u64>().is_ok()) else { continue };
        let value = words.windows(2).find(|pair| pair[1] == "ns/op").and_then(|pair| number(pair[0]));
        if let (true, Some(value)) = (is_count, value) {
            rows.extend(waiting.take().map(|name| (name, value)));
        }
    }
    rows
}

/// Suffix `-CPUS` that Go appends to every name if the number of CPUs is greater than one; `None` unless all names have
/// it.
fn suffix(rows: &[(String, f64)]) -> Option<String> {
    let (name, _) = rows.first()?;
    let (_, cpus) =
        name.rsplit_once('-').filter(|(_, cpus)| cpus.parse::<u32>().is_ok_and(|cpus| cpus > 1))?;
    let suffix = format!("-{cpus}");
    rows.iter().all(|(name, _)| name.ends_with(&suffix)).then_some(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_output_is_read() {
        let told = Go.told(&Output::printed(include_str!("../../fixtures/go.txt"))).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        let wanted =
            ["BenchmarkLoop/n=64", "BenchmarkOdd/a_b/c,\"d\"", "BenchmarkOdd/x-2", "BenchmarkOdd/log"];
        wanted.iter().for_each(|name| assert!(names.contains(name), "{name}: {names:?}"));
    }

    #[test]
    fn figures_after_what_a_benchmark_prints_are_its_own() {
        let text = "BenchmarkA \thello\n      10\t   12.5 ns/op\t  3 B/op\nBenchmarkB 5 7 ns/op\nPASS\n";
        assert_eq!(rows(text), [("BenchmarkA".to_owned(), 12.5), ("BenchmarkB".to_owned(), 7.0)]);
    }

    #[test]
    fn names_are_chosen_element_by_element() {
        let names = ["BenchmarkA/x(1)/y".to_owned(), "BenchmarkB".to_owned()];
        assert_eq!(pattern(&names), r"^BenchmarkA$/^x\(1\)$/^y$|^BenchmarkB$");
    }

    #[test]
    fn a_process_that_died_at_once_told_nothing() {
        assert!(Go.told(&Output::printed("goos: linux\npanic: x\n")).is_err());
        assert_eq!(Go.told(&Output::printed("PASS\n")).unwrap(), Told::default());
    }
}
