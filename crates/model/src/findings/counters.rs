//! What can be counted on a machine.

use serde::{Deserialize, Serialize};

use crate::{Derived, Metric};

/// What can be counted on a machine, and why other things cannot; or what a process did that was watched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersFindings {
    /// Every counter that has a name; none where a process was watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterFinding>,
    /// The process that was watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchedProcess>,
}

/// What workers of our own counted at one kind of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCounts {
    /// The work: where, and beside whom.
    pub work: String,
    /// Each counter.
    pub counts: Vec<WorkerCount>,
    /// Figures from what was counted in the same shift.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
}

/// One counter of workers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCount {
    /// The counter.
    pub metric: Metric,
    /// For each unit of the work.
    pub per_unit: f64,
    /// For each second of CPU time.
    pub per_cpu_s: f64,
    /// Shifts in which it was counted.
    pub shifts: usize,
}

/// What was counted of a process that ran already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedProcess {
    /// Its number.
    pub pid: u32,
    /// What the kernel calls it.
    pub name: String,
    /// Threads that it had when it began to be watched; those that it makes later are counted with them.
    pub threads: usize,
    /// For how long it was watched.
    pub elapsed_ns: u64,
    /// Whether it ended meanwhile.
    pub has_ended: bool,
    /// What was counted.
    pub series: Vec<CounterSeries>,
    /// What was asked for and not counted, or not all of it, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
}

/// How often something happened in each interval of a time that was watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterSeries {
    /// What was counted.
    pub metric: Metric,
    /// How long an interval is; the last one is as long as was left.
    pub every_ns: u64,
    /// The end of each interval, from the beginning on.
    pub until_ns: Vec<u64>,
    /// What was counted within each; absent where the counter had no turn.
    pub counts: Vec<Option<u64>>,
}

/// One counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterFinding {
    /// What it is called.
    pub name: String,
    /// Who counts: `pmu`, `software`, `machine` or `simulated`.
    pub source: String,
    /// Whether it can be counted here, by whoever asked.
    pub available: bool,
    /// Why not, or not all of it, and what helps.
    pub reason: Option<String>,
}
