//! Values of options from which wishes are made: benchmarks, gates and CI services.

use std::str::FromStr;

use clap::ValueEnum;

/// Name of the file with the benchmarks and defaults of a project.
pub(crate) const DEFINITION: &str = "fauxplat.toml";

/// A named command to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Benchmark {
    /// Name of the benchmark in reports.
    pub name: String,
    /// Command line, which is run in the project's folder.
    pub command: String,
}

impl FromStr for Benchmark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, command) =
            text.split_once('=').map(|(name, command)| (name.trim(), command.trim())).unwrap_or_default();
        match name.is_empty() || command.is_empty() {
            true => Err(format!("`{text}` is no NAME=COMMAND, such as 'sort=./program sort big.txt'")),
            false => Ok(Benchmark { name: name.to_owned(), command: command.to_owned() }),
        }
    }
}

/// The gate of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailIf {
    /// A change that is slower.
    #[default]
    Slower,
    /// A change that is not shown to be no slower, too.
    #[value(name = "slower,undecided")]
    SlowerUndecided,
    /// Nothing.
    None,
}

/// A service that runs jobs, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    Github,
    Gitlab,
    Shell,
}
