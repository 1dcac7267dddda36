//! Options of `compare`, and of the decision rule.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, Id};
use fauxplat_experiment::measure::layouts::LinkSeeds;
use fauxplat_model::{Estimand, FailIf, Metric, Order, StatedMargin};
use fauxplat_units::Nanos;

use super::help::after;
use super::output::{Measured, Output};
use super::{
    BuildArgs, CommandArgs, CommitsArgs, ConditionArgs, EndArgs, ExplainedArgs, percent, time_with_unit,
};

const EXAMPLES: &str = "\
  fauxplat compare './before input' './after input'
  fauxplat compare --names old,new --fail-if slower --max-time 2m './old x' './new x'
  fauxplat compare --metric peak-memory 'sort big.txt' 'sort -S 1M big.txt'
  fauxplat compare --metric wall,peak-memory --margin wall=1%,peak-memory=64KiB './old x' './new x'
  fauxplat compare --sessions 6 --session-gap 10m './before input' './after input'
  fauxplat compare --profile './before input' './after input'
  fauxplat compare --why './before input' './after input'
  fauxplat compare --commits main,HEAD --merge-base --build 'make -j4' './program input'
  fauxplat compare --baseline last './program input'
  fauxplat compare --plan --max-time 2m './program input'
  fauxplat compare --build-a 'cc {link_flags} old.c -o {out}' --build-b 'cc {link_flags} new.c -o {out}' '{program}'";

/// Options that cannot be combined with the comparison of revisions (`--commits`).
const WITHOUT_COMMITS: [&str; 8] =
    ["baseline", "with", "plan", "build_a", "link", "link_seeds", "parameters", "scan"];

/// Options that exclude `--why`, since `fauxplat why` cannot measure such comparisons again.
const WITHOUT_WHY: [&str; 14] = [
    "baseline",
    "plan",
    "sessions",
    "confirm",
    "build",
    "build_a",
    "link",
    "link_seeds",
    "duet",
    "commits",
    "anytime",
    "estimand",
    "parameters",
    "scan",
];

/// Options, and groups of options by the names of their structs, that concern the running of commands. A comparison of
/// two stored results (`--with`) runs nothing and refuses these options.
const MEASURED: [&str; 26] = [
    "SurroundingsArgs",
    "BuildArgs",
    "build_a",
    "commands",
    "command_name",
    "parameters",
    "scan",
    "step",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "warmup",
    "tables",
    "metric_from",
    "counters",
    "regions",
    "control",
    "definition",
    "no_shell",
    "link_seeds",
    "duet",
    "profile",
    "max_pairs",
    "max_time",
    "anytime",
];

/// Ids of the options about the condition of runs. They have to be listed, since clap makes no group of a struct that
/// contains other structs.
fn of_condition() -> Vec<Id> {
    let group = ConditionArgs::augment_args(Command::new("condition"));
    group.get_arguments().map(|arg| arg.get_id().clone()).collect()
}

#[derive(Debug, Args)]
#[command(
    after_help = after(EXAMPLES),
    mut_arg("commits", |arg| arg.conflicts_with_all(WITHOUT_COMMITS)),
    mut_arg("why", |arg| arg.conflicts_with_all(WITHOUT_WHY)),
    mut_arg("with", |arg| arg.conflicts_with_all(of_condition())),
)]
pub struct CompareArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    #[command(flatten)]
    pub rule: RuleArgs,
    /// Measure in so many sessions, between which everything that can be is begun anew, and count each session once:
    /// the verdict then holds for the next session too. The sessions share the limits
    #[arg(long, value_name = "N", conflicts_with_all = ["baseline", "plan", "anytime", "estimand"], help_heading = "Decision")]
    pub sessions: Option<u32>,
    /// Pause before each session but the first, so that they are spread over more of what the machine goes through
    #[arg(long, value_name = "TIME", requires = "sessions", value_parser = time_with_unit, help_heading = "Decision")]
    pub session_gap: Option<Nanos>,
    /// Fail with exit code 1 if some command is slower or faster than the first by more than the margin, or different
    /// either way; `undecided` fails too where neither the change nor its absence is shown, `inconclusive` where there
    /// is no verdict. Sampling goes on until the question of the gate is answered
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = fail_if())]
    pub fail_if: Vec<FailIf>,
    /// Before a gate fails, measure a second time: it fails if both say the same. The first measurement is stored, and the
    /// report is that of the second
    #[arg(long, conflicts_with = "baseline")]
    pub confirm: bool,
    /// Exit code where the question of the gate is not decided: 125 makes `git bisect run` skip the commit. Without
    /// --fail-if the question is whether there is a difference beyond the margin
    #[arg(long, value_name = "CODE", conflicts_with = "plan", value_parser = clap::value_parser!(u8).range(1..))]
    pub undecided_code: Option<u8>,
    /// Compare with stored results (an id, `last`, or a JSON file) instead of a second command that runs in turns;
    /// weaker
    #[arg(long, value_name = "RUN-ID|FILE", conflicts_with_all = ["order", "estimand"])]
    pub baseline: Option<String>,
    /// Compare the --baseline with these results, which are stored too, and run nothing; of several commands of either,
    /// --names says which are meant: OLD,NEW
    #[arg(long, value_name = "RUN-ID|FILE", requires = "baseline", conflicts_with_all = MEASURED)]
    pub with: Option<String>,
    /// Compare nothing yet: record a short session of the first command against itself, and say what can be found here, in which
    /// time, and how often a verdict would be false; with --fail-if, what the gate would find
    #[arg(long)]
    #[arg(conflicts_with_all = ["baseline", "confirm", "build_a", "build", "link", "link_seeds", "duet"])]
    pub plan: bool,
    /// Accept a --baseline that was measured on another machine; the report says so
    #[arg(long, requires = "baseline")]
    pub other_machine: bool,
    #[command(flatten)]
    pub commits: CommitsArgs,
    #[command(flatten)]
    pub build: BuildArgs,
    /// Shell command that builds A, with the placeholders of --build; the measured command names the program as
    /// {program}. Both programs are linked anew in every block, with one link seed for both, so the verdict is about
    /// the source
    #[arg(long, value_name = "CMD", requires = "build_b", conflicts_with_all = ["build", "link"], help_heading = "Build")]
    pub build_a: Option<String>,
    /// Shell command that builds B
    #[arg(long, value_name = "CMD", requires = "build_a", help_heading = "Build")]
    pub build_b: Option<String>,
    /// Compare two layouts of one build, each as a fixed binary: seeds such as 3,17, or `widest:N` for the fastest and
    /// the slowest of N
    #[arg(long, value_name = "SEED,SEED|widest:N", conflicts_with_all = ["build_a", "baseline"], help_heading = "Build")]
    pub link_seeds: Option<LinkSeeds>,
    /// Run both commands at the same moment, on two like CPUs, and change their places in every pair: for machines where
    /// neighbours and steal are the largest noise
    #[arg(long, conflicts_with = "baseline")]
    pub duet: bool,
    /// Where the two commands differ, say in which functions: further runs of both are sampled in turns for so long, at least
    /// ten of each, and none of them is timed [time: 30s]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "30s", value_parser = time_with_unit)]
    #[arg(conflicts_with_all = ["baseline", "plan", "sessions", "confirm", "build_a", "build", "link", "link_seeds", "duet"])]
    pub profile: Option<Nanos>,
    #[command(flatten)]
    pub explained: ExplainedArgs,
    /// No shell, which is the default (the same as --shell=none)
    #[arg(short = 'N', long, conflicts_with = "shell")]
    pub no_shell: bool,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

// Options for the decision of a comparison.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Decision")]
pub struct RuleArgs {
    /// The metric that decides, or several, which share the --level: wall, user, sys, cpu, peak-memory, …, table:NAME of a
    /// --table [default: wall]
    #[arg(long, value_name = "METRIC", value_delimiter = ',', value_parser = metric)]
    pub metric: Vec<Metric>,
    /// Differences within plus or minus this count as none: a share for all metrics, METRIC=SHARE or METRIC=AMOUNT with its
    /// unit for one [default: 1%]
    #[arg(long, value_name = "PERCENT|METRIC=AMOUNT", value_delimiter = ',')]
    pub margin: Vec<StatedMargin>,
    /// Probability of a false `different` over the whole comparison [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub level: Option<f64>,
    /// Slow runs count as equally frequent if the pairs in which one command is much slower exceed those in which the other
    /// is by at most this share of all pairs [default: 3%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub tail_margin: Option<f64>,
    /// End an undecided comparison after this many pairs [default: 30 s or 128 pairs, whichever is later]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(6..=100_000))]
    pub max_pairs: Option<u32>,
    /// End an undecided comparison after this time
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
    /// What decides: the typical pair (the median ratio of two runs side by side), or the mean, which is what many runs cost;
    /// both are reported [default: typical]
    #[arg(long, value_name = "WHAT", value_parser = estimand, conflicts_with_all = ["anytime", "simulated"])]
    pub estimand: Option<Estimand>,
    /// Order of the runs in a block: each command twice in a row, which shows what a command leaves to the next, or each once
    /// [default: aabb]
    #[arg(long, value_name = "ORDER", value_parser = order, conflicts_with_all = ["duet", "simulated"])]
    pub order: Option<Order>,
    /// A verdict that is valid at every moment, so that you may watch and stop at will; needs more pairs
    #[arg(long)]
    pub anytime: bool,
}

fn estimand(word: &str) -> Result<Estimand, String> {
    match word {
        "typical" => Ok(Estimand::Typical),
        "mean" => Ok(Estimand::Mean),
        _ => Err("typical or mean".to_owned()),
    }
}

/// Parses the order of the runs in a block.
///
/// # Errors
/// Fails for any other word.
pub fn order(word: &str) -> Result<Order, String> {
    match word {
        "aabb" => Ok(Order::Aabb),
        "ab" => Ok(Order::Ab),
        _ => Err("aabb or ab".to_owned()),
    }
}

/// The parser for the names of gates that `--fail-if` of a comparison accepts.
pub fn fail_if() -> impl TypedValueParser<Value = FailIf> {
    gates(FailIf::OF_COMPARISON.map(FailIf::word).to_vec())
}

/// The parser for the names of gates that `--fail-if` of a suite accepts.
pub fn fail_if_of_suite() -> impl TypedValueParser<Value = FailIf> {
    gates(FailIf::ALL.map(FailIf::word).to_vec())
}

fn gates(words: Vec<&'static str>) -> impl TypedValueParser<Value = FailIf> {
    PossibleValuesParser::new(words).try_map(|word| FailIf::from_word(&word).ok_or("the gate is unknown"))
}

pub fn metric(name: &str) -> Result<Metric, String> {
    let known = Metric::from_name(name).map_or_else(|| Metric::from_id(name), Ok);
    known.map_err(|error| {
        let names: Vec<&str> = Metric::BUILT_IN.iter().map(|metric| metric.name()).collect();
        let near = Metric::near(name).map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
        match name.contains(':') {
            true => error.to_string(),
            false => format!("there is no metric `{name}`{near}; there are {}, table:NAME", names.join(", ")),
        }
    })
}
