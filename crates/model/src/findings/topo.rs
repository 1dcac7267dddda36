//! What a machine is made of, and which CPUs were picked.

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use crate::Topology;

/// What `topo` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopoFindings {
    /// The parts of the machine.
    pub topology: Topology,
    /// The CPUs that were asked for, if any were.
    pub pick: Option<Pick>,
}

/// CPUs by relation, and why each of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// The relation, in its canonical form.
    pub relation: String,
    /// The CPUs that answer it.
    pub cpus: CpuSet,
    /// Each of them: in rising order, or from the quietest on where that was asked.
    pub chosen: Vec<Chosen>,
    /// How long the CPUs were watched; absent when they were not.
    pub watched_ns: Option<u64>,
}

/// One CPU of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The CPU.
    pub cpu: Cpu,
    /// What makes it an answer.
    pub why: String,
    /// Whether the kernel keeps it free of other tasks.
    pub isolated: bool,
    /// What happened on it while it was watched.
    pub activity: Option<CpuActivity>,
}

/// What happened on a CPU while it was watched, and who is bound to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuActivity {
    /// Share of the time in which it was not idle, interrupts included.
    pub busy_share: f64,
    /// Share of the time that the hypervisor took.
    pub steal_share: f64,
    /// Hardware interrupts per second.
    pub interrupts_per_s: f64,
    /// Software interrupts per second.
    pub softirqs_per_s: f64,
    /// Tasks of users that may run on this CPU alone.
    pub pinned_tasks: u32,
    /// Kernel threads that may run on this CPU alone; every CPU has some.
    pub pinned_kernel_threads: u32,
    /// Names of the first few tasks of users among them.
    pub pinned_names: Vec<String>,
    /// The busiest other thread of its core: its busy share, where it has one.
    pub sibling_busy_share: Option<f64>,
}
