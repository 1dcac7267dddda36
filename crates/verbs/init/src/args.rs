//! Options of `init`.

use std::path::PathBuf;

use clap::Args;
use fauxplat_options::{after, percent, time_with_unit};

use crate::words::{Benchmark, FailIf, Service};

const EXAMPLES: &str = "\
  fauxplat init
  fauxplat init --build make --benchmark 'sort=./program sort big.txt' --ci github
  fauxplat init --build 'go test -c -o bench.test .' --program ./bench.test
  fauxplat init --benchmark 'start=python3 -c pass' --ci gitlab,shell --folder ../service";

/// Write the files with which a project measures its changes
#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub(crate) struct InitArgs {
    /// A command whose time is followed, with a name; may be given more than once. Without it and without --program, a
    /// terminal is asked
    #[arg(long, value_name = "NAME=COMMAND", conflicts_with = "program")]
    pub benchmark: Vec<Benchmark>,
    /// A benchmark program with a harness that `fauxplat suite` knows, with its arguments
    #[arg(long, value_name = "COMMAND")]
    pub program: Option<String>,
    /// Shell command that builds a revision of the project [default: what its files suggest]
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,
    /// The largest change that counts as none
    #[arg(long, value_name = "PERCENT", value_parser = as_typed(percent))]
    pub margin: Option<String>,
    /// Time that a comparison of two revisions takes at most, without building them
    #[arg(long, value_name = "TIME", value_parser = as_typed(time_with_unit))]
    pub max_time: Option<String>,
    /// Changes that fail: `slower` by more than the margin; `slower,undecided` also where that is not excluded; `none` for
    /// no gate
    #[arg(long, value_name = "WHAT", default_value = "slower")]
    pub fail_if: FailIf,
    /// Services whose job is written: github, gitlab, or shell (a script alone)
    #[arg(long, value_name = "SERVICE", value_delimiter = ',')]
    pub ci: Vec<Service>,
    /// The project
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    pub force: bool,
}

/// Returns a parser that checks a value, and keeps the text as it was typed, since that goes into a file.
fn as_typed<T>(
    parse: fn(&str) -> Result<T, String>,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static
where
    T: 'static,
{
    move |text| parse(text).map(|_| text.to_owned())
}
