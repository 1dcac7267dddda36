//! Options of `latency`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fauxplat_gpio::LineName;
use fauxplat_latency::{Channel, Drive};
use fauxplat_model::{Placement, Policy};
use fauxplat_units::{Cpu, Nanos};

use super::help::after;
use super::output::{Measured, Output};
use super::{EndArgs, SurroundingsArgs, contend::from_to, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat latency
  fauxplat latency timer --cpu 0-3 --interval 200us --count 100000
  fauxplat latency noise --duration 10s --load llc@1
  fauxplat latency line edge --policy fifo:90
  fauxplat latency line --line gpiochip0:4 --answer gpiochip0:17";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct LatencyArgs {
    /// What is tested
    #[arg(value_name = "TEST", default_value = "timer")]
    pub tests: Vec<LatencyKind>,
    /// Scheduling policies, each tested in turns: other, fifo:N or rr:N [default: other, and fifo:90 where permitted]
    #[arg(long, value_name = "POLICY", value_delimiter = ',')]
    pub policy: Vec<Policy>,
    /// CPUs for timer, noise and edge: a list or a relation [default: the first one that is allowed]
    #[arg(long, value_name = "LIST|RELATION")]
    pub cpu: Option<Placement>,
    /// Pairs of CPUs for messages, signals and lines, such as 0:1 or 0:0 [default: the first CPU with itself and the next]
    #[arg(long, value_name = "A:B", value_delimiter = ',', value_parser = from_to)]
    pub pairs: Vec<(Cpu, Cpu)>,
    /// Period of the timer, and time from one edge to the next [default: 1ms]
    #[arg(short, long, value_name = "TIME", value_parser = time_with_unit)]
    pub interval: Option<Nanos>,
    /// Activations, messages, signals or edges of each test [default: 3000]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub count: Option<u64>,
    /// Slacks of the tests timer and edge, each tested in turns; real-time policies ignore them [default: the kernel's own, 50us]
    #[arg(long, value_name = "TIME", value_delimiter = ',', value_parser = time_with_unit)]
    pub slack: Vec<Nanos>,
    /// How long noise is watched [default: 3s], and also the timer if --count is not given
    #[arg(short, long, value_name = "TIME", value_parser = time_with_unit)]
    pub duration: Option<Nanos>,
    /// Shortest gap that counts as noise [default: 1us]
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub threshold: Option<Nanos>,
    /// Ways of messages: line, futex, pipe, eventfd, socketpair [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub channels: Vec<Channel>,
    /// Line whose edges are waited for: gpiochip0:4 (number or name), key:event3:28, or sim:N of a simulated chip [default: sim:0]
    #[arg(long, value_name = "LINE")]
    pub line: Option<LineName>,
    /// Line that answers, and the light of `edge`; led:NAME and sysfs:17 as well [default: sim:1]
    #[arg(long, value_name = "LINE")]
    pub answer: Option<LineName>,
    /// What makes the edges of --line: outside, an output line of this machine that is wired to it, or pull:FILE of a
    /// line of gpio-sim [default: the simulated chip for its own line, else outside]
    #[arg(long, value_name = "WHAT")]
    pub drive: Option<Drive>,
    /// Measure nothing: merge the histograms of earlier JSON documents, test by test
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = [
        "tests", "counters", "policy", "cpu", "pairs", "interval", "count", "slack", "duration", "threshold", "channels", "line", "answer", "drive", "seed",
    ])]
    pub merge: Vec<PathBuf>,
    /// Count what the kernel and the processor can, as `run -e` does, of the threads of each test (repeatable)
    #[arg(short = 'e', long, alias = "event", value_name = "COUNTER,…")]
    pub counters: Vec<String>,
    /// Seed of the order in which tests take turns [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

/// Tests of `latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LatencyKind {
    /// From the moment for which a timer is set to the moment when the thread runs
    Timer,
    /// What takes the CPU from a thread that never sleeps, and why
    Noise,
    /// From one CPU to another and back
    Message,
    /// From sending a signal to its handler
    Signal,
    /// From an edge of a line to its handler, and on to the line that answers
    Line,
    /// From the moment when an edge of a blinking light is due to the edge
    Edge,
}
