//! The command line, once: parsing, help, man pages and completions all come from here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fauxplat_model::{EnvPad, Metric, Placement, Policy, Runs};
use fauxplat_report::Format;
use fauxplat_units::Nanos;

const EXIT_CODES: &str = "Exit codes: 0 done; 1 a gate failed (--fail-if); 2 bad usage or input; \
3 the machine or its permissions do not allow it; 4 the measured command failed; 70 a bug in fauxplat.";

/// A performance laboratory: is it really faster, and what moved the number?
#[derive(Debug, Parser)]
#[command(name = "fauxplat", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// How long one or several commands take, and what they use, under a stated condition
    Run(RunArgs),
    /// Which command is faster, by how much, and how sure that is
    Compare(CompareArgs),
    /// Whether the verdict itself holds on this machine: comparisons of identical programs
    Aa(AaArgs),
    /// Earlier results: list, show, export, remove
    History(HistoryArgs),
    /// Write the manual pages into a folder
    #[command(name = "__man", hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
    /// Write the shell completions into a folder
    #[command(name = "__completions", hide = true)]
    Completions {
        /// The folder
        folder: PathBuf,
    },
}

/// The condition under which commands run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Condition")]
pub(crate) struct ConditionArgs {
    /// CPUs: a list such as 0-3, `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU),
    /// `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a
    /// single thread, else free) [default: free for run, auto for compare and aa]
    #[arg(long, value_name = "LIST|free|auto|one-of:LIST|idle-of:LIST")]
    pub(crate) cpu: Option<Placement>,
    /// Scheduling policy: other, fifo:N or rr:N [default: other]
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: Option<Policy>,
    /// Nice value, -20 to 19 [default: inherited]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(i8).range(-20..=19))]
    pub(crate) nice: Option<i8>,
    /// Address space layout randomisation of the command [default: as the machine has it]
    #[arg(long, value_name = "on|off")]
    pub(crate) aslr: Option<OnOff>,
    /// Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]
    #[arg(long, value_name = "clean|inherit|NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Environment padding: bytes, none, or `random`: each block draws a displacement of the stack within a page,
    /// the same for all commands of the block [default: random; for run none, unless ASLR is off]
    #[arg(long, value_name = "BYTES|none|random")]
    pub(crate) env_pad: Option<EnvPad>,
    /// Place of the heap: `random` displaces it by 0 to 4080 bytes per block, the same for all its commands. It takes
    /// ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]
    #[arg(long, value_name = "inherit|random")]
    pub(crate) heap: Option<HeapChoice>,
    /// File for standard input, read from its beginning in each run [default: /dev/null]
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// Where the command's output goes: null, inherit, or a file that standard output is appended to [default: null]
    #[arg(long, value_name = "null|inherit|FILE")]
    pub(crate) stdout: Option<String>,
    /// Working directory of the commands
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// End a run after this time (500ms, 2.5s, 1m); it counts as failed
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<Nanos>,
    /// Run each command line by /bin/sh -c; the start of the shell is measured too
    #[arg(long)]
    pub(crate) shell: bool,
    /// Keep and analyse runs that fail
    #[arg(short, long)]
    pub(crate) ignore_failure: bool,
}

/// What is run.
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
    /// Unmeasured runs of each command before the first measured one [default: 0 for run, 1 for compare]
    #[arg(short, long, value_name = "N")]
    pub(crate) warmup: Option<u32>,
    /// Saved definition; what the command line says goes first
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) input: Option<PathBuf>,
    /// Seed of everything that is drawn [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// Where results go.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct OutputArgs {
    /// text, json, csv, markdown, hyperfine-json, pyperf-json, github-action-benchmark, bencher-bmf
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// File for the report instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Colour: auto (on a terminal, unless NO_COLOR is set), always, never
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) colour: When,
    /// Where results are stored: a file, or none [default: the user's data directory]
    #[arg(long, value_name = "PATH|none")]
    pub(crate) store: Option<PathBuf>,
    /// No progress line
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

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

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    #[command(flatten)]
    pub(crate) rule: RuleArgs,
    /// Fail with exit code 1 if some command is: slower or faster than the first, different, or inconclusive
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_if: Vec<Gate>,
    /// Compare with stored results (an id, `last`, or a JSON file) instead of a command that runs beside; weaker
    #[arg(long, value_name = "RUN-ID|FILE")]
    pub(crate) baseline: Option<String>,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How a comparison is decided.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Decision")]
pub(crate) struct RuleArgs {
    /// The metric that decides: wall, user, sys, cpu, peak-memory, … [default: wall]
    #[arg(short, long, value_parser = metric)]
    pub(crate) metric: Option<Metric>,
    /// Differences within plus or minus this count as none [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) margin: Option<f64>,
    /// Probability of a false `different` over the whole comparison [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) level: Option<f64>,
    /// Inconclusive after this many pairs [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(6..))]
    pub(crate) max_pairs: Option<u32>,
    /// Inconclusive after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) max_time: Option<Nanos>,
    /// A verdict that is valid at every moment, so that you may watch and stop at will; needs more pairs
    #[arg(long)]
    pub(crate) anytime: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
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
    #[command(flatten)]
    pub(crate) rule: RuleArgs,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    pub(crate) action: HistoryAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryAction {
    /// One line per experiment, newest last
    List {
        /// Only this verb: run, compare, aa
        #[arg(long)]
        kind: Option<String>,
        /// Only those with a command that contains this
        #[arg(long)]
        name: Option<String>,
        /// Only those since this time, for instance 2026-11
        #[arg(long)]
        since: Option<String>,
        /// At most so many, the newest
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The report of an experiment, as it was
    Show {
        /// Its number, or `last`
        id: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An experiment with all its samples, as JSON unless --format says otherwise
    Export {
        /// Its number, or `last`
        id: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Remove experiments
    Rm {
        /// Their numbers
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnOff {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HeapChoice {
    Inherit,
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Gate {
    Slower,
    Faster,
    Different,
    Inconclusive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stratum {
    Plain,
    Drift,
    Layout,
    BusySibling,
}

/// Reads `1%`, or `0.01`.
fn percent(text: &str) -> Result<f64, String> {
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    match digits.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number / scale < 1.0 => Ok(number / scale),
        _ => Err(format!("`{text}` is not a share or precision such as 1%, above 0 and below 100 %")),
    }
}

/// Reads `auto` or a number; a precision has an option of its own.
fn number_of_runs(text: &str) -> Result<Runs, String> {
    match text.parse()? {
        Runs::Until(_) => Err(format!("`{text}` is a precision: say --until {text}")),
        runs => Ok(runs),
    }
}

fn metric(name: &str) -> Result<Metric, String> {
    Metric::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        format!("there is no metric `{name}`; there are {}", names.join(", "))
    })
}
