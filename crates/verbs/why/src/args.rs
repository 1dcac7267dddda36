//! Options of `why`.

use clap::Args;
use fauxplat_options::{
    CommandArgs, CommitsArgs, ConditionArgs, EndArgs, Measured, Output, TreeBuildArgs, percent,
    time_with_unit,
};
use fauxplat_units::Nanos;

/// Examples for the help.
pub(crate) const EXAMPLES: &str = "\
  fauxplat why ./old ./new
  fauxplat why --max-time 30s './server --once' './server --once --log'
  fauxplat why --no-simulate -n old -n new 'python3 old.py' 'python3 new.py'
  fauxplat why --commits main,HEAD --build 'make server' './server --once'
  fauxplat compare ./old ./new && fauxplat why --stored last
  fauxplat why --stored last --benchmark BM_sort/1000
  fauxplat why --format html -o why.html ./old ./new";

#[derive(Debug, Args)]
#[command(mut_arg("build", |arg| arg.requires("commits")))]
pub(crate) struct WhyArgs {
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// Differences within plus or minus this share count as none [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "Decision")]
    pub(crate) margin: Option<f64>,
    /// Probability that programs that do not differ are called different, and get a cause [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "Decision")]
    pub(crate) level: Option<f64>,
    /// Time for the comparison and all experiments after it; what does not fit is left out, and named
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = time_with_unit, help_heading = "Decision")]
    pub(crate) max_time: Nanos,
    /// Leave the simulator out (valgrind's cachegrind, which counts instructions and misses some thirty times slower)
    #[arg(long, help_heading = "Experiments")]
    pub(crate) no_simulate: bool,
    /// Leave out traced runs, for programs that may not be traced
    #[arg(long, help_heading = "Experiments")]
    pub(crate) no_trace: bool,
    /// Leave out sampled runs
    #[arg(long, help_heading = "Experiments")]
    pub(crate) no_profile: bool,
    /// Explain an earlier comparison of two commands: the same ones, under the same condition, are measured anew. Of a run
    /// of one command: compare it with itself now. A number of `fauxplat history list`, or last
    #[arg(long, value_name = "ID", conflicts_with_all = ["commands", "definition", "commits"], help_heading = "Commands")]
    pub(crate) stored: Option<String>,
    /// The benchmark to explain, where the earlier experiment is a suite: it is run alone, for a fixed number of rounds
    #[arg(long, value_name = "NAME", requires = "stored", help_heading = "Commands")]
    pub(crate) benchmark: Option<String>,
    #[command(flatten)]
    pub(crate) commits: CommitsArgs,
    #[command(flatten)]
    pub(crate) build: TreeBuildArgs,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) output: Output<Measured>,
}
