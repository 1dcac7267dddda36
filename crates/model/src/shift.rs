//! What a worker of our own did in one shift: the sample of experiments whose subject is the CPU.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::Metric;

/// What one worker did in one shift. Wall time is CPU time, time in the run queue, and the rest, which on a virtual
/// machine is what the hypervisor took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftSample {
    /// The round: every cell of the design is visited once in each.
    pub round: u32,
    /// The cell of the design.
    pub cell: u16,
    /// The worker.
    pub hand: u16,
    /// Units of the kernel that were done.
    pub units: u64,
    /// From the first unit to the last.
    pub wall_ns: u64,
    /// CPU time of the thread (`CLOCK_THREAD_CPUTIME_ID`).
    pub cpu_ns: u64,
    /// Time spent runnable without a CPU (`/proc/thread-self/schedstat`, second field).
    pub run_delay_ns: Option<u64>,
    /// What the hypervisor took from the CPU meanwhile (`/proc/stat`, eighth number), in ticks of 10 ms.
    pub steal_ns: Option<u64>,
    /// Times that the scheduler took the CPU away.
    pub involuntary_switches: u64,
    /// CPU on which it began and ended.
    pub cpus: [Option<Cpu>; 2],
    /// Least time of a word to the other worker and back, when the shift began and when it ended; with the first of two
    /// workers on CPUs of their own.
    #[serde(default)]
    pub round_trips_ns: [Option<u64>; 2],
    /// What the other worker had just written; with the second of two workers that hand over.
    #[serde(default)]
    pub handover: Option<CacheTransfer>,
    /// What reading the thread's CPU clock costs, which is in every lap.
    pub clock_ns: u64,
    /// What was counted from the first unit to the last; empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<ShiftCount>,
    /// CPU time of each lap, in the order in which they were run; empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laps_cpu_ns: Vec<u64>,
}

/// What a counter came to in a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftCount {
    /// The counter.
    pub metric: Metric,
    /// What it counted; nothing where it never had its turn.
    pub count: Option<u64>,
}

/// The same walk through the same lines, wherever they were before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTransfer {
    /// Cache lines of the walk.
    pub lines: u64,
    /// The other worker had just written them, in nanoseconds.
    pub handed_ns: u64,
    /// They had just been dropped from every cache.
    pub memory_ns: u64,
}

impl ShiftSample {
    /// What CPU time and waiting leave of the wall time: steal, and interrupts where the kernel keeps them apart.
    pub fn rest_ns(&self) -> Option<i64> {
        let known = self.cpu_ns as i64 + self.run_delay_ns? as i64;
        Some(self.wall_ns as i64 - known)
    }

    /// CPU time of a unit, in nanoseconds.
    pub fn cpu_ns_per_unit(&self) -> f64 {
        self.cpu_ns as f64 / self.units.max(1) as f64
    }

    /// Wall time of a unit, in nanoseconds.
    pub fn wall_ns_per_unit(&self) -> f64 {
        self.wall_ns as f64 / self.units.max(1) as f64
    }
}
