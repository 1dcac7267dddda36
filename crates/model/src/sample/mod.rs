//! Samples: the readings and the outcome of one run.

mod bound;
mod mark;
mod readings;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Metric, MetricSet};
pub use bound::{Bound, Bounds, Told};
pub use readings::{Counted, Reading, Readings};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// A run that warms caches; recorded and never analysed.
    Warmup,
    Measured,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The command returned this exit status.
    Exited(u8),
    /// The command was ended by this signal.
    Signaled(u8),
    /// The command was still running at the time limit and was ended.
    TimedOut,
}

impl Outcome {
    /// Whether the command ended by itself with status 0.
    pub fn is_success(self) -> bool {
        self == Outcome::Exited(0)
    }

    /// The outcome as a number, like in a shell: the status, 128 + signal, or 124 for a time-out as in `timeout(1)`.
    pub fn exit_status(self) -> i32 {
        match self {
            Outcome::Exited(status) => status.into(),
            Outcome::Signaled(signal) => 128 + i32::from(signal),
            Outcome::TimedOut => 124,
        }
    }
}

/// All readings of one run, and its circumstances.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Number of the run in the experiment, counted over all runs from 0.
    pub trial: u32,
    /// Number of the block; the runs of a block share their random settings.
    pub block: u32,
    /// Index of the command in the list of commands of the experiment.
    pub command: u16,
    /// Position of the run within the block, from 0.
    pub position: u16,
    pub phase: Phase,
    pub outcome: Outcome,
    /// The CPU on which the command began; `u16::MAX` when unknown.
    pub cpu_first: u16,
    /// The CPU on which the command ended; `u16::MAX` when unknown.
    pub cpu_last: u16,
    /// Number of descendants of the command that were still alive when it ended, and were then killed.
    pub left_behind: u16,
    /// Environment padding of the run, in bytes.
    pub env_pad_bytes: u16,
    /// Start of the run in nanoseconds after the start of the experiment.
    pub started_ns: u64,
    pub readings: Readings,
}

impl Sample {
    /// A measured run with these readings that ended successfully on an unknown CPU, with number 0 in its experiment.
    pub fn of(readings: Readings) -> Self {
        Sample {
            trial: 0,
            block: 0,
            command: 0,
            position: 0,
            phase: Phase::Measured,
            outcome: Outcome::Exited(0),
            cpu_first: u16::MAX,
            cpu_last: u16::MAX,
            left_behind: 0,
            env_pad_bytes: 0,
            started_ns: 0,
            readings,
        }
    }

    /// The value of a metric; `None` if it was not measured or is a bound.
    pub fn get(&self, metric: Metric) -> Option<u64> {
        self.readings.get(metric)
    }

    /// The number of a metric's reading, and how it relates to the value; `None` if the metric was not measured.
    pub fn told(&self, metric: Metric) -> Option<Told> {
        self.readings.told(metric)
    }
}

/// The metrics of samples: the built-in ones, then the others in the order of their ids.
pub fn metrics_of<'s>(samples: impl IntoIterator<Item = &'s Sample>) -> Vec<Metric> {
    let mut open = BTreeSet::new();
    let mut last: Option<&Arc<MetricSet>> = None;
    for sample in samples {
        let metrics = sample.readings.metrics();
        // Most samples of an experiment share the same set, which needs to be examined only once.
        if last.is_none_or(|last| !Arc::ptr_eq(last, metrics)) {
            open.extend(metrics.iter().filter(|metric| !metric.is_built_in()));
            last = Some(metrics);
        }
    }
    Metric::BUILT_IN.iter().copied().chain(open).collect()
}

/// Kernel interface that a reading comes from, which determines the processes that the reading covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// `wait4(2)`: the command and every descendant that was waited for.
    Rusage,
    /// `taskstats`: every task of the tree at its exit.
    Taskstats,
    /// An inherited `perf_event_open(2)` software counter: every task of the tree.
    PerfEvent,
    /// `/proc/PID` just before the command is reaped: its first thread only.
    FirstThread,
    /// No interface: not available on this machine or with the user's permissions, or not measured.
    #[default]
    None,
}

/// Kernel interfaces from which the readings of an experiment come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    pub cpu_time: Source,
    pub peak_memory: Source,
    /// With [`Source::Rusage`], a reading of peak memory up to this many bytes may be that of the spawner (the process
    /// that starts the command) itself.
    pub peak_memory_floor_bytes: u64,
    pub run_delay: Source,
    pub migrations: Source,
    /// Counts of events in an empty program under the same condition, which are included in the counts of every
    /// command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counter_floors: Vec<CounterFloor>,
}

/// Counts of an event in runs of the empty static program. Never subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterFloor {
    pub metric: Metric,
    /// The true count in user mode, if known: the number of instructions that the program executes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<u64>,
    pub least: u64,
    pub median: u64,
    pub most: u64,
    pub runs: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The readings of a hundred thousand samples have to fit into memory: with the fifteen built-in metrics, a sample
    /// takes fewer than 208 bytes in all, and eight more per further metric.
    #[test]
    fn a_hundred_thousand_samples_stay_small() {
        const BLOCK: usize = 16;
        let heap = |metrics: usize| BLOCK + Readings::bytes(metrics);
        assert!(size_of::<Sample>() <= 64, "{}", size_of::<Sample>());
        assert!(size_of::<Sample>() + heap(Metric::BUILT_IN.len()) < 208);
        assert_eq!(Readings::bytes(115) - Readings::bytes(15), 800);
    }
}
