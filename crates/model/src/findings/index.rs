//! What follows from counting FauxPlats.

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
    /// Low end of the 95 % interval in which a repetition falls.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// The same of the median lap: what there was to be had just now, whoever shared the core.
    #[serde(default)]
    pub typical_per_s: f64,
    /// FauxPlats per second of wall time, waiting and steal included.
    pub wall_per_s: f64,
    /// Share of the wall time that the thread waited for its CPU; absent where the kernel does not tell.
    pub run_delay_share: Option<f64>,
    /// Share of the wall time that is neither CPU time nor waiting: steal, on a virtual machine.
    pub rest_share: Option<f64>,
    /// Laps.
    pub laps: usize,
    /// Rounds in which they were made.
    pub rounds: usize,
    /// Whether another machine of this architecture executes the same instructions.
    pub comparable: bool,
}

/// Findings of `index`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexFindings {
    /// One entry per CPU.
    pub cpus: Vec<CpuIndex>,
    /// Whether all CPUs worked at once rather than one after the other.
    pub together: bool,
    /// Scheduling policy of the workers.
    pub policy: crate::Policy,
    /// Instructions of one iteration of the kernel; a FauxPlat has a hundred thousand iterations.
    pub instructions_per_iteration: Option<u64>,
    /// What the workers counted at each kind of work, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    /// Wall time of the measurement in seconds.
    pub elapsed_s: f64,
}
