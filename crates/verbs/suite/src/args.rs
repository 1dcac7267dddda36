//! Options of `suite`.

#![expect(missing_docs, reason = "a doc comment on a group of options would become its help")]

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fauxplat_options::{ConditionArgs, EndArgs, Measured, Output, after, percent, time_with_unit};
use fauxplat_units::Nanos;
use regex::Regex;

use crate::harness::Choice;

const EXAMPLES: &str = "\
  fauxplat suite ./old/bench ./new/bench
  fauxplat suite --max-time 2m --fail-if slower ./old.test ./new.test
  fauxplat suite --harness 'lines:^(\\S+): ([0-9.]+) (ns)$' './old all' './new all'
  fauxplat suite --filter '^BM_sort' --fdr ./old/bench ./new/bench
  fauxplat suite --from old.json new.json";

/// Benchmarks of two builds, and what changed, under one budget of error
#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct SuiteArgs {
    /// Two builds of one benchmark program, each with its arguments as one word of the shell
    #[arg(value_name = "PROGRAM", num_args = 2, required_unless_present = "from")]
    pub programs: Vec<String>,
    /// How the programs are asked and their output is read [default: recognised by their --help]: google-benchmark (or
    /// google-benchmark:cpu, for its CPU time), criterion, go, pytest-benchmark, catch2, divan, json:POINTER, or lines:REGEX with groups for the name, the number and
    /// the unit
    #[arg(long, value_name = "NAME")]
    pub harness: Option<Choice>,
    /// Only benchmarks whose names match
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<Regex>,
    /// Judge two files of results of one harness and run nothing; weaker, since the machine may have changed between them
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "programs")]
    pub from: Vec<PathBuf>,
    /// The largest change that counts as none
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = percent, help_heading = "Decision")]
    pub margin: f64,
    /// Probability that any benchmark of the suite is called changed and is not, at whatever moment one looks
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent, help_heading = "Decision")]
    pub level: f64,
    /// Let the level be the expected share of false ones among those called changed: more are found in suites where much has
    /// changed
    #[arg(long, help_heading = "Decision")]
    pub fdr: bool,
    /// Time after which no further process begins
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time_with_unit, help_heading = "Decision")]
    pub max_time: Nanos,
    /// Fail with exit code 1 if some benchmark is slower or faster than that by more than the margin, or changed either way;
    /// `undecided` fails too where neither that nor the contrary is shown. Sampling goes on until the question is answered
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        conflicts_with = "from",
        help_heading = "Decision"
    )]
    pub fail_if: Vec<FailIf>,
    /// Seed of the coin [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

/// A finding that fails a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// B is slower by more than the margin.
    Slower,
    /// B is faster by more than the margin.
    Faster,
    /// Either.
    Changed,
    /// A change beyond the margin is neither shown nor excluded.
    Undecided,
}
