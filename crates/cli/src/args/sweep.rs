//! `sweep`.

use clap::Args;
use fauxplat_model::Metric;
use fauxplat_units::Nanos;

use super::compare::metric;
use super::help::after_text;
use super::{BuildArgs, CommandArgs, ConditionArgs, OutputArgs, percent};

const AFTER: &str = "\
Factors, with what is swept when no levels are given:
  env-size    bytes of a clean environment with one variable [0..8192]
  argv-size   bytes by which argv[0] is longer, by slashes before the program's path [0..4096]
  cwd-length  bytes of the working directory's path; folders are made and removed [..1024:32]
  aslr        on, off
  heap-pad    bytes by which the heap begins further on [0..4080:16]
  cpu         each allowed CPU; several as 0-1 or 0+2
  priority    nice values, fifo:N, rr:N [0,10,19, and -10,fifo:1 where permitted]
  background  none, burner@same, burner@other, burner@all, each with a share: burner@all:50%
  frequency   kHz, where cpufreq exists [lowest, middle, highest]
  limit       none, cpu:50%, memory:64MiB, cpu:50%+memory:64MiB [none,cpu:75%,cpu:50%,cpu:25%]
  huge-pages  inherit, never, malloc
  stack-limit soft limit of the stack: a size, unlimited, inherit [8MiB,64MiB,1GiB,unlimited]
  link-order, link-padding, code-align
              seeds (0: as it is), bytes of padding, alignment of functions, of a program that --build or --link
              makes, each checked to give the same answer [0..15; 0..240:16; 16,32,64]
  NAME        a parameter of the command: n=1..16, n=fast,slow (param:NAME where a factor has that name)";

const EXAMPLES: &str = "\
  fauxplat sweep env-size './program input'
  fauxplat sweep n=1,2,4,8 'make -j {n}'
  fauxplat sweep 'env-size*aslr' --exhaustive ./program";

#[derive(Debug, Args)]
#[command(after_help = after_text(AFTER, EXAMPLES))]
pub(crate) struct SweepArgs {
    /// What is varied: a factor with its levels, as env-size=0..4096:64 or n=1,2,4; two are crossed: 'env-size*aslr'
    #[arg(value_name = "FACTOR[=LEVELS]", required_unless_present = "definition")]
    pub(crate) factor: Option<String>,
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
    #[command(flatten)]
    pub(crate) rule: SweepRuleArgs,
    /// Fail with exit code 1 if the factor has an effect
    #[arg(long)]
    pub(crate) fail_if_effect: bool,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

// How a sweep is decided.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Decision")]
pub(crate) struct SweepRuleArgs {
    /// The metric that decides: wall, user, sys, cpu [default: wall]
    #[arg(long, value_parser = metric)]
    pub(crate) metric: Option<Metric>,
    /// Differences between levels within this count as none [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) margin: Option<f64>,
    /// Probability of a false effect over the whole sweep [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) level: Option<f64>,
    /// At most so many visits of each level [default: 100, or as many as fit into a minute, up to 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) blocks: Option<u32>,
    /// Undecided after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) max_time: Option<Nanos>,
    /// Every level in every block, those included that must be equal; stop for no answer
    #[arg(long)]
    pub(crate) exhaustive: bool,
}
