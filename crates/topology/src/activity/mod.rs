//! Activity of CPUs over an interval: two readings of the kernel's counters, and the tasks bound to each CPU.

mod counters;
mod pinned;

use std::path::Path;

use fauxplat_model::{GroupKind, Topology};
use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use counters::Counters;
use pinned::Pinned;

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

/// The first of two readings of the kernel's counters; [`Watch::end`] takes the second.
pub struct Watch {
    before: Counters,
    root: std::path::PathBuf,
}

impl Watch {
    pub fn begin(root: &Path) -> Self {
        Watch { before: Counters::read(root), root: root.to_owned() }
    }

    /// Activity of each online CPU between the two readings, which are `elapsed_ns` apart, and the tasks that are bound
    /// to the CPU at the second reading.
    pub fn end(self, topology: &Topology, elapsed_ns: u64) -> Vec<(Cpu, CpuActivity)> {
        let after = Counters::read(&self.root);
        let pinned = Pinned::read(&self.root);
        let elapsed_s = elapsed_ns as f64 / 1e9;
        let busy = |cpu: Cpu| after.shares(&self.before, cpu).0;
        let one = |cpu: Cpu| {
            let (busy_share, steal_share) = after.shares(&self.before, cpu);
            let per_s = |now: u64, then: u64| now.saturating_sub(then) as f64 / elapsed_s.max(1e-9);
            let core = topology.group_of(GroupKind::Core, cpu);
            let others = core.into_iter().flat_map(|core| core.cpus.iter()).filter(|&other| other != cpu);
            let tasks = pinned.of(cpu);
            let activity = CpuActivity {
                busy_share,
                steal_share,
                interrupts_per_s: per_s(after.interrupts(cpu), self.before.interrupts(cpu)),
                softirqs_per_s: per_s(after.softirqs(cpu), self.before.softirqs(cpu)),
                pinned_tasks: tasks.map_or(0, |tasks| tasks.users),
                pinned_kernel_threads: tasks.map_or(0, |tasks| tasks.kernel),
                pinned_names: tasks.map_or_else(Vec::new, |tasks| tasks.names.clone()),
                sibling_busy_share: others.map(busy).reduce(f64::max),
            };
            (cpu, activity)
        };
        topology.online.iter().map(one).collect()
    }
}
