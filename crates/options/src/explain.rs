//! Options of `explain`.

use clap::{Args, ValueEnum};
use fauxplat_model::Metric;
use fauxplat_units::Nanos;

use super::compare::metric;
use super::help::after;
use super::output::{Measured, Output};
use super::{BuildArgs, CommandArgs, ConditionArgs, EndArgs, percent, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat explain './program input'
  fauxplat explain --factors env-size,heap --max-time 2m './program input'";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct ExplainArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    #[command(flatten)]
    pub design: DesignArgs,
    #[command(flatten)]
    pub build: BuildArgs,
    /// Layouts in which a program is built; they are the levels of the factor `layout` [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=64), help_heading = "Build")]
    pub layouts: Option<u64>,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

// Options for the factors of `explain` and the number of its runs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Design")]
pub struct DesignArgs {
    /// What is varied: env-size (place of the stack within a page), heap (place of the heap), cpu (the CPUs of --cpu, or
    /// all allowed ones, for commands of one thread). Several commands are the levels of a further factor; place in the
    /// block and time are always looked at [default: all]
    #[arg(long, value_name = "FACTOR,…", value_delimiter = ',')]
    pub factors: Vec<Varied>,
    /// The metric that is explained: wall, user, sys, cpu [default: wall]
    #[arg(long, value_parser = metric)]
    pub metric: Option<Metric>,
    /// Probability of naming any factor without cause [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub level: Option<f64>,
    /// At most so many blocks of 16 runs [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub blocks: Option<u32>,
    /// No new block after this time, but at least twelve [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Varied {
    EnvSize,
    Heap,
    Cpu,
}
