//! Options of `index`.

use clap::Args;
use fauxplat_model::{Placement, Policy};
use fauxplat_units::Nanos;

use super::help::after;
use super::output::{Measured, Output};
use super::{EndArgs, SurroundingsArgs, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat index
  fauxplat index --all-cpus --together";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct IndexArgs {
    /// CPUs to measure, as for `run --cpu` [default: the first one that is allowed]
    #[arg(long, value_name = "LIST", conflicts_with = "all_cpus")]
    pub cpu: Option<Placement>,
    /// Every CPU that is allowed
    #[arg(long)]
    pub all_cpus: bool,
    /// Measure all CPUs at once, as on a machine under full load, instead of one after the other
    #[arg(long)]
    pub together: bool,
    /// Time per CPU, up to 5000 s
    #[arg(short, long, value_name = "TIME", default_value = "10s", value_parser = time_per_cpu)]
    pub duration: Nanos,
    /// Scheduling policy: other, fifo:N or rr:N [default: fifo:99 where it is permitted]
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<Policy>,
    /// Seed of the order in which the CPUs take turns [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Count what the kernel and the processor can, as `run -e` does, of each worker while it works (repeatable)
    #[arg(short = 'e', long, alias = "event", value_name = "COUNTER,…")]
    pub counters: Vec<String>,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

/// Parses a time with a unit; a number alone would be ambiguous. The time is limited, because all laps of a CPU's turn
/// are stored until the end of the turn.
fn time_per_cpu(text: &str) -> Result<Nanos, String> {
    const MOST: Nanos = Nanos(5_000_000_000_000);
    let time = time_with_unit(text)?;
    if time <= MOST {
        Ok(time)
    } else {
        Err(format!("`{text}` is longer than the 5000 s that are measured at once"))
    }
}
