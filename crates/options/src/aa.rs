//! Options of `aa`.

use clap::{Args, ValueEnum};

use super::help::after;
use super::output::{Measured, Output};
use super::{CommandArgs, ConditionArgs, EndArgs, RuleArgs, percent};

const EXAMPLES: &str = "\
  fauxplat aa './program input'
  fauxplat aa --power 1% './program input'
  fauxplat aa --replay last";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct AaArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    /// Strata: plain, drift, layout, busy-sibling [default: all that this machine has]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub strata: Vec<Stratum>,
    /// Comparisons of identical copies per stratum, or for each difference that a replay adds [default: 20, of a replay
    /// 200]
    #[arg(short = 'N', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub comparisons: Option<u32>,
    /// Run nothing: say from a recorded session (an id, `last`, or a JSON file) of `aa --strata plain` what would be found
    /// here, and how often a verdict would be false
    #[arg(long, value_name = "RUN-ID|FILE")]
    #[arg(conflicts_with_all = ["commands", "strata", "power", "rivals", "duet"])]
    pub replay: Option<String>,
    /// Also compare with copies that do this much more work, and count how often the difference is found
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub power: Option<f64>,
    /// Comparisons per stratum for --power [default: as --comparisons]
    #[arg(long, value_name = "N")]
    pub power_comparisons: Option<u32>,
    /// Go on after each verdict until the rules of other tools have as many runs as those tools take: some seconds for
    /// each comparison. Without this option these rules judge only comparisons that happen to have enough runs
    #[arg(long)]
    pub rivals: bool,
    #[command(flatten)]
    pub rule: RuleArgs,
    /// Run both commands at the same moment, on two like CPUs, and change their places in every pair: for machines where
    /// neighbours and steal are the largest noise
    #[arg(long)]
    pub duet: bool,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stratum {
    Plain,
    Drift,
    Layout,
    BusySibling,
}

impl From<Stratum> for fauxplat_experiment::measure::aa::Stratum {
    fn from(stratum: Stratum) -> Self {
        match stratum {
            Stratum::Plain => Self::Plain,
            Stratum::Drift => Self::Drift,
            Stratum::Layout => Self::Layout,
            Stratum::BusySibling => Self::BusySibling,
        }
    }
}
