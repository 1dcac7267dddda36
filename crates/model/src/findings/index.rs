//! Findings of `index`: the power of CPUs in FauxPlats.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::WorkerCounts;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuIndex {
    pub cpu: Cpu,
    /// FauxPlats per second of CPU time: in undisturbed laps, or in typical laps if all CPUs work at once.
    pub fauxplat_per_s: f64,
    /// Low end of the 95 % prediction interval for a repetition.
    pub low: f64,
    pub high: f64,
    /// FauxPlats per second in the median lap: the power that was available at the time, sharing of the core included.
    #[serde(default)]
    pub typical_per_s: f64,
    /// FauxPlats per second of wall time, waiting and steal included.
    pub wall_per_s: f64,
    /// Share of the wall time in which the thread waited for its CPU; `None` if the kernel does not report it.
    pub run_delay_share: Option<f64>,
    /// Share of the wall time that is neither CPU time nor run-queue wait: steal, on a virtual machine.
    pub rest_share: Option<f64>,
    pub laps: usize,
    pub rounds: usize,
    /// Whether the kernel executes the same instructions on every machine of this architecture.
    pub comparable: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexFindings {
    pub cpus: Vec<CpuIndex>,
    /// Whether all CPUs worked at once, not one after the other.
    pub together: bool,
    pub policy: crate::Policy,
    /// Instructions of one iteration of the kernel. A FauxPlat has a hundred thousand iterations.
    pub instructions_per_iteration: Option<u64>,
    /// Counts of the workers for each kind of work; empty unless counters were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    pub elapsed_s: f64,
}
