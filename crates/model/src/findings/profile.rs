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
    /// Profiles, one per command, or a single one of a process that was already running.
    pub profiles: Vec<Profile>,
    /// Differences between the first profile and each other one; empty with a single profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ProfileDifference>,
    /// Requested views: callers and callees of functions, and samples by source line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ProfileView>,
    pub objects: Vec<ProfiledObject>,
    /// Locations in sampled code: functions, each with a source line if known.
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
    /// Every function that was sampled itself or in functions that it calls, the one with the largest own share first.
    pub functions: Vec<FunctionShare>,
    /// Every process that was sampled, the one with the most samples first.
    pub processes: Vec<ProcessShare>,
}

/// Figures that show how far a profile can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileQuality {
    /// The event at which samples were taken: `cpu-clock`, `cycles`, `page-faults`, …; `off-cpu` for the time in which
    /// threads have no CPU.
    pub event: String,
    /// Why another event than the usual one was used, or which data was left out; one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How call stacks were determined: `eh_frame` (the compiler's tables, with a copy of the stack) or
    /// `frame-pointers`.
    pub unwinding: String,
    /// Bytes of the stack that were copied with each sample; 0 if none were copied.
    pub stack_bytes: u32,
    pub runs: u32,
    /// Number of samples, including samples without a stack.
    pub samples: u64,
    /// Number of samples that the kernel dropped for lack of buffer space.
    pub lost: u64,
    /// Number of events for which each sample stands, in nanoseconds for a clock; `None` if it differs between samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<u64>,
    /// Number of events for which all samples together stand; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Number of events that were counted during sampling, including those for which no sample stands; `None` if
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Number of samples whose stack is longer than the part that was copied.
    pub truncated: u64,
    /// Number of samples whose stack ends at code without unwinding information.
    pub broken: u64,
    /// Number of samples whose innermost function has no name.
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
    /// Number of times that the kernel paused sampling because samples came too fast.
    pub throttled: u64,
}

/// Name of the event for waits: a sample stands for the time from the context switch that takes a thread's CPU away to
/// the switch that returns it.
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

    /// Sum of the weights of all samples: the number of events for which they stand, or the number of samples if all
    /// stand for the same number of events.
    pub fn weight(&self) -> u64 {
        match (self.period, self.events) {
            (None, Some(events)) => events,
            _ => self.samples,
        }
    }

    /// Share of the counted events for which samples stand; `None` if it is not known.
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
    /// Demangled name of the function, or an address if there is no name.
    pub name: String,
    /// Index in `objects` of the file that contains the function; `None` for code without a file.
    pub object: Option<u32>,
    /// Number of samples in the function itself.
    pub self_samples: u64,
    /// `self_samples` as a share of all samples.
    pub self_share: f64,
    /// Lower end of the interval of `self_share`.
    pub self_low: f64,
    pub self_high: f64,
    /// Number of samples in the function or in functions that it calls.
    pub total_samples: u64,
    /// The part of `total_samples` in whose stacks the function occurs only inlined into its callers.
    #[serde(default, skip_serializing_if = "is_none")]
    pub inlined_samples: u64,
    /// `total_samples` as a share of all samples.
    pub total_share: f64,
    /// Lower end of the interval of `total_share`.
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
    /// Name of the process in the kernel (`comm`) at its end.
    pub name: String,
    /// Number of samples in the process; with several runs, in all processes of this name.
    pub samples: u64,
    pub threads: u32,
    /// Number of events for which `samples` stand; `None` if all samples stand for the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the share of the profile's samples that are in the process; `None` if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// Difference in time between two profiled commands, function by function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileDifference {
    /// Index of the first profile in `profiles`.
    pub a: u16,
    /// Index of the second profile in `profiles`.
    pub b: u16,
    /// Number of pairs of runs, with a run of each profile.
    pub pairs: u32,
    /// Mean CPU time in seconds of a run of the first profile; for `off-cpu`, the waiting time of its threads.
    pub a_cpu_s: f64,
    /// Mean additional time in seconds of a run of the second profile.
    pub cpu_s: f64,
    /// Lower end of the interval of `cpu_s`.
    pub low_s: f64,
    pub high_s: f64,
    /// Maximum probability that any function is called different if none differs.
    pub error: f64,
    /// Every function: first those whose own time differs, then those whose time with their callees differs, then the
    /// rest; each by size.
    pub functions: Vec<FunctionDifference>,
}

/// Additional CPU or waiting time of the second program in one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionDifference {
    pub name: String,
    /// Name of the function in the second program, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<String>,
    /// Whether the function has different names in the two programs, and was matched by its callers, callees and
    /// shares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guess: bool,
    /// The only program that has the function; `None` if both have it or that is not certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in: Option<ProfiledSide>,
    /// For a function that only one program has: the caller whose own time changes by about as much in the opposite
    /// direction, as if the function were inlined in the other program; otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorbed_by: Option<String>,
    /// Mean additional seconds in the function itself per run of the second program.
    pub self_s: f64,
    /// Lower end of the interval of `self_s`, which holds for all functions together.
    pub self_low_s: f64,
    pub self_high_s: f64,
    /// Mean additional seconds in the function and its callees per run of the second program.
    pub total_s: f64,
    /// Lower end of the interval of `total_s`, which holds for all functions together.
    pub total_low_s: f64,
    pub total_high_s: f64,
    /// p-value of `self_s`, adjusted for all functions.
    pub p_adjusted: f64,
    /// p-value of `total_s`, adjusted for all functions.
    pub total_p_adjusted: f64,
    /// The most frequent caller of the function in the program in which the function takes more time; `None` without a
    /// caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfiledSide {
    First,
    Second,
}

/// Samples of one run, for comparing runs of two programs. Never stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfiledRun {
    /// Index in `profiles` of the profile to which the run belongs.
    pub profile: u16,
    /// Number of the block. Runs of the same block were made one after the other, in random order.
    pub block: u32,
    /// Indices in `stacks` of the stacks that were sampled in the run, each with the weight of its samples.
    pub stacks: Vec<(u32, Weight)>,
    /// CPU time of the run in seconds; for `off-cpu`, the waiting time of its threads.
    pub whole_s: f64,
}
