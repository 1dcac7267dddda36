//! Samples of experiments that measure CPUs: the work and times of one of fauxplat's own worker threads in one shift.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::Metric;

/// Work and times of one worker thread in one shift, in which it runs a kernel (a loop of units of work). Wall time is
/// the sum of CPU time, run-queue wait and a rest, which is steal on a virtual machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftSample {
    /// Number of the round in which the shift lies; every cell of the design is visited once in each round.
    pub round: u32,
    /// Index of the cell of the design that was visited.
    pub cell: u16,
    /// Index of the worker.
    pub hand: u16,
    /// Number of units of work that were completed.
    pub units: u64,
    /// Wall time from the start of the first unit to the end of the last.
    pub wall_ns: u64,
    /// CPU time of the thread (`CLOCK_THREAD_CPUTIME_ID`) over the same units.
    pub cpu_ns: u64,
    /// Time spent runnable without a CPU (`/proc/thread-self/schedstat`, second field).
    pub run_delay_ns: Option<u64>,
    /// Time that the hypervisor took from the CPU during the shift (`/proc/stat`, eighth number), a multiple of a tick
    /// of 10 ms.
    pub steal_ns: Option<u64>,
    /// Number of involuntary context switches.
    pub involuntary_switches: u64,
    /// CPU on which the thread was at the start and at the end of the shift.
    pub cpus: [Option<Cpu>; 2],
    /// Least round trip of a word to the other worker, at the start and at the end of the shift; only of the first of
    /// two workers on different CPUs.
    #[serde(default)]
    pub round_trips_ns: [Option<u64>; 2],
    /// Times of reading lines that the other worker had just written; only of the second of two workers that exchange
    /// lines.
    #[serde(default)]
    pub handover: Option<CacheTransfer>,
    /// CPU time of reading the thread's CPU clock, which the time of every lap includes.
    pub clock_ns: u64,
    /// Counts of events from the first unit to the last; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<ShiftCount>,
    /// CPU time of each lap (a fixed number of units) in nanoseconds, in the order of execution; empty unless
    /// requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laps_cpu_ns: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftCount {
    pub metric: Metric,
    /// Number of events; `None` if the counter was never scheduled.
    pub count: Option<u64>,
}

/// Times of two walks through the same cache lines, which come from another CPU's cache in one walk and from memory in
/// the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTransfer {
    /// Number of cache lines that a walk reads.
    pub lines: u64,
    /// Time of the walk when the other worker had just written the lines, in nanoseconds.
    pub handed_ns: u64,
    /// Time of the walk when the lines had just been dropped from every cache, in nanoseconds.
    pub memory_ns: u64,
}

impl ShiftSample {
    /// Wall time beyond CPU time and run-queue wait: steal, and interrupts if the kernel accounts for them separately.
    /// `None` if the run-queue wait was not read.
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
