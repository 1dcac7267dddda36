//! What is run.

use std::path::PathBuf;

use clap::Args;
use fauxplat_model::TableSource;

// What is run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Commands")]
pub(crate) struct CommandArgs {
    /// The commands, each as one word of the shell: fauxplat run 'sort big.txt'
    #[arg(value_name = "CMD")]
    pub(crate) commands: Vec<String>,
    /// What reports call the commands, in their order
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) names: Vec<String>,
    /// Parameter list: -L size=1,10,100 with {size} in the command; every combination is run (repeatable)
    #[arg(short = 'L', long = "parameter-list", value_name = "NAME=V,V,…")]
    pub(crate) parameters: Vec<String>,
    /// Run this before each run, unmeasured
    #[arg(short, long, value_name = "CMD")]
    pub(crate) prepare: Option<String>,
    /// Run this after each run, unmeasured
    #[arg(short, long, value_name = "CMD")]
    pub(crate) cleanup: Option<String>,
    /// Runs of each command before the first measured one that do not count; all verbs but run make one at least
    /// [default: 0]
    #[arg(short, long, value_name = "N")]
    pub(crate) warmup: Option<u32>,
    /// Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric
    /// `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum
    /// (repeatable: each is the metric table:NAME too, and the first is `rate`)
    #[arg(long = "table", value_name = "NAME=FILE[:OBJECT[.KEY]]")]
    pub(crate) tables: Vec<TableSource>,
    /// Saved definition; what the command line says goes first
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) input: Option<PathBuf>,
    /// Seed of everything that is drawn [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}
