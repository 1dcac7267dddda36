//! Findings of `topo`: the topology of a machine, and CPUs that were picked from it by relation.

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use crate::Topology;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopoFindings {
    pub topology: Topology,
    /// The picked CPUs; `None` if no relation was given.
    pub pick: Option<Pick>,
}

/// CPUs picked by a relation such as `sibling-of:3`, with reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// The relation, in its canonical form.
    pub relation: String,
    /// The CPUs that satisfy the relation.
    pub cpus: CpuSet,
    /// Details of each picked CPU, in rising order, or the quietest first if that was requested.
    pub chosen: Vec<Chosen>,
    /// Nanoseconds for which the CPUs were watched; `None` if they were not.
    pub watched_ns: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    pub cpu: Cpu,
    pub why: String,
    /// Whether the kernel isolates the CPU from other tasks.
    pub isolated: bool,
    /// Activity on the CPU while it was watched; `None` if it was not.
    pub activity: Option<CpuActivity>,
}

/// Activity on a CPU during a watch, and the tasks that are bound to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuActivity {
    /// Share of the time in which the CPU was not idle, interrupts included.
    pub busy_share: f64,
    /// Share of the time that the hypervisor took from the CPU.
    pub steal_share: f64,
    /// Hardware interrupts per second.
    pub interrupts_per_s: f64,
    /// Software interrupts per second.
    pub softirqs_per_s: f64,
    /// Number of user tasks that may run on this CPU alone.
    pub pinned_tasks: u32,
    /// Number of kernel threads that may run on this CPU alone; every CPU has some.
    pub pinned_kernel_threads: u32,
    /// Names of the first few user tasks that may run on this CPU alone.
    pub pinned_names: Vec<String>,
    /// `busy_share` of the busiest other thread of the core; `None` if the core has a single thread.
    pub sibling_busy_share: Option<f64>,
}
