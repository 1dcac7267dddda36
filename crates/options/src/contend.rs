//! Options of `contend`.

use clap::Args;
use fauxplat_kernels::Kernel;
use fauxplat_model::Placement;
use fauxplat_units::{Cpu, CpuSet, Nanos};

use super::help::after;
use super::output::{Measured, Output};
use super::{EndArgs, SurroundingsArgs, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat contend
  fauxplat contend integer-ports llc --pairs 0:1,0:2
  fauxplat contend --capacity --interval 5s";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct ContendArgs {
    /// Kernels: integer-ports, integer-latency, float, branch, l1, l2, llc, dram, stream, fauxplat [default: the first eight]
    #[arg(value_name = "KERNEL")]
    pub kernels: Vec<Kernel>,
    /// Pairs of CPUs, such as 0:1,0:0 for two threads on CPU 0 [default: all among --cpu]
    #[arg(long, value_name = "A:B", value_delimiter = ',', value_parser = pair)]
    pub pairs: Vec<(Cpu, Cpu)>,
    /// CPUs whose pairs are measured: a list or a relation, as for `run --cpu` [default: up to eight that are allowed]
    #[arg(long, value_name = "LIST|RELATION", conflicts_with = "pairs")]
    pub cpu: Option<Placement>,
    /// Rounds, each of which visits every cell once in an order of its own
    #[arg(short, long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(5..=1000))]
    pub rounds: u32,
    /// Most rounds for pairs that --rounds leave undecided, or whose wall time they leave unexplained [default: ten
    /// times --rounds]
    #[arg(long, value_name = "N", conflicts_with = "capacity")]
    pub max_rounds: Option<u32>,
    /// Time for which a pair runs a kernel of arithmetic or small caches; kernels of large caches take six times as
    /// long
    #[arg(short, long, value_name = "TIME", default_value = "10ms", value_parser = time_with_unit)]
    pub duration: Nanos,
    /// Measure how much work each further thread adds, and then show live how much capacity of the machine is unused
    #[arg(long, conflicts_with_all = ["pairs", "kernels"])]
    pub capacity: bool,
    /// With --capacity: time between two looks at the machine, from 50 ms on
    #[arg(long, value_name = "TIME", default_value = "1s", requires = "capacity", value_parser = look_every)]
    pub interval: Nanos,
    /// With --capacity: number of looks at the machine
    #[arg(long, value_name = "N", default_value_t = 5, requires = "capacity")]
    pub count: u32,
    /// Seed of the order of the cells [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Count what the kernel and the processor can, as `run -e` does, of each worker while it works (repeatable)
    #[arg(short = 'e', long, alias = "event", value_name = "COUNTER,…", conflicts_with = "capacity")]
    pub counters: Vec<String>,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

/// Parses the interval of `--capacity`. The kernel counts busy time in ticks of 10 ms, so an interval of a few such
/// ticks would measure nothing.
fn look_every(text: &str) -> Result<Nanos, String> {
    const LEAST: Nanos = Nanos(50_000_000);
    let every = time_with_unit(text)?;
    match every >= LEAST {
        true => Ok(every),
        false => Err(format!("`{text}` is shorter than {LEAST}: the kernel counts in ticks of 10 ms")),
    }
}

/// Parses an unordered pair of CPUs such as `0:1`.
fn pair(text: &str) -> Result<(Cpu, Cpu), String> {
    from_to(text).map(|(a, b)| (a.min(b), a.max(b)))
}

/// Parses an ordered pair of CPUs such as `0:1`, from the first to the second.
pub fn from_to(text: &str) -> Result<(Cpu, Cpu), String> {
    // A CPU number is parsed as a list, so that the limit of lists applies.
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| Some(text).filter(is_number)?.parse::<CpuSet>().ok()?.first();
    let both = text.split_once(':').and_then(|(a, b)| Some((number(a)?, number(b)?)));
    both.ok_or_else(|| format!("`{text}` is not a pair of CPUs such as 0:1"))
}
