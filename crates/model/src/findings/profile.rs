//! Profiles: the functions in which a program spends its time, and their callers.

mod tables;
mod views;

use serde::{Deserialize, Serialize};

pub use tables::*;
pub use views::*;

/// Profiles of one or several commands, and the differences between them.
///
/// The tables are shared: a stack refers to frames by index in `frames`, a frame to its object by index in `objects`.
/// Counts per command are vectors in the order of `profiles`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileFindings {
    /// Profiles: one per command, or a single one for a process that was already running.
    pub profiles: Vec<Profile>,
    /// Differences between the first profile and each other one; empty with a single profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ProfileDifference>,
    /// Views that were requested: callers, callees, annotated source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ProfileView>,
    pub objects: Vec<ProfiledObject>,
    /// Code locations: functions, each with a source line if known.
    pub frames: Vec<ProfiledFrame>,
    /// Call stacks of the samples.
    pub stacks: Vec<ProfiledStack>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<ProfiledInstruction>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub name: String,
    pub quality: ProfileQuality,
    /// Every function with samples of its own or in its callees, the largest self share first.
    pub functions: Vec<FunctionShare>,
    /// Every process that was sampled, the one with the most samples first.
    pub processes: Vec<ProcessShare>,
}

/// Figures by which a reader judges whether a profile can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileQuality {
    /// The sampled event: `cpu-clock`, `cycles`, `page-faults`; `off-cpu` for the time in which threads have no CPU.
    pub event: String,
    /// Why the event is not the usual one, or which data was left out; one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Method of unwinding: `eh_frame` (the compiler's tables, with a copy of the stack) or `frame-pointers`.
    pub unwinding: String,
    /// Bytes of the stack that were copied with each sample; 0 if none were copied.
    pub stack_bytes: u32,
    pub runs: u32,
    /// Samples, including samples without a stack.
    pub samples: u64,
    /// Samples that the kernel dropped for lack of buffer space.
    pub lost: u64,
    /// Number of events per sample, in nanoseconds for a clock; `None` if the number differs between samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<u64>,
    /// Events that all samples together represent: the sum of their periods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Events that were counted during sampling, including events that no sample represents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Samples whose stack exceeds the part that was copied.
    pub truncated: u64,
    /// Samples whose stack ends at code without unwinding information.
    pub broken: u64,
    /// Samples whose innermost function has no name.
    pub unknown: u64,
    /// Whether functions of the kernel were sampled.
    pub has_kernel: bool,
    /// Requested samples per second of CPU time or of waiting; `None` if the period is a number of events.
    pub rate_hz: Option<f64>,
    pub reached_hz: Option<f64>,
    /// CPU time of the sampled program in seconds, from the start of the first run.
    pub cpu_s: f64,
    pub elapsed_s: f64,
    /// Number of waits; `None` if the event is not `off-cpu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<u64>,
    /// Total time of the waits over all threads, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_s: Option<f64>,
    /// CPU time in seconds that fauxplat used to read and unwind samples.
    pub own_cpu_s: f64,
    /// Number of times that the kernel throttled sampling because samples came too fast.
    pub throttled: u64,
}

/// The event of waits: from the context switch that takes a thread's CPU away to the switch that returns it.
pub const OFF_CPU: &str = "off-cpu";

/// The quantity that the samples are shares of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Time in which threads have a CPU.
    CpuTime,
    /// Time in which threads have no CPU.
    WaitingTime,
    /// Events of equal weight.
    Events,
}

impl ProfileQuality {
    /// The quantity that the samples are shares of. Clocks and cycles count as CPU time.
    pub fn whole(&self) -> Whole {
        match self.event.split(':').next().unwrap_or_default() {
            "cpu-clock" | "task-clock" | "cycles" | "cpu-cycles" => Whole::CpuTime,
            OFF_CPU => Whole::WaitingTime,
            _ => Whole::Events,
        }
    }

    /// Total weight of all samples. Each sample weighs one if all represent the same number of events.
    pub fn weight(&self) -> u64 {
        match (self.period, self.events) {
            (None, Some(events)) => events,
            _ => self.samples,
        }
    }

    /// The part of the counted events that the samples represent.
    pub fn covered(&self) -> Option<f64> {
        let counted = self.counted.filter(|&counted| counted > 0)?;
        Some(self.events? as f64 / counted as f64)
    }

    /// The total time that the samples are shares of, in seconds; `None` if they are shares of events.
    pub fn whole_s(&self) -> Option<f64> {
        match self.whole() {
            Whole::CpuTime => Some(self.cpu_s),
            Whole::WaitingTime => self.waited_s,
            Whole::Events => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionShare {
    /// Demangled name; an address if there is none.
    pub name: String,
    /// Index in `objects` of the function's file; `None` for code without a file.
    pub object: Option<u32>,
    /// Samples in the function itself.
    pub self_samples: u64,
    /// `self_samples` as a share of all samples.
    pub self_share: f64,
    /// Low end of the interval of `self_share`.
    pub self_low: f64,
    pub self_high: f64,
    /// Samples in the function or its callees.
    pub total_samples: u64,
    /// The part of `total_samples` in which the function was inlined into its callers only.
    #[serde(default, skip_serializing_if = "is_none")]
    pub inlined_samples: u64,
    /// `total_samples` as a share of all samples.
    pub total_share: f64,
    /// Low end of the interval of `total_share`.
    pub total_low: f64,
    pub total_high: f64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessShare {
    /// Process id; with several runs, that of the first run.
    pub pid: u32,
    /// Last name in the kernel (`comm`).
    pub name: String,
    /// Samples in the process; with several runs, in all processes of this name.
    pub samples: u64,
    pub threads: u32,
    /// Events that the samples represent, if samples represent different numbers of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the process's share of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// Difference between two profiles, function by function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileDifference {
    /// Index of the first profile in `profiles`.
    pub a: u16,
    /// Index of the second profile in `profiles`.
    pub b: u16,
    /// Pairs of runs, one run of each profile.
    pub pairs: u32,
    /// CPU time in seconds of a run of the first profile; for `off-cpu`, the waiting time of its threads.
    pub a_cpu_s: f64,
    /// Additional time in seconds of a run of the second profile.
    pub cpu_s: f64,
    /// Low end of the simultaneous interval of `cpu_s`.
    pub low_s: f64,
    pub high_s: f64,
    /// Bound of the probability that any function is called different if none differs.
    pub error: f64,
    /// Every function, the most certain difference first.
    pub functions: Vec<FunctionDifference>,
}

/// Additional CPU or waiting time of the second program in one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionDifference {
    pub name: String,
    /// Name in the second program, if different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<String>,
    /// Whether the two names have nothing in common, so that the functions were matched by their callers, callees and
    /// shares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guess: bool,
    /// The only program with samples of the function, if the other program has none and has object files of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in: Option<ProfiledSide>,
    /// For a function that only one program has: the caller, if its own time changes by about as much in the opposite
    /// direction, as if the function were inlined in the other program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorbed_by: Option<String>,
    /// Additional seconds per run of the second program in the function itself.
    pub self_s: f64,
    /// Low end of the simultaneous interval of `self_s`.
    pub self_low_s: f64,
    pub self_high_s: f64,
    /// Additional seconds per run of the second program in the function and its callees.
    pub total_s: f64,
    /// Low end of the simultaneous interval of `total_s`.
    pub total_low_s: f64,
    pub total_high_s: f64,
    /// p-value of `self_s`, adjusted for all functions.
    pub p_adjusted: f64,
    /// p-value of `total_s`, adjusted for all functions.
    pub total_p_adjusted: f64,
    /// The most frequent caller in the slower of the two programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfiledSide {
    First,
    Second,
}

/// Samples of one run, for comparisons of runs. Never stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfiledRun {
    /// Index in `profiles`.
    pub profile: u16,
    /// Number of the block. Runs of one block were taken one after the other, in a drawn order.
    pub block: u32,
    /// Indices in `stacks`, each with the weight of its samples.
    pub stacks: Vec<(u32, Weight)>,
    /// CPU time of the run in seconds; for `off-cpu`, the waiting time of its threads.
    pub whole_s: f64,
}
