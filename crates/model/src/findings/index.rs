//! Findings of `index`: the power of CPUs in FauxPlats.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::WorkerCounts;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuIndex {
    pub cpu: Cpu,
    /// FauxPlats (units of 100,000 iterations of a loop) per second of CPU time: in undisturbed laps, or in typical
    /// laps if all CPUs work at once.
    pub fauxplat_per_s: f64,
    /// Lower end of the 95 % interval in which a repeated measurement will lie.
    pub low: f64,
    pub high: f64,
    /// FauxPlats per second in the median lap: the power that was available at the time, sharing of the core included.
    #[serde(default)]
    pub typical_per_s: f64,
    /// FauxPlats per second of wall time, so that waiting and steal count.
    pub wall_per_s: f64,
    /// Share of the wall time in which the thread waited for its CPU; `None` if the kernel does not report it.
    pub run_delay_share: Option<f64>,
    /// Share of the wall time that is neither CPU time nor run-queue wait: steal, on a virtual machine.
    pub rest_share: Option<f64>,
    pub laps: usize,
    pub rounds: usize,
    /// Whether the same instructions were executed as on every other machine of this architecture, so that indices can
    /// be compared.
    pub comparable: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexFindings {
    pub cpus: Vec<CpuIndex>,
    /// Whether all CPUs worked at the same time rather than one after the other.
    pub together: bool,
    pub policy: crate::Policy,
    /// Instructions in an iteration of the loop; a FauxPlat is a hundred thousand iterations. `None` if not known.
    pub instructions_per_iteration: Option<u64>,
    /// Counts of events in the workers for each kind of work; empty unless counters were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    pub elapsed_s: f64,
}
