//! `run`.

use clap::Args;
use fauxplat_model::Runs;

use super::{CommandArgs, ConditionArgs, EXIT_CODES, OutputArgs, percent};

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// Measured runs of each command: a number, or auto (at least 10, for about 3 s)
    #[arg(short, long, value_name = "N", value_parser = number_of_runs, conflicts_with = "until")]
    pub(crate) runs: Option<Runs>,
    /// Run until the interval of the median is within this precision, for instance 1%
    #[arg(short, long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) until: Option<f64>,
    /// List each process of the command: pid, parent, CPU time, wall time, peak memory (one extra, traced run)
    #[arg(long)]
    pub(crate) tree: bool,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Reads `auto` or a number; a precision has an option of its own.
fn number_of_runs(text: &str) -> Result<Runs, String> {
    match text.parse()? {
        Runs::Until(_) => Err(format!("`{text}` is a precision: say --until {text}")),
        runs => Ok(runs),
    }
}
