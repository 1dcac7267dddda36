//! Findings about programs that ran in control groups with limits.

use serde::{Deserialize, Serialize};

use crate::Outcome;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitFindings {
    pub groups: Vec<LimitedGroup>,
    /// Duration of the whole experiment in seconds.
    pub elapsed_s: f64,
    /// Time in which every group had a running program, over which CPU shares are computed, in seconds.
    pub together_s: f64,
    /// Treatment of a group that has no memory left.
    pub on_oom: OnOom,
    /// Whether the programs were ended because the time limit was reached.
    pub is_timed_out: bool,
    /// Readings of the groups' usage, in chronological order.
    pub looks: Vec<LimitLook>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnOom {
    #[default]
    Kill,
    /// All processes of the group wait until they get memory or are ended.
    Pause,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitedGroup {
    pub name: String,
    /// Versions of the control group interface in which the group was created: `1`, `2`, or `1 and 2`.
    pub version: String,
    /// Location of the group in each hierarchy of control groups.
    pub places: Vec<GroupPlace>,
    /// Effective limits, as the kernel reported them after they were set.
    pub limits: LimitsHeld,
    /// Sentences about other settings that come with the limits, and about lower limits of enclosing groups.
    pub notes: Vec<String>,
    pub commands: Vec<LimitedCommand>,
    /// Peak memory as the kernel counts it for the group, pages of files included; `None` if the kernel does not report
    /// it.
    pub peak_memory_bytes: Option<u64>,
    /// Usage over the lifetime of the group. Quantities that are no totals, such as memory, have the value of the last
    /// reading.
    pub used: GroupUsage,
    /// Lifetime of the group in seconds.
    pub elapsed_s: f64,
    /// Number of periods in which the CPU quota was used up; `None` if the kernel does not count them.
    pub throttled_periods: Option<u64>,
    /// Share of the group in the CPU time of all groups while every one of them had a running program; `None` if
    /// unknown.
    pub share: Option<CpuShare>,
    pub events: Vec<LimitEvent>,
}

/// Location of a group in one hierarchy of control groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPlace {
    /// Names of the controllers that the hierarchy provides for the group.
    pub controllers: Vec<String>,
    /// Version of the hierarchy, 1 or 2.
    pub version: u8,
    pub folder: String,
    /// By which permission the group was created, and which attempts failed before, as text.
    pub way: String,
}

/// Effective limits as the kernel reports them; `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitsHeld {
    /// Limit of CPU time, in per cent of one CPU.
    pub cpu_percent: Option<f64>,
    /// Weight for CPU time; 100 is the default.
    pub weight: Option<f64>,
    /// CPUs on which the group may run.
    pub cpus: Option<String>,
    /// NUMA nodes from which the group gets memory.
    pub mems: Option<String>,
    pub memory_bytes: Option<u64>,
    /// Memory above which the kernel slows the group down.
    pub memory_high_bytes: Option<u64>,
    /// Limit of memory moved to swap.
    pub swap_bytes: Option<u64>,
    pub pids: Option<u64>,
    /// Limits of device traffic, in the syntax of `--io`.
    pub io: Vec<String>,
}

/// Usage of a group, and how often it reached its limits; `None` if the kernel does not count a quantity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupUsage {
    /// Memory in use at the time of the reading.
    pub memory_bytes: Option<u64>,
    /// Memory moved to swap at the time of the reading.
    pub swap_bytes: Option<u64>,
    pub cpu_ns: Option<u64>,
    /// Number of processes and threads at the time of the reading.
    pub pids: Option<u64>,
    /// Number of periods over which the CPU quota was enforced.
    pub periods: Option<u64>,
    /// Number of periods in which the CPU quota was used up.
    pub throttled_periods: Option<u64>,
    /// Time for which the group was throttled, summed over CPUs.
    pub throttled_ns: Option<u64>,
    /// Time in which some tasks of the group waited for a CPU.
    pub cpu_pressure_us: Option<u64>,
    /// Time in which some tasks of the group waited for memory.
    pub memory_pressure_us: Option<u64>,
    /// Time in which some tasks of the group waited for devices.
    pub io_pressure_us: Option<u64>,
    /// Number of times that the group exceeded `memory.high` and was slowed down.
    pub high: Option<u64>,
    /// Number of times that the group reached its memory limit, and pages had to be reclaimed.
    pub max: Option<u64>,
    /// Number of processes that were killed for lack of memory.
    pub oom_kills: Option<u64>,
    /// Number of times that a process could not be created because the limit of processes was reached.
    pub pids_refused: Option<u64>,
    /// Whether tasks of the group are waiting for memory or frozen at the time of the reading.
    pub is_paused: bool,
}

/// Readings of the usage of all groups at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitLook {
    /// Time since the start of the programs, in seconds.
    pub at_s: f64,
    /// Usage of each group up to that time.
    pub groups: Vec<GroupUsage>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitedCommand {
    pub command: String,
    pub pid: u32,
    /// How the command ended; `None` for a command that did not run.
    pub outcome: Option<Outcome>,
    /// Wall time of the process; `None` if fauxplat ended it.
    pub wall_ns: Option<u64>,
    /// CPU time of the process; `None` if fauxplat ended it.
    pub cpu_ns: Option<u64>,
}

/// Share of a group in the CPU time of all groups while all of them ran, with a 95 % interval over slices of that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuShare {
    /// The share, between 0 and 1.
    pub share: f64,
    /// Lower end of the interval of `share`; `None` with too few slices.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub slices: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitEvent {
    pub kind: LimitEventKind,
    /// Time of the first occurrence, in seconds after the start of the programs.
    pub at_s: f64,
    pub times: u64,
    /// The process that was killed; `None` for other events, or if it could not be determined.
    pub victim: Option<Victim>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitEventKind {
    /// A process was killed for lack of memory.
    OomKill,
    /// All tasks of the group waited for memory.
    Paused,
    /// The quota of CPU time was used up.
    Throttled,
    /// Memory exceeded `memory.high`, above which the kernel slows the group down.
    MemoryHigh,
    /// Memory reached its limit, and pages had to be reclaimed.
    MemoryMax,
    /// The limit of processes was reached, and no process could be created.
    PidsMax,
}

impl LimitEventKind {
    pub fn word(self) -> &'static str {
        match self {
            LimitEventKind::OomKill => "oom-kill",
            LimitEventKind::Paused => "paused",
            LimitEventKind::Throttled => "throttled",
            LimitEventKind::MemoryHigh => "memory-high",
            LimitEventKind::MemoryMax => "memory-max",
            LimitEventKind::PidsMax => "pids-max",
        }
    }
}

/// A process that the kernel killed for lack of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Victim {
    /// Process id, as in the kernel's log.
    pub pid: u32,
    /// Name of at most fifteen bytes, as in the kernel's log.
    pub name: String,
    /// Anonymous memory that the process had when it was killed; `None` if the kernel's log does not tell.
    pub anonymous_bytes: Option<u64>,
    /// Size of the address space of the process; `None` if the kernel's log does not tell.
    pub virtual_bytes: Option<u64>,
}
