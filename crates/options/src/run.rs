//! Options of `run`.

use clap::Args;
use fauxplat_experiment::series::SHORTEST;
use fauxplat_model::Runs;
use fauxplat_units::Nanos;

use super::help::after;
use super::output::{OfRuns, Output};
use super::{CommandArgs, ConditionArgs, EndArgs, percent, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat run 'sort big.txt'
  fauxplat run --runs 30 -L level=1,6,9 'gzip -{level} -c big.txt'
  fauxplat run --prepare 'sync' --export csv=runs.csv './program input'
  fauxplat run --shell --tree 'sort big.txt | uniq -c'";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct RunArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    /// Measured runs of each command: a number, or auto (at least 10, for about 3 s, at most 500)
    #[arg(short, long, value_name = "N", value_parser = number_of_runs, conflicts_with = "until")]
    pub runs: Option<Runs>,
    /// At least so many measured runs of each command [default: 10]
    #[arg(short, long, value_name = "N", conflicts_with = "runs", value_parser = clap::value_parser!(u32).range(1..))]
    pub min_runs: Option<u32>,
    /// At most so many
    #[arg(short = 'M', long, value_name = "N", conflicts_with = "runs", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_runs: Option<u32>,
    /// Run until the interval of the median is within this precision, for instance 1%
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub until: Option<f64>,
    /// End after this time, once each command has been measured, whatever else was asked for
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
    /// No shell, which is the default (the same as --shell=none)
    #[arg(short = 'N', long, conflicts_with = "shell")]
    pub no_shell: bool,
    /// List each process of the command: pid, parent, CPU time, wall time, peak memory (one extra, traced run)
    #[arg(long, conflicts_with_all = ["simulated", "simulate_machine"])]
    pub tree: bool,
    /// Show how the counters of -e went along one more run, at the end of each interval of this length (1ms or more). That run
    /// is not timed
    #[arg(long, value_name = "TIME", value_parser = interval, requires = "counters", conflicts_with = "simulated")]
    pub series: Option<Nanos>,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<OfRuns>,
}

/// Parses the interval of `--series` between two readings of counters.
pub(crate) fn interval(text: &str) -> Result<Nanos, String> {
    match time_with_unit(text)? {
        time if time < SHORTEST => Err(format!("`{text}` is too short: at least {SHORTEST}")),
        time => Ok(time),
    }
}

/// Parses the value of `--runs`: `auto` or a number. A precision has a separate option, `--until`.
fn number_of_runs(text: &str) -> Result<Runs, String> {
    match text.parse()? {
        Runs::Until(_) => Err(format!("`{text}` is a precision: say --until {text}")),
        runs => Ok(runs),
    }
}
