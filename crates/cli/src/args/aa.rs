//! `aa`.

use clap::{Args, ValueEnum};

use super::help::after;
use super::{CommandArgs, ConditionArgs, EndArgs, OutputArgs, RuleArgs, percent};

const EXAMPLES: &str = "\
  fauxplat aa './program input'
  fauxplat aa --power 1% './program input'";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub(crate) struct AaArgs {
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// Strata: plain, drift, layout, busy-sibling [default: all that this machine has]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) strata: Vec<Stratum>,
    /// Comparisons of identical copies per stratum
    #[arg(short = 'N', long, value_name = "N", default_value_t = 20)]
    pub(crate) comparisons: u32,
    /// Also compare with copies that do this much more work, and count how often it is found
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) power: Option<f64>,
    /// Comparisons per stratum for --power [default: as --comparisons]
    #[arg(long, value_name = "N")]
    pub(crate) power_comparisons: Option<u32>,
    /// Go on after each verdict until the rules of other tools have the runs that they take by themselves: some seconds
    /// for each comparison. Without it they judge only what happens to have runs enough
    #[arg(long)]
    pub(crate) rivals: bool,
    #[command(flatten)]
    pub(crate) rule: RuleArgs,
    /// Run both commands at the same moment, on two like CPUs, and change their places in every pair: for machines where
    /// neighbours and steal are the largest noise
    #[arg(long)]
    pub(crate) duet: bool,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stratum {
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
