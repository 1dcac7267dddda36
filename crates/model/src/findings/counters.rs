//! Findings about the counters of a machine, and counts of a running process.

use serde::{Deserialize, Serialize};

use crate::{Derived, Metric};

/// Availability of counters on a machine, with reasons if they are not available; or the counts of a watched process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersFindings {
    /// Every counter that fauxplat knows by name; empty if a process was watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterFinding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchedProcess>,
}

/// Counts of events in fauxplat's own worker threads for one kind of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCounts {
    /// The kind of work with its CPU, and the work beside it, as text.
    pub work: String,
    pub counts: Vec<WorkerCount>,
    /// Figures computed from counts of the same shift, such as instructions per cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCount {
    pub metric: Metric,
    /// Median count per unit of work, over the shifts.
    pub per_unit: f64,
    pub per_cpu_s: f64,
    /// Number of shifts in which the event was counted.
    pub shifts: usize,
}

/// Counts of events in a process that was already running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedProcess {
    pub pid: u32,
    /// Name of the process in the kernel (`comm`).
    pub name: String,
    /// Number of threads at the start of the watch. Threads that the process creates later are counted too.
    pub threads: usize,
    pub elapsed_ns: u64,
    pub has_ended: bool,
    pub series: Vec<CounterSeries>,
    /// Sentences about requested counters that did not count, or only part of the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
}

/// Counts of one kind of event in each interval of the watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterSeries {
    pub metric: Metric,
    /// Length of an interval in nanoseconds; the last interval may be shorter.
    pub every_ns: u64,
    /// End of each interval, in nanoseconds after the start of the watch.
    pub until_ns: Vec<u64>,
    /// Number of events within each interval; `None` if the counter was not scheduled.
    pub counts: Vec<Option<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterFinding {
    pub name: String,
    /// Where the count comes from: `pmu`, `software`, `machine` or `simulated`.
    pub source: String,
    /// Whether the calling user can count the event on this machine.
    pub available: bool,
    /// Why the counter is unavailable or incomplete, and what helps; `None` if there is nothing to say.
    pub reason: Option<String>,
}
