//! The topology of a machine, and CPUs that were picked from it.

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use crate::Topology;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopoFindings {
    pub topology: Topology,
    /// The picked CPUs; `None` without a relation.
    pub pick: Option<Pick>,
}

/// CPUs picked by relation, with reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// The relation, in its canonical form.
    pub relation: String,
    /// The CPUs that satisfy the relation.
    pub cpus: CpuSet,
    /// Details of each CPU, in rising order, or the quietest first if that was requested.
    pub chosen: Vec<Chosen>,
    /// Duration of the watch; `None` if CPUs were not watched.
    pub watched_ns: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    pub cpu: Cpu,
    pub why: String,
    /// Whether the kernel isolates the CPU from other tasks.
    pub isolated: bool,
    /// Activity on the CPU; `None` if it was not watched.
    pub activity: Option<CpuActivity>,
}

/// Activity on a CPU during a watch, and the tasks that are bound to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuActivity {
    /// Share of the time in which the CPU was not idle, interrupts included.
    pub busy_share: f64,
    /// Share of the time that the hypervisor took.
    pub steal_share: f64,
    /// Hardware interrupts per second.
    pub interrupts_per_s: f64,
    /// Software interrupts per second.
    pub softirqs_per_s: f64,
    /// User tasks that may run on this CPU alone.
    pub pinned_tasks: u32,
    /// Kernel threads that may run on this CPU alone; every CPU has some.
    pub pinned_kernel_threads: u32,
    /// Names of the first few user tasks that are pinned.
    pub pinned_names: Vec<String>,
    /// Busy share of the busiest sibling; `None` if the core has a single thread.
    pub sibling_busy_share: Option<f64>,
}
