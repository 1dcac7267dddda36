//! Counters of a machine, and counts of a process.

use serde::{Deserialize, Serialize};

use crate::{Derived, Metric};

/// Counters that are available on a machine, with reasons for those that are not; or the counts of a process that was
/// watched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersFindings {
    /// Every named counter; empty where a process was watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterFinding>,
    /// The process that was watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchedProcess>,
}

/// Counts of fauxplat's own workers at one kind of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCounts {
    /// Description of the work: its place, and the work beside it.
    pub work: String,
    /// Each counter.
    pub counts: Vec<WorkerCount>,
    /// Figures computed from counts of the same shift.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
}

/// A counter of workers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCount {
    /// The counter.
    pub metric: Metric,
    /// Count per unit of the work.
    pub per_unit: f64,
    /// Count per second of CPU time.
    pub per_cpu_s: f64,
    /// Shifts in which the event was counted.
    pub shifts: usize,
}

/// Counts of a process that was running already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedProcess {
    /// Process id.
    pub pid: u32,
    /// Name in the kernel (`comm`).
    pub name: String,
    /// Threads at the start of the watch; threads that the process makes later are counted with them.
    pub threads: usize,
    /// Duration of the watch.
    pub elapsed_ns: u64,
    /// Whether the process ended during the watch.
    pub has_ended: bool,
    /// A series per counter.
    pub series: Vec<CounterSeries>,
    /// Counters that were requested and not counted, or not the whole time, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
}

/// Counts of one event in each interval of the watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterSeries {
    /// The metric that was counted.
    pub metric: Metric,
    /// Length of an interval; the last interval may be shorter.
    pub every_ns: u64,
    /// End of each interval, from the start of the watch.
    pub until_ns: Vec<u64>,
    /// Count within each interval; `None` where the counter was not scheduled.
    pub counts: Vec<Option<u64>>,
}

/// A counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterFinding {
    /// Name of the counter.
    pub name: String,
    /// Origin of the count: `pmu`, `software`, `machine` or `simulated`.
    pub source: String,
    /// Whether the caller can count it on this machine.
    pub available: bool,
    /// Why the counter is unavailable or incomplete, with a remedy.
    pub reason: Option<String>,
}
