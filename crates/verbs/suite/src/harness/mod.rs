//! Benchmark harnesses: how their programs are called, and how their output is parsed.
//!
//! Command lines are built and texts are parsed here, while `measure` runs the processes.

mod catch2;
mod choice;
mod criterion;
mod divan;
mod go;
mod google;
mod jmh;
mod json;
mod lines;
mod names;
mod nanobench;
mod pytest;
pub mod unit;

use std::fmt::Debug;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub(crate) use choice::names as names_of_all;
pub use choice::{Choice, of_file, of_help};
pub use names::{medians, numbered, shown};
pub use unit::Unit;

use crate::error::SuiteError;

/// Result that one process reported for a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Name of the benchmark, unique within the process.
    pub name: String,
    /// The result, in `unit`.
    pub value: f64,
    pub unit: Unit,
}

/// A benchmark for which a process reported no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub name: String,
    /// Reason why the result is missing, as a part of a sentence.
    pub why: String,
}

/// The parsed output of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Readings, in the order of the output.
    pub readings: Vec<Reading>,
    /// Benchmarks without a reading.
    pub missing: Vec<Missing>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Standard output. Invalid UTF-8 is replaced.
    pub stdout: String,
    /// Files that the process wrote to its folder of results: path within that folder, and text.
    pub files: Vec<(String, String)>,
}

impl Output {
    pub fn printed(stdout: &str) -> Self {
        Output { stdout: stdout.to_owned(), files: Vec::new() }
    }

    /// Text of the first file whose path ends with `end`, or standard output if there is none.
    fn file_or_stdout(&self, end: &str) -> &str {
        let found = self.files.iter().find(|(path, _)| path.ends_with(end));
        found.map_or(self.stdout.as_str(), |(_, text)| text.as_str())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Arguments to append after those of the user.
    pub arguments: Vec<String>,
    /// Environment variables as `NAME=VALUE`.
    pub env: Vec<String>,
}

impl Asked {
    fn words<const N: usize>(words: [&str; N]) -> Self {
        Asked { arguments: words.map(str::to_owned).to_vec(), env: Vec::new() }
    }

    /// Adds `OPTION=VALUE`, unless the user's arguments set the option.
    fn option(&mut self, user: &[String], option: &str, value: impl std::fmt::Display) {
        if !is_set(user, option) {
            self.arguments.push(format!("{option}={value}"));
        }
    }

    /// Adds an option and its value as two words, unless the user's arguments set the option.
    fn pair(&mut self, user: &[String], option: &str, value: impl std::fmt::Display) {
        if !is_set(user, option) {
            self.arguments.extend([option.to_owned(), value.to_string()]);
        }
    }

    /// Adds a word, unless the user's arguments have it.
    fn word(&mut self, user: &[String], word: &str) {
        if !is_set(user, word) {
            self.arguments.push(word.to_owned());
        }
    }
}

/// Whether the user's arguments set an option, as one word (`OPTION=VALUE`) or two.
fn is_set(user: &[String], option: &str) -> bool {
    let is_it = |word: &String| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    user.iter().any(is_it)
}

/// Benchmarks chosen among those of a program.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// All benchmarks of the program.
    pub all: &'a [String],
    /// Names of the benchmarks to run.
    pub only: &'a [String],
}

pub trait Harness: Debug {
    fn name(&self) -> String;

    /// Arguments and variables that make a program list its benchmarks, or run each as briefly as possible; none for
    /// programs that always run all benchmarks.
    fn list(&self, _user: &[String], _folder: &str) -> Asked {
        Asked::default()
    }

    /// Names of benchmarks in the output of a program that was run with [`Harness::list`].
    ///
    /// # Errors
    /// Fails for output that this harness does not write.
    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError>;

    /// Arguments and variables that make a program run the chosen benchmarks for about `time` each; none for programs
    /// that always run all benchmarks.
    fn run(&self, _user: &[String], _chosen: Chosen<'_>, _time: Duration, _folder: &str) -> Asked {
        Asked::default()
    }

    /// Text in a program's help that shows that it accepts a number of rounds; `None` if all versions do, or none does.
    fn rounds_in_help(&self) -> Option<&'static str> {
        None
    }

    /// Arguments that make a program run one of its benchmarks, `all`, for exactly `rounds` rounds, so that both sides
    /// do the same work; `None` where the harness decides the number of rounds itself.
    fn alone(&self, _user: &[String], _name: &str, _all: &[String], _rounds: u64) -> Option<Vec<String>> {
        None
    }

    /// Parses the output of one process. Repetitions of a benchmark have the same name.
    ///
    /// # Errors
    /// Fails for incomplete output or output that this harness does not write.
    fn told(&self, output: &Output) -> Result<Told, SuiteError>;

    /// Parses a file with the output of one process, or of several processes one after the other.
    ///
    /// # Errors
    /// Errors of [`Harness::told`].
    fn stored(&self, text: &str) -> Result<Told, SuiteError> {
        self.told(&Output::printed(text))
    }

    /// Whether the harness can run a subset of the benchmarks.
    fn can_choose(&self) -> bool {
        true
    }
}

/// Escapes characters with a meaning in any flavour of regular expressions. A closing bracket is not escaped, since
/// POSIX leaves `\]` undefined, and some implementations refuse it.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for character in text.chars() {
        if r".[\()*+?{|^$".contains(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted
}

/// Regular expression that matches exactly these names.
fn any_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(quoted).collect();
    format!("^({})$", names.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_user_win() {
        let user = ["--min=3".to_owned(), "--long".to_owned(), "5".to_owned()];
        let mut asked = Asked::default();
        asked.option(&user, "--min", 1);
        asked.pair(&user, "--long", 1);
        asked.option(&user, "--mi", 2);
        assert_eq!(asked.arguments, ["--mi=2"]);
    }

    #[test]
    fn a_benchmark_is_run_alone_for_as_many_rounds_as_are_asked_for() {
        let all = ["sort/10".to_owned(), "sort/100".to_owned()];
        let alone = |harness: &str, user: &[&str]| {
            let user: Vec<String> = user.iter().map(|&word| word.to_owned()).collect();
            harness.parse::<Choice>().unwrap().harness().unwrap().alone(&user, "sort/10", &all, 250)
        };
        let words = |harness: &str, user: &[&str]| alone(harness, user).unwrap().join(" ");
        let google = "--benchmark_filter=^(sort/10)$ --benchmark_min_time=250x --benchmark_repetitions=1";
        assert_eq!(words("google-benchmark", &[]), google);
        let go = "-test.run=^$ -test.bench=^sort$/^10$ -test.benchtime=250x";
        assert_eq!(words("go", &["-test.count=1"]), go);
        let divan = "--bench --sample-count=1 --sample-size=250 ^[^:]+::sort/10$";
        assert_eq!(words("divan", &[]), divan);
        for harness in
            ["criterion", "pytest-benchmark", "jmh", "catch2", "nanobench", "json:/a", "lines:(a)(1)"]
        {
            assert_eq!(alone(harness, &[]), None, "{harness}");
        }
    }

    #[test]
    fn names_are_quoted_for_every_flavour() {
        assert_eq!(any_of(["a/1", "b(x)+[y]"].into_iter()), r"^(a/1|b\(x\)\+\[y])$");
    }
}
