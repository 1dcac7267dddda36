//! Options of `latency`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fauxplat_gpio::LineName;
use fauxplat_model::{Placement, Policy};
use fauxplat_options::{EndArgs, Measured, Output, SurroundingsArgs, after, from_to, time_with_unit};
use fauxplat_units::{Cpu, Nanos};

use crate::LatencyError;
use crate::instruments::{Channel, Drive};

const EXAMPLES: &str = "\
  fauxplat latency
  fauxplat latency timer --cpu 0-3 --interval 200us --count 100000
  fauxplat latency noise --duration 10s --load llc@1
  fauxplat latency line edge --policy fifo:90
  fauxplat latency line --line gpiochip0:4 --answer gpiochip0:17";

#[derive(Debug, Args)]
#[command(about = "How late are timers, messages and signals, and why?", after_help = after(EXAMPLES))]
pub(crate) struct LatencyArgs {
    /// What is tested
    #[arg(value_name = "TEST", default_value = "timer")]
    pub tests: Vec<Test>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Test {
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

/// Default number of timer activations.
const COUNT: u64 = 3000;

impl LatencyArgs {
    /// Whether one of these tests is requested.
    fn has_test(&self, any: &[Test]) -> bool {
        self.tests.iter().any(|test| any.contains(test))
    }

    /// Refuses options that none of the requested tests uses.
    ///
    /// # Errors
    /// Fails with [`LatencyError::Refused`].
    pub(crate) fn check(&self) -> Result<(), LatencyError> {
        let amounts = self.refused_amounts();
        let mut refused = amounts.into_iter().chain(self.refused_places());
        refused.find(|(is_refused, _)| *is_refused).map_or(Ok(()), |(_, why)| Err(LatencyError::Refused(why)))
    }

    /// Reasons why options about amounts and times may be refused, each with whether it applies.
    fn refused_amounts(&self) -> [(bool, &'static str); 8] {
        use Test::{Edge, Line, Message, Noise, Signal, Timer};
        let is_counted = self.has_test(&[Timer, Message, Signal, Line, Edge]);
        let is_timed = self.has_test(&[Noise]) || self.count.is_none() && !self.has_test(&[Message, Signal]);
        let is_real_time = |policy: &Policy| *policy != Policy::Other;
        let has_slack = self.policy.is_empty() || !self.policy.iter().all(is_real_time);
        let is_zero = |time: Option<Nanos>| time == Some(Nanos(0));
        [
            (
                self.interval.is_some() && !self.has_test(&[Timer, Line, Edge]),
                "--interval is for the tests `timer`, `line` and `edge`",
            ),
            (self.threshold.is_some() && !self.has_test(&[Noise]), "--threshold is for the test `noise`"),
            (
                !self.slack.is_empty() && !self.has_test(&[Timer, Edge]),
                "--slack is for the tests `timer` and `edge`",
            ),
            (!self.slack.is_empty() && !has_slack, "--slack: real-time policies ignore the slack of timers"),
            (self.count.is_some() && !is_counted, "--count: noise is watched for a --duration"),
            (
                self.duration.is_some() && !is_timed,
                "--duration is for the test `noise`, and for `timer`, `line` and `edge` without --count; messages and signals have \
                 a number",
            ),
            (is_zero(self.interval), "--interval 0: the interval must be longer than 0"),
            (is_zero(self.duration), "--duration 0: the duration must be longer than 0"),
        ]
    }

    /// Reasons why options about CPUs, channels and lines may be refused, each with whether it applies.
    fn refused_places(&self) -> [(bool, &'static str); 5] {
        use Test::{Edge, Line, Message, Noise, Signal, Timer};
        [
            (
                (self.line.is_some() || self.drive.is_some()) && !self.has_test(&[Line]),
                "--line and --drive are for the test `line`",
            ),
            (
                self.answer.is_some() && !self.has_test(&[Line, Edge]),
                "--answer is for the tests `line` and `edge`",
            ),
            (
                !self.pairs.is_empty() && !self.has_test(&[Message, Signal, Line]),
                "--pairs are for the tests `message`, `signal` and `line`",
            ),
            (
                !self.channels.is_empty() && !self.has_test(&[Message]),
                "--channels are for the test `message`",
            ),
            (
                self.cpu.is_some() && !self.has_test(&[Timer, Noise, Edge]),
                "--cpu is for the tests `timer`, `noise` and `edge`; `message`, `signal` and `line` take --pairs",
            ),
        ]
    }

    /// Period of the timer test, and time between two edges in the tests of lines.
    pub(crate) fn interval(&self) -> Nanos {
        self.interval.unwrap_or(Nanos(1_000_000))
    }

    /// Number of timer activations, messages, signals or edges in each test: as stated, or as many activations as fit
    /// into the stated time.
    pub(crate) fn count(&self) -> u64 {
        let has_others = self.has_test(&[Test::Message, Test::Signal]);
        match (self.count, self.duration.filter(|_| !has_others)) {
            (Some(count), _) => count,
            (None, None) => COUNT,
            (None, Some(duration)) => (duration.0 / self.interval().0.max(1)).max(1),
        }
    }

    /// Time for which a CPU is watched for noise (gaps in the execution of a busy loop).
    pub(crate) fn duration(&self) -> Nanos {
        self.duration.unwrap_or(Nanos(3_000_000_000))
    }

    /// Length of the shortest gap that counts as noise.
    pub(crate) fn threshold(&self) -> Nanos {
        self.threshold.unwrap_or(Nanos(1_000))
    }
}
