//! Benchmark harnesses: how their programs are asked, and how what they print is read.
//!
//! Everything here is pure: a harness gives words of a command line and reads texts. `measure` runs the processes.

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

/// A number that one process gave for one benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Name of the benchmark, unique within the process.
    pub name: String,
    /// The number, in its unit.
    pub value: f64,
    /// The unit.
    pub unit: Unit,
}

/// A benchmark for which a process gave no number, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Name of the benchmark.
    pub name: String,
    /// Reason, as a part of a sentence.
    pub why: String,
}

/// The readings of one process, and the benchmarks that it gave none for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Readings, in the order of the output.
    pub readings: Vec<Reading>,
    /// Benchmarks that gave no reading.
    pub missing: Vec<Missing>,
}

/// Output of a process of a harness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Standard output. Bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// Files that the process wrote to the folder that it was given: path within the folder, and text.
    pub files: Vec<(String, String)>,
}

impl Output {
    /// The output of a process that wrote no files.
    pub fn printed(stdout: &str) -> Self {
        Output { stdout: stdout.to_owned(), files: Vec::new() }
    }

    /// The only file whose name ends like this, or standard output.
    fn file_or_stdout(&self, end: &str) -> &str {
        let found = self.files.iter().find(|(path, _)| path.ends_with(end));
        found.map_or(self.stdout.as_str(), |(_, text)| text.as_str())
    }
}

/// Words that are added to the command line of a program, and variables of its environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Arguments after those of the user.
    pub arguments: Vec<String>,
    /// Variables as `NAME=VALUE`.
    pub env: Vec<String>,
}

impl Asked {
    fn words<const N: usize>(words: [&str; N]) -> Self {
        Asked { arguments: words.map(str::to_owned).to_vec(), env: Vec::new() }
    }

    /// Adds `OPTION=VALUE`, unless the user's arguments set that option.
    fn option(&mut self, user: &[String], option: &str, value: impl std::fmt::Display) {
        if !is_set(user, option) {
            self.arguments.push(format!("{option}={value}"));
        }
    }

    /// Adds an option and its value as two words, unless the user's arguments set that option.
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

/// Whether the user's arguments set an option, as one word or two.
fn is_set(user: &[String], option: &str) -> bool {
    let is_it = |word: &String| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    user.iter().any(is_it)
}

/// A choice among the benchmarks of a program.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// Names of all benchmarks of the program.
    pub all: &'a [String],
    /// Names of those that are to run.
    pub only: &'a [String],
}

/// A benchmark harness.
pub trait Harness: Debug {
    /// Name on the command line.
    fn name(&self) -> String;

    /// Asks a program for the names of its benchmarks, or makes it run each as briefly as it can; asks nothing of a
    /// program that runs all of them whatever it is asked.
    fn list(&self, _user: &[String], _folder: &str) -> Asked {
        Asked::default()
    }

    /// Names in the answer to [`Harness::list`].
    ///
    /// # Errors
    /// The answer is not one of this harness.
    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError>;

    /// Asks a program to run some of its benchmarks for about `time` each; asks nothing as above.
    fn run(&self, _user: &[String], _chosen: Chosen<'_>, _time: Duration, _folder: &str) -> Asked {
        Asked::default()
    }

    /// Reads what a process told. What it repeated has one name.
    ///
    /// # Errors
    /// The output is not one of this harness, or is incomplete.
    fn told(&self, output: &Output) -> Result<Told, SuiteError>;

    /// Reads a file that holds what one process or several told, one after the other.
    ///
    /// # Errors
    /// As [`Harness::told`].
    fn stored(&self, text: &str) -> Result<Told, SuiteError> {
        self.told(&Output::printed(text))
    }

    /// Whether a part of the benchmarks can be run.
    fn can_choose(&self) -> bool {
        true
    }
}

/// A text with every character escaped that has a meaning in a regular expression of any flavour. A closing bracket is left
/// as it is: POSIX gives an escaped one no meaning, and refuses it.
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

/// An expression for exactly these names.
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
    fn names_are_quoted_for_every_flavour() {
        assert_eq!(any_of(["a/1", "b(x)+[y]"].into_iter()), r"^(a/1|b\(x\)\+\[y])$");
    }
}
