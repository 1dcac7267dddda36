//! Counters of a machine, and counts of a process.

use serde::{Deserialize, Serialize};

use crate::{Derived, Metric};

/// Counters that are available on a machine, with reasons for those that are unavailable; or the counts of a watched
/// process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersFindings {
    /// Every named counter; empty if a process was watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterFinding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchedProcess>,
}

/// Counts of fauxplat's own workers for one kind of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCounts {
    /// The work with its place, and the work beside it.
    pub work: String,
    pub counts: Vec<WorkerCount>,
    /// Figures computed from counts of the same shift.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCount {
    pub metric: Metric,
    /// Count per unit of work.
    pub per_unit: f64,
    pub per_cpu_s: f64,
    /// Shifts in which the event was counted.
    pub shifts: usize,
}

/// Counts of a process that was already running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedProcess {
    pub pid: u32,
    /// Name in the kernel (`comm`).
    pub name: String,
    /// Threads at the start of the watch. Threads that the process creates later are counted too.
    pub threads: usize,
    pub elapsed_ns: u64,
    pub has_ended: bool,
    pub series: Vec<CounterSeries>,
    /// Requested counters that were counted for none or only part of the time, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
}

/// Counts of one event in each interval of the watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterSeries {
    pub metric: Metric,
    /// Length of an interval; the last interval may be shorter.
    pub every_ns: u64,
    /// End of each interval, from the start of the watch.
    pub until_ns: Vec<u64>,
    /// Count within each interval; `None` if the counter was not scheduled.
    pub counts: Vec<Option<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterFinding {
    pub name: String,
    /// `pmu`, `software`, `machine` or `simulated`.
    pub source: String,
    /// Whether the calling user can count the event on this machine.
    pub available: bool,
    /// Why the counter is unavailable or incomplete, with a remedy.
    pub reason: Option<String>,
}
