//! What happened to programs in control groups with limits.

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// Findings of `limit`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitFindings {
    /// One entry per group.
    pub groups: Vec<LimitedGroup>,
    /// How long the whole took.
    pub elapsed_s: f64,
    /// The part of it in which every group had a program that ran, by which shares are told.
    pub together_s: f64,
    /// What was to happen where memory is used up.
    pub on_oom: OnOom,
    /// Whether the programs were ended because the time that was given was over.
    pub is_timed_out: bool,
    /// How use went along, a look after the other.
    pub looks: Vec<LimitLook>,
}

/// What happens to a program in whose group no memory is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnOom {
    /// The kernel ends one.
    #[default]
    Kill,
    /// All wait, until memory is given or they are ended.
    Pause,
}

/// One group and what ran in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitedGroup {
    /// What it is called.
    pub name: String,
    /// Which versions of control groups hold it: `1`, `2`, or `1 and 2`.
    pub version: String,
    /// Where it stood, a folder for each hierarchy.
    pub places: Vec<GroupPlace>,
    /// The limits that held, as the kernel told them after they had been set.
    pub limits: LimitsHeld,
    /// What a reader must know of them: what else was set with them, and which limits around them are lower.
    pub notes: Vec<String>,
    /// What ran in it.
    pub commands: Vec<LimitedCommand>,
    /// The most memory that it used, by the kernel's account of the group, pages of files included.
    pub peak_memory_bytes: Option<u64>,
    /// What it used in all; gauges are those of the last look before its end.
    pub used: GroupUsage,
    /// How long it existed, in seconds.
    pub elapsed_s: f64,
    /// Periods in which its quota was used up.
    pub throttled_periods: Option<u64>,
    /// Its part of the CPU time that all groups used while every one of them ran.
    pub share: Option<CpuShare>,
    /// What happened to it.
    pub events: Vec<LimitEvent>,
}

/// Where a group stands in one hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPlace {
    /// The controllers for which it stands there.
    pub controllers: Vec<String>,
    /// Version of that hierarchy.
    pub version: u8,
    /// The folder.
    pub folder: String,
    /// By which right it was made there, and what else was tried before.
    pub way: String,
}

/// Limits, as the kernel tells them; absent is no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitsHeld {
    /// CPU time, in per cent of one CPU.
    pub cpu_percent: Option<f64>,
    /// Share of CPU time; 100 is usual.
    pub weight: Option<f64>,
    /// CPUs on which it may run.
    pub cpus: Option<String>,
    /// Memory nodes from which it gets memory.
    pub mems: Option<String>,
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// Memory from which on its programs are slowed down.
    pub memory_high_bytes: Option<u64>,
    /// Memory that may be moved to a disk.
    pub swap_bytes: Option<u64>,
    /// Processes and threads.
    pub pids: Option<u64>,
    /// Traffic with devices, in the words of `--io`.
    pub io: Vec<String>,
}

/// What a group uses, and how often it met its limits; absent where the kernel does not count it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupUsage {
    /// Memory now.
    pub memory_bytes: Option<u64>,
    /// Memory that was moved to a disk.
    pub swap_bytes: Option<u64>,
    /// CPU time.
    pub cpu_ns: Option<u64>,
    /// Processes and threads now.
    pub pids: Option<u64>,
    /// Periods in which it ran under a quota.
    pub periods: Option<u64>,
    /// Periods in which the quota was used up.
    pub throttled_periods: Option<u64>,
    /// Time for which its CPUs stood still for that.
    pub throttled_ns: Option<u64>,
    /// Time in which some of its tasks waited for a CPU.
    pub cpu_pressure_us: Option<u64>,
    /// Time in which some of its tasks waited for memory.
    pub memory_pressure_us: Option<u64>,
    /// Time in which some of its tasks waited for devices.
    pub io_pressure_us: Option<u64>,
    /// How often it was above the limit from which on it is slowed down.
    pub high: Option<u64>,
    /// How often its limit of memory was met, and pages had to be found.
    pub max: Option<u64>,
    /// Processes that were killed for want of memory.
    pub oom_kills: Option<u64>,
    /// How often no process could be made for the limit on them.
    pub pids_refused: Option<u64>,
    /// Whether its tasks wait for memory or are frozen now.
    pub is_paused: bool,
}

/// One look at all groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitLook {
    /// When, from the beginning of the programs.
    pub at_s: f64,
    /// What each group used until then.
    pub groups: Vec<GroupUsage>,
}

/// A command that ran in a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitedCommand {
    /// The line.
    pub command: String,
    /// Its process.
    pub pid: u32,
    /// How it ended; absent for one that did not run.
    pub outcome: Option<Outcome>,
    /// Wall time; absent where it was ended by us.
    pub wall_ns: Option<u64>,
    /// CPU time, likewise.
    pub cpu_ns: Option<u64>,
}

/// A part of the CPU time of all groups, with its interval of 95 %, by slices of the time in which all of them ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuShare {
    /// The part.
    pub share: f64,
    /// Lower end; absent where there were too few slices.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Slices.
    pub slices: usize,
}

/// Something that happened to a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitEvent {
    /// What: `oom-kill`, `paused`, `throttled`, `memory-high`, `memory-max`, `pids-max`.
    pub kind: LimitEventKind,
    /// When it was seen first, from the beginning of the programs.
    pub at_s: f64,
    /// How often.
    pub times: u64,
    /// The process that was killed; absent where nobody could tell.
    pub victim: Option<Victim>,
}

/// What happens to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitEventKind {
    /// A process was killed for want of memory.
    OomKill,
    /// All its tasks waited for memory.
    Paused,
    /// A quota of CPU time was used up.
    Throttled,
    /// It was above the limit from which on it is slowed down.
    MemoryHigh,
    /// Its limit of memory was met, and pages had to be found.
    MemoryMax,
    /// No process could be made.
    PidsMax,
}

impl LimitEventKind {
    /// Its word in documents.
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

/// Whom the kernel killed for want of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Victim {
    /// Its process id, as the kernel's log has it.
    pub pid: u32,
    /// Its name, of at most fifteen bytes.
    pub name: String,
    /// Memory of its own that it held.
    pub anonymous_bytes: Option<u64>,
    /// Address space.
    pub virtual_bytes: Option<u64>,
}
