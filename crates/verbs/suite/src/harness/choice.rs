//! The choice of a harness: named by the user, or recognised by the program's help text.

use std::str::FromStr;

use super::Harness;
use super::catch2::Catch2;
use super::criterion::Criterion;
use super::divan::Divan;
use super::go::Go;
use super::google::Google;
use super::jmh::Jmh;
use super::json::Json;
use super::lines::Lines;
use super::nanobench::Nanobench;
use super::pytest::Pytest;
use crate::error::SuiteError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice(String);

const NAMES: [&str; 9] = [
    "google-benchmark",
    "google-benchmark:cpu",
    "criterion",
    "go",
    "pytest-benchmark",
    "jmh",
    "catch2",
    "divan",
    "nanobench",
];

/// Texts that identify a harness when they occur in a program's help, with the harness's name.
const WORDS: [(&str, &str); 7] = [
    ("--benchmark_filter", "google-benchmark"),
    ("-test.benchtime", "go"),
    ("--benchmark-min-rounds", "pytest-benchmark"),
    ("--benchmark-warmup-time", "catch2"),
    ("--sample-count", "divan"),
    // JMH has no `--help`; its parser rejects the option with these words.
    ("help is not a recognized option", "jmh"),
    ("--measurement-time", "criterion"),
];

impl Choice {
    /// The harness of this name.
    ///
    /// # Errors
    /// Fails for an invalid pattern or pointer.
    pub fn harness(&self) -> Result<Box<dyn Harness>, SuiteError> {
        if let Some(pattern) = self.0.strip_prefix("lines:") {
            return Ok(Box::new(Lines::new(pattern)?));
        }
        if let Some(pointer) = self.0.strip_prefix("json:") {
            return Ok(Box::new(Json::new(pointer)?));
        }
        Ok(match self.0.as_str() {
            "google-benchmark" => Box::new(Google { cpu: false }),
            "google-benchmark:cpu" => Box::new(Google { cpu: true }),
            "criterion" => Box::new(Criterion),
            "go" => Box::new(Go),
            "pytest-benchmark" => Box::new(Pytest),
            "catch2" => Box::new(Catch2),
            "divan" => Box::new(Divan),
            "jmh" => Box::new(Jmh),
            "nanobench" => Box::new(Nanobench),
            other => return Err(SuiteError::NoSuchHarness { name: other.to_owned(), known: names() }),
        })
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let choice = Choice(text.to_owned());
        choice.harness().map(|_| choice).map_err(|error| error.to_string())
    }
}

/// Harness that a program's help text identifies; `None` if it is none of the known ones.
pub fn of_help(help: &str) -> Option<Choice> {
    WORDS.iter().find(|(word, _)| help.contains(word)).map(|(_, name)| Choice((*name).to_owned()))
}

/// Harness that wrote a file of results with this text; `None` if it is none of the known ones.
pub fn of_file(text: &str) -> Option<Choice> {
    let begins = text.trim_start();
    let name = match begins.chars().next()? {
        '{' if text.contains("\"machine_info\"") => "pytest-benchmark",
        '{' if text.contains("\"benchmarks\"") => "google-benchmark",
        '[' if text.contains("\"primaryMetric\"") => "jmh",
        '{' | '[' => "json:",
        '<' if text.contains("<BenchmarkResults") => "catch2",
        '|' if text.contains("/op |") && text.contains("err%") => "nanobench",
        _ if text.contains("ns/op") => "go",
        _ if text.contains("fastest") && text.contains('│') => "divan",
        _ => return None,
    };
    Some(Choice(name.to_owned()))
}

pub(crate) fn names() -> String {
    format!("{}, json:POINTER, lines:REGEX", NAMES.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_harness() {
        for name in NAMES {
            assert_eq!(name.parse::<Choice>().unwrap().harness().unwrap().name(), name);
        }
        assert!("hyper".parse::<Choice>().unwrap_err().contains("google-benchmark"));
        assert!("lines:(a)".parse::<Choice>().is_err() && "json:a".parse::<Choice>().is_err());
        assert!(WORDS.iter().all(|(_, name)| NAMES.contains(name)));
    }

    #[test]
    fn a_program_is_recognised_by_its_help() {
        assert_eq!(of_help("  -test.benchtime d\n"), Some(Choice("go".to_owned())));
        assert_eq!(of_help("usage: nothing"), None);
    }

    #[test]
    fn a_file_is_recognised_by_its_form() {
        for (text, name) in [
            (include_str!("../../fixtures/google-benchmark.json"), "google-benchmark"),
            (include_str!("../../fixtures/pytest-benchmark.json"), "pytest-benchmark"),
            (include_str!("../../fixtures/go.txt"), "go"),
            (include_str!("../../fixtures/catch2.xml"), "catch2"),
            (include_str!("../../fixtures/divan.txt"), "divan"),
            (include_str!("../../fixtures/jmh.json"), "jmh"),
            (include_str!("../../fixtures/nanobench.txt"), "nanobench"),
            ("{\"a\": 1}", "json:"),
        ] {
            assert_eq!(of_file(text), Some(Choice(name.to_owned())));
        }
        assert_eq!(of_file("nothing"), None);
    }
}
