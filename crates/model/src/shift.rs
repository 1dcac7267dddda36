//! Samples of experiments that measure CPUs: the account of one of fauxplat's own workers in one shift.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::Metric;

/// Account of one worker in one shift. Wall time is the sum of CPU time, run-queue wait and a rest, which is steal on a
/// virtual machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftSample {
    /// Number of the round; every cell of the design is visited once in each round.
    pub round: u32,
    /// Index of the cell of the design.
    pub cell: u16,
    /// Index of the worker.
    pub hand: u16,
    /// Units of the kernel that were completed.
    pub units: u64,
    /// Wall time from the first unit to the last.
    pub wall_ns: u64,
    /// CPU time of the thread (`CLOCK_THREAD_CPUTIME_ID`).
    pub cpu_ns: u64,
    /// Time spent runnable without a CPU (`/proc/thread-self/schedstat`, second field).
    pub run_delay_ns: Option<u64>,
    /// Time that the hypervisor took from the CPU during the shift (`/proc/stat`, eighth number), in ticks of 10 ms.
    pub steal_ns: Option<u64>,
    /// Number of involuntary context switches.
    pub involuntary_switches: u64,
    /// CPU of the thread at the start and at the end.
    pub cpus: [Option<Cpu>; 2],
    /// Least round trip of a word to the other worker, at the start and at the end of the shift; reported by the first
    /// of two workers on different CPUs.
    #[serde(default)]
    pub round_trips_ns: [Option<u64>; 2],
    /// Cost of reading lines that the other worker had just written; reported by the second of two workers that
    /// exchange lines.
    #[serde(default)]
    pub handover: Option<CacheTransfer>,
    /// Cost of reading the thread's CPU clock, which every lap includes.
    pub clock_ns: u64,
    /// Counts from the first unit to the last; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<ShiftCount>,
    /// CPU time of each lap, in the order of execution; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laps_cpu_ns: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftCount {
    pub metric: Metric,
    /// `None` if the counter was never scheduled.
    pub count: Option<u64>,
}

/// Times of a walk through the same cache lines with two origins of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTransfer {
    /// Cache lines of the walk.
    pub lines: u64,
    /// Time of the walk when the other worker had just written the lines, in nanoseconds.
    pub handed_ns: u64,
    /// Time of the walk when the lines had just been dropped from every cache, in nanoseconds.
    pub memory_ns: u64,
}

impl ShiftSample {
    /// Wall time beyond CPU time and run-queue wait: steal, and interrupts if the kernel accounts for them separately.
    pub fn rest_ns(&self) -> Option<i64> {
        let known = self.cpu_ns as i64 + self.run_delay_ns? as i64;
        Some(self.wall_ns as i64 - known)
    }

    pub fn cpu_ns_per_unit(&self) -> f64 {
        self.cpu_ns as f64 / self.units.max(1) as f64
    }

    pub fn wall_ns_per_unit(&self) -> f64 {
        self.wall_ns as f64 / self.units.max(1) as f64
    }
}
