//! Options of `suite`.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use clap::Args;
use fauxplat_experiment::Failure;
use fauxplat_model::{FailIf, Order};
use fauxplat_options::{
    CommitsArgs, ConditionArgs, EndArgs, ExplainedArgs, Measured, Output, TreeBuildArgs, after,
    fail_if_of_suite, order, percent, time_with_unit,
};
use fauxplat_units::Nanos;
use regex::Regex;

use crate::harness::Choice;

const EXAMPLES: &str = "\
  fauxplat suite ./old/bench ./new/bench
  fauxplat suite --max-time 2m --fail-if slower ./old.test ./new.test
  fauxplat suite --harness 'lines:^(\\S+): ([0-9.]+) (ns)$' './old all' './new all'
  fauxplat suite --filter '^BM_sort' --fdr ./old/bench ./new/bench
  fauxplat suite benchmarks.toml ./old/program ./new/program
  fauxplat suite --commits main,HEAD --build 'make bench' './bench --quick'
  fauxplat suite --why ./old/bench ./new/bench
  fauxplat suite --from old.json new.json";

/// Benchmarks of two builds, and what changed, under one budget of error
#[derive(Debug, Args)]
#[command(
    after_help = after(EXAMPLES),
    mut_arg("commits", |arg| arg.conflicts_with("from")),
    mut_arg("build", |arg| arg.requires("commits")),
    mut_arg("why", |arg| arg.conflicts_with("from")),
)]
pub struct SuiteArgs {
    /// Two builds of one benchmark program, each with its arguments as one word of the shell; or FILE.toml (- is standard input),
    /// whose benchmarks are plain commands, and the two programs that `{program}` in them stands for. With --commits a single program stands for both
    #[arg(value_name = "PROGRAM", num_args = 1..=3, required_unless_present = "from")]
    pub programs: Vec<String>,
    /// How the programs are asked and their output is read [default: recognised by their --help]: google-benchmark (or
    /// google-benchmark:cpu, for its CPU time), criterion, go, pytest-benchmark, jmh, catch2, divan, nanobench, json:POINTER, or lines:REGEX with groups for the name, the number and
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
    /// Order of the runs: each side twice in a row, so that what a run leaves to the next one counts for neither side, or each
    /// once. Plain commands begin with aabb, and go on with ab where nothing is left [default: aabb for plain commands, ab for a harness]
    #[arg(long, value_name = "ORDER", value_parser = order, conflicts_with = "from", help_heading = "Decision")]
    pub order: Option<Order>,
    /// Fail with exit code 1 if some benchmark is slower or faster than that by more than the margin, or different either way;
    /// `undecided` fails too where neither that nor the contrary is shown, `inconclusive` where there is no verdict, `missing`
    /// where only A has a benchmark or none of its pairs could be measured. Sampling goes on until the question is answered
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        value_parser = fail_if_of_suite(),
        conflicts_with = "from",
        help_heading = "Decision"
    )]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub explained: ExplainedArgs,
    #[command(flatten)]
    pub commits: CommitsArgs,
    #[command(flatten)]
    pub build: TreeBuildArgs,
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

/// The two builds that a suite compares, as named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides<'a> {
    /// Two programs with a harness.
    Programs([&'a str; 2]),
    /// A file of plain commands, with the programs that `{program}` in them stands for.
    File(&'a Path, Option<[&'a str; 2]>),
}

impl SuiteArgs {
    /// The two builds that the positional arguments name.
    ///
    /// # Errors
    /// Fails for too many or too few arguments.
    pub fn sides(&self) -> Result<Sides<'_>, Failure> {
        let words: Vec<&str> = self.programs.iter().map(String::as_str).collect();
        // The shell's `<(command)` names a pipe, so a FIFO is read as a file of benchmarks.
        let is_pipe = |path: &Path| path.metadata().is_ok_and(|facts| facts.file_type().is_fifo());
        let is_file = |word: &str| {
            let path = Path::new(word);
            word == "-" || path.extension().is_some_and(|it| it == "toml") || is_pipe(path)
        };
        let of_commits = !self.commits.commits.is_empty();
        match *words.as_slice() {
            [program] if of_commits && !is_file(program) => Ok(Sides::Programs([program, program])),
            [file, program] if of_commits && is_file(file) => {
                Ok(Sides::File(Path::new(file), Some([program, program])))
            }
            [file] if is_file(file) => Ok(Sides::File(Path::new(file), None)),
            [file, a, b] if is_file(file) => Ok(Sides::File(Path::new(file), Some([a, b]))),
            [a, b] if !is_file(a) => Ok(Sides::Programs([a, b])),
            _ => Err(Failure::usage(
                "a suite has two programs, each with its arguments as one word of the shell, or a FILE.toml of benchmarks \
                 and, after it, the two programs that {program} in its commands stands for; with --commits one program is enough",
            )),
        }
    }
}
