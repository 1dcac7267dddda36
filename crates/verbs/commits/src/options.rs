//! Options of `bisect`.

use clap::Args;
use fauxplat_model::Metric;
use fauxplat_options::{
    CommandArgs, ConditionArgs, EndArgs, Measured, Output, TreeBuildArgs, metric, percent, time_with_unit,
};
use fauxplat_units::Nanos;

pub(crate) const EXAMPLES: &str = "\
  fauxplat bisect --good v1.2 --build 'make -j4' './program input'
  fauxplat bisect --good v1.2 --bad main --first-parent --build 'cargo build --release' 'target/release/p input'
  fauxplat bisect --good v1.2 --metric peak-memory --margin 5% --build make ./program
  git bisect run fauxplat compare --commits v1.2,HEAD --build make --fail-if slower --undecided-code 125 ./program";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Decision")]
pub(crate) struct SearchArgs {
    /// The metric that changed: wall, user, sys, cpu, peak-memory, …, printed:NAME of a --metric-from [default: wall]
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    pub(crate) metric: Option<Metric>,
    /// Differences of the ends within plus or minus this share count as no change [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) margin: Option<f64>,
    /// Probability of naming a commit that did not make the change [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) level: Option<f64>,
    /// Stop after so much time of measuring, builds not counted; the same command line then continues the search
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub(crate) max_time: Option<Nanos>,
}

#[derive(Debug, Args)]
pub(crate) struct BisectArgs {
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// Revision before the change: an ancestor of the other end
    #[arg(long, value_name = "REV", help_heading = "Commits")]
    pub(crate) good: String,
    /// Revision after the change, or WORKTREE, the local changes
    #[arg(long, value_name = "REV", default_value = "HEAD", help_heading = "Commits")]
    pub(crate) bad: String,
    #[command(flatten)]
    pub(crate) build: TreeBuildArgs,
    /// Follow only the first parent of merges: a merge is one commit with all that it brought
    #[arg(long, help_heading = "Commits")]
    pub(crate) first_parent: bool,
    /// Begin anew, rather than go on where an interrupted search of the same ends and command stopped
    #[arg(long, help_heading = "Commits")]
    pub(crate) anew: bool,
    /// Exit code where no single commit is shown to have made the change [default: 0]
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) undecided_code: Option<u8>,
    #[command(flatten)]
    pub(crate) rule: SearchArgs,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) output: Output<Measured>,
}
