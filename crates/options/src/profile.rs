//! Options of `profile`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fauxplat_experiment::measure::profile::Unwinding;
use fauxplat_units::{Bytes, Nanos};
use regex::Regex;

use super::help::after;
use super::output::{Measured, Output};
use super::{CommandArgs, ConditionArgs, EndArgs, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat profile 'gzip -k -c big.txt'
  fauxplat profile --callers-of malloc ./program input
  fauxplat profile --export html=flame.html --export speedscope=p.json ./program
  fauxplat profile --pid 1234 --max-time 10s
  fauxplat profile --import perf.data --format html --output flame.html
  fauxplat profile ./old ./new";

/// The kernel's limit for the copy of the stack in a sample, in bytes; also the default.
const STACK_MAX: u64 = 65_528;
pub const STACK_BYTES: u32 = STACK_MAX as u32;
/// Default rate in samples per second: a prime, which shares no divisor with the frequency of periodic work.
pub const RATE_HZ: u64 = 997;
/// The greatest size of the stack's copy that the command line accepts: 64 KiB, a little more than the kernel copies.
const STACK_NAMED_MAX: u64 = 64 << 10;

/// Options about starting commands, which are refused for a running process and for a file.
const OF_COMMANDS: [&str; 16] = [
    "events",
    "command_name",
    "names",
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
    "regions",
    "control",
    "seed",
];

/// Options about the condition in which commands start, which are refused for a running process and for a file.
const OF_A_CONDITION: [&str; 24] = [
    "cpu",
    "pin_threads",
    "policy",
    "nice",
    "aslr",
    "env",
    "env_pad",
    "heap",
    "memory_policy",
    "interleave",
    "stdin",
    "stdout",
    "cwd",
    "timeout",
    "keep_background",
    "show_output",
    "shell",
    "ignore_failure",
    "skip_failures",
    "simulated",
    "simulate_machine",
    "load",
    "tune",
    "limit",
];

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES), mut_arg("counters", |arg| arg.help(
    "Sample at this event, as `fauxplat counters` names it: cpu-clock, cycles:u, page-faults; off-cpu: the time in \
     which threads wait, by where they do \
     [default: cycles, or cpu-clock where the processor counts none]"
)))]
pub struct ProfileArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    /// Sample a process that runs already, with all threads and processes that it makes from now on, until it ends, until
    /// --max-time or Ctrl-C
    #[arg(long, value_name = "PID", conflicts_with_all = ["commands", "definition", "runs"])]
    #[arg(conflicts_with_all = OF_COMMANDS, conflicts_with_all = OF_A_CONDITION)]
    pub pid: Option<u32>,
    /// Show what `perf record` wrote: callers are followed anew, and names are looked up here
    #[arg(long, value_name = "FILE", conflicts_with_all = ["commands", "definition", "runs", "pid"])]
    #[arg(conflicts_with_all = OF_COMMANDS, conflicts_with_all = OF_A_CONDITION)]
    #[arg(conflicts_with_all = ["frequency", "period", "unwind", "stack_size", "user_only", "max_time", "counters"])]
    pub import: Option<PathBuf>,
    /// Samples a second of CPU time, or of waiting
    #[arg(short = 'F', long, value_name = "HZ", default_value_t = RATE_HZ, value_parser = clap::value_parser!(u64).range(1..=50_000))]
    pub frequency: u64,
    /// Take a sample every so many events instead
    #[arg(long, value_name = "N", conflicts_with = "frequency", value_parser = clap::value_parser!(u64).range(1..))]
    pub period: Option<u64>,
    /// How callers are found: by the compiler's tables (eh-frame), or by frame pointers, which costs less and needs programs
    /// that keep them
    #[arg(long, visible_alias = "call-graph", value_name = "METHOD", default_value = "eh-frame")]
    pub unwind: Method,
    /// How much of the stack is copied with each sample, at most 64KiB (65528 bytes, to be exact); less costs less where
    /// stacks are deep, and loses their outermost callers [default: 64KiB]
    #[arg(long, value_name = "BYTES", value_parser = stack_bytes)]
    pub stack_size: Option<u32>,
    /// Leave out what happens in the kernel
    #[arg(long)]
    pub user_only: bool,
    /// Runs of each command that are sampled [default: 1; of several commands as many as fit into --max-time]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Begin no further run after this time [default: 30s for several commands, of which there are ten runs each at least],
    /// or watch a process no longer
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
    /// Show who calls the functions whose names match, also through others or inlined (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub callers_of: Vec<Regex>,
    /// Show what the functions whose names match call (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub callees_of: Vec<Regex>,
    /// Show the source lines with samples of the functions whose names match (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub annotate: Vec<Regex>,
    /// Show who called whom as a tree, too
    #[arg(long)]
    pub tree: bool,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

/// Methods of unwinding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// By the compiler's tables, through a copy of the stack
    #[value(alias = "dwarf")]
    EhFrame,
    /// By the chain of frame pointers, which the kernel follows
    #[value(alias = "fp")]
    FramePointers,
}

impl Method {
    pub fn unwinding(self) -> Unwinding {
        match self {
            Method::EhFrame => Unwinding::EhFrame,
            Method::FramePointers => Unwinding::FramePointers,
        }
    }
}

/// Parses the size of the stack's copy. The kernel accepts multiples of eight that fit into 16 bits.
fn stack_bytes(text: &str) -> Result<u32, String> {
    let bytes = text.parse::<Bytes>().map_err(|error| error.to_string())?.0;
    match bytes {
        1024..=STACK_NAMED_MAX => Ok(bytes.min(STACK_MAX) as u32 / 8 * 8),
        _ => Err(format!("`{text}` is not between 1KiB and 64KiB")),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;

    fn ids<A: Args>() -> Vec<String> {
        let command = A::augment_args(Command::new("x"));
        command.get_arguments().map(|arg| arg.get_id().to_string()).collect()
    }

    /// Each option of commands has to be refused with `--pid` and `--import` by one of the two lists, or be listed here
    /// as an exception.
    #[test]
    fn nothing_is_said_of_a_start_that_is_over() {
        let refused: Vec<&str> = [&OF_COMMANDS[..], &OF_A_CONDITION[..]].concat();
        let elsewhere = ["commands", "definition", "counters"];
        for id in ids::<CommandArgs>().iter().chain(&ids::<ConditionArgs>()) {
            assert!(refused.contains(&id.as_str()) || elsewhere.contains(&id.as_str()), "{id} is ignored");
        }
        let profile = || ProfileArgs::augment_args(Command::new("profile"));
        for words in [&["--cpu", "0"][..], &["--limit", "cpu:50%"], &["--prepare", "x"], &["--show-output"]] {
            for of in [["--pid", "1"], ["--import", "perf.data"]] {
                let line = ["profile"].iter().chain(&of).chain(words);
                let error = profile().try_get_matches_from(line).unwrap_err().to_string();
                assert!(error.contains(of[0]) && error.contains(words[0]), "{error}");
            }
        }
        assert!(profile().try_get_matches_from(["profile", "--pid", "1", "--max-time", "1s"]).is_ok());
    }
}
