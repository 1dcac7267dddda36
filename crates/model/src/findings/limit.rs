//! Findings of programs in control groups with limits.

use serde::{Deserialize, Serialize};

use crate::Outcome;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitFindings {
    pub groups: Vec<LimitedGroup>,
    /// Duration of the whole experiment in seconds.
    pub elapsed_s: f64,
    /// Time in which every group had a running program, over which CPU shares are computed, in seconds.
    pub together_s: f64,
    /// Policy for a group without memory left.
    pub on_oom: OnOom,
    /// Whether the programs were ended at the time limit.
    pub is_timed_out: bool,
    /// Readings of the groups' usage, in the order of time.
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
    /// Versions of control groups that contain the group: `1`, `2`, or `1 and 2`.
    pub version: String,
    /// Location of the group in each hierarchy.
    pub places: Vec<GroupPlace>,
    /// Effective limits, as the kernel reported them after they were set.
    pub limits: LimitsHeld,
    /// Notes on the limits: other settings that accompany them, and lower limits of enclosing groups.
    pub notes: Vec<String>,
    pub commands: Vec<LimitedCommand>,
    /// Peak memory by the kernel's account of the group, which includes pages of files.
    pub peak_memory_bytes: Option<u64>,
    /// Total usage. Gauges have the value of the last reading before the group's end.
    pub used: GroupUsage,
    /// Lifetime of the group in seconds.
    pub elapsed_s: f64,
    /// Periods in which the quota was used up.
    pub throttled_periods: Option<u64>,
    /// Share of the CPU time that all groups used while every one of them had a running program.
    pub share: Option<CpuShare>,
    pub events: Vec<LimitEvent>,
}

/// Location of a group in one hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPlace {
    /// Controllers that the hierarchy provides for the group.
    pub controllers: Vec<String>,
    /// Version of the hierarchy, 1 or 2.
    pub version: u8,
    pub folder: String,
    /// The permission by which the group was created, and the attempts before that.
    pub way: String,
}

/// Effective limits as the kernel reports them; `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitsHeld {
    /// CPU time, in per cent of one CPU.
    pub cpu_percent: Option<f64>,
    /// Weight for CPU time; 100 is the default.
    pub weight: Option<f64>,
    /// CPUs on which the group may run.
    pub cpus: Option<String>,
    /// Memory nodes from which the group gets memory.
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
    /// Present memory.
    pub memory_bytes: Option<u64>,
    /// Memory moved to swap.
    pub swap_bytes: Option<u64>,
    pub cpu_ns: Option<u64>,
    /// Present number of processes and threads.
    pub pids: Option<u64>,
    /// Enforcement periods of the CPU quota.
    pub periods: Option<u64>,
    /// Periods in which the quota was used up.
    pub throttled_periods: Option<u64>,
    /// Time for which the group's CPUs were throttled.
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
    /// Processes that were killed for lack of memory.
    pub oom_kills: Option<u64>,
    /// Number of times that no process could be created because the limit on processes was reached.
    pub pids_refused: Option<u64>,
    /// Whether tasks of the group wait for memory or are frozen at present.
    pub is_paused: bool,
}

/// A reading of all groups.
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
    /// `None` for a command that did not run.
    pub outcome: Option<Outcome>,
    /// Wall time; `None` if fauxplat ended the process.
    pub wall_ns: Option<u64>,
    /// CPU time; `None` if fauxplat ended the process.
    pub cpu_ns: Option<u64>,
}

/// Share in the CPU time of all groups, with its 95 % interval, from slices of the time in which all groups ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuShare {
    /// Between 0 and 1.
    pub share: f64,
    /// Low end of the interval of `share`; `None` with too few slices.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub slices: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitEvent {
    pub kind: LimitEventKind,
    /// Time of the first occurrence, from the start of the programs, in seconds.
    pub at_s: f64,
    pub times: u64,
    /// `None` if the killed process could not be determined.
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
    /// Anonymous memory that the process held.
    pub anonymous_bytes: Option<u64>,
    /// Address space of the process.
    pub virtual_bytes: Option<u64>,
}
