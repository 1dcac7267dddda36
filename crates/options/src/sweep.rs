//! Options of `sweep`.

use clap::Args;
use fauxplat_model::{Factor, Metric, StatedMargin};
use fauxplat_units::Nanos;

use super::compare::metric;
use super::help::after_text;
use super::output::{Measured, Output};
use super::{BuildArgs, CommandArgs, ConditionArgs, EndArgs, percent, time_with_unit};

/// Help text about the factors, built from their descriptions.
fn factors() -> String {
    let name = Factor::Parameter("NAME".to_owned());
    let rows: Vec<String> = Factor::BUILT_IN.iter().chain([&name]).map(row).collect();
    let rows = rows.concat();
    format!("Factors, with what is swept when no levels are given:\n{}", rows.trim_end())
}

/// The help line of a factor, wrapped with indented continuation lines.
fn row(factor: &Factor) -> String {
    const WIDTH: usize = 86;
    let mut lines = vec![String::new()];
    for word in factor.about().split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < WIDTH => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    let name = std::iter::once(factor.name()).chain(std::iter::repeat(""));
    name.zip(&lines).map(|(name, line)| format!("  {name:<13}{line}\n")).collect()
}

const EXAMPLES: &str = "\
  fauxplat sweep env-size './program input'
  fauxplat sweep n=1,2,4,8 'make -j {n}'
  fauxplat sweep --metric wall,peak-memory --margin wall=2%,peak-memory=1MiB level=1,6,9 'xz -{level} -c file'
  fauxplat sweep 'env-size*aslr' --exhaustive ./program";

#[derive(Debug, Args)]
#[command(after_help = after_text(&factors(), EXAMPLES))]
pub struct SweepArgs {
    /// What is varied: a factor with its levels, as env-size=0..4096:64 or n=1,2,4; two are crossed: 'env-size*aslr'
    #[arg(value_name = "FACTOR[=LEVELS]", required_unless_present = "definition")]
    pub factor: Option<String>,
    #[command(flatten)]
    pub commands: CommandArgs,
    #[command(flatten)]
    pub build: BuildArgs,
    #[command(flatten)]
    pub rule: SweepRuleArgs,
    /// Fail with exit code 1 if the factor has an effect
    #[arg(long)]
    pub fail_if_effect: bool,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

// Options for the decision of a sweep.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Decision")]
pub struct SweepRuleArgs {
    /// The metric that decides, or several, which share the --level: wall, user, sys, cpu, peak-memory, …, table:NAME of a
    /// --table [default: wall]
    #[arg(long, value_name = "METRIC", value_delimiter = ',', value_parser = metric)]
    pub metric: Vec<Metric>,
    /// Differences between levels within this count as none: a share for all metrics, METRIC=SHARE or METRIC=AMOUNT with its
    /// unit for one [default: 1%]
    #[arg(long, value_name = "PERCENT|METRIC=AMOUNT", value_delimiter = ',')]
    pub margin: Vec<StatedMargin>,
    /// Probability of a false effect over the whole sweep, all levels and all metrics [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub level: Option<f64>,
    /// Most visits of each level [default: 100, or as many as fit into a minute, up to 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub blocks: Option<u32>,
    /// Time limit, after which the answer is `undecided`
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
    /// Visit every level in every block, also levels that must be equal, and do not stop when the answer is known
    #[arg(long)]
    pub exhaustive: bool,
}
