//! Findings of `index`: the power of CPUs in FauxPlats.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::WorkerCounts;

/// The power of one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuIndex {
    /// The CPU.
    pub cpu: Cpu,
    /// FauxPlats per second of CPU time: of the undisturbed laps, or of the typical ones where all CPUs work at once.
    pub fauxplat_per_s: f64,
    /// Low end of the 95 % prediction interval for a repetition.
    pub low: f64,
    /// High end of the prediction interval.
    pub high: f64,
    /// FauxPlats per second of the median lap: the power that was available at the time, sharing of the core included.
    #[serde(default)]
    pub typical_per_s: f64,
    /// FauxPlats per second of wall time, waiting and steal included.
    pub wall_per_s: f64,
    /// Share of the wall time in which the thread waited for its CPU; `None` where the kernel does not report it.
    pub run_delay_share: Option<f64>,
    /// Share of the wall time that is neither CPU time nor run-queue wait: steal, on a virtual machine.
    pub rest_share: Option<f64>,
    /// Number of laps.
    pub laps: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// Whether the kernel executes the same instructions on every machine of this architecture.
    pub comparable: bool,
}

/// Findings of `index`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexFindings {
    /// An entry per CPU.
    pub cpus: Vec<CpuIndex>,
    /// Whether all CPUs worked at once rather than one after the other.
    pub together: bool,
    /// Scheduling policy of the workers.
    pub policy: crate::Policy,
    /// Instructions of one iteration of the kernel; a FauxPlat has a hundred thousand iterations.
    pub instructions_per_iteration: Option<u64>,
    /// Counts of the workers at each kind of work, if counters were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    /// Wall time of the measurement in seconds.
    pub elapsed_s: f64,
}
