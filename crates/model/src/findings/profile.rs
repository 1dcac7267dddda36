//! Profiles: the functions in which a program spends its time, and their callers.
//!
//! Length: the nouns of one document, which name each other.

use serde::{Deserialize, Serialize};

/// Profiles of one command or of several, and what follows from them.
///
/// The tables are shared: a stack refers to frames by index in `frames`, a frame to its object by index in `objects`.
/// Counts per command are vectors in the order of `profiles`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileFindings {
    /// A profile per command, or one for a process that was running already.
    pub profiles: Vec<Profile>,
    /// Differences between the first profile and each of the others; empty with a single profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ProfileDifference>,
    /// Further views that were requested: callers, callees, annotated source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ProfileView>,
    /// Object files of the sampled code.
    pub objects: Vec<ProfiledObject>,
    /// Code locations: functions, each with a line of its source where that is known.
    pub frames: Vec<ProfiledFrame>,
    /// Call stacks of the samples.
    pub stacks: Vec<ProfiledStack>,
    /// Instructions at which samples were taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<ProfiledInstruction>,
}

/// Profile of one command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Name of the command.
    pub name: String,
    /// Quality of the profile.
    pub quality: ProfileQuality,
    /// Every function that was sampled itself or through a callee, the largest self share first.
    pub functions: Vec<FunctionShare>,
    /// Every process that was sampled, the one with the most samples first.
    pub processes: Vec<ProcessShare>,
}

/// Figures by which a reader judges whether a profile can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileQuality {
    /// The sampled event: `cpu-clock`, `cycles`, `page-faults`; `off-cpu` for the time in which threads have no CPU.
    pub event: String,
    /// Why the event is not the usual one, or what was left out; a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Method of unwinding: `eh_frame` (tables of the compiler, from a copy of the stack) or `frame-pointers`.
    pub unwinding: String,
    /// Bytes of the stack that were copied with each sample; 0 where none were.
    pub stack_bytes: u32,
    /// Runs that were sampled.
    pub runs: u32,
    /// Samples, including those without a stack.
    pub samples: u64,
    /// Samples that the kernel dropped for want of buffer space.
    pub lost: u64,
    /// For how many events every sample stands, where that is the same for all: of a clock nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<u64>,
    /// Events that the samples stand for together, the sum of their periods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Events that were counted meanwhile, those that no sample stands for included.
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
    /// Requested samples per second of CPU time or of waiting; `None` where the period is a number of events.
    pub rate_hz: Option<f64>,
    /// Achieved samples per second.
    pub reached_hz: Option<f64>,
    /// CPU time of the sampled program, in seconds, from the start of the first run.
    pub cpu_s: f64,
    /// Elapsed time of the sampling in seconds.
    pub elapsed_s: f64,
    /// Number of waits; `None` where the event is not `off-cpu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<u64>,
    /// Total time of the waits over all threads, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_s: Option<f64>,
    /// CPU time that fauxplat took to read and unwind samples, in seconds.
    pub own_cpu_s: f64,
    /// Number of times that the kernel throttled sampling because samples came too fast.
    pub throttled: u64,
}

/// The event of waits: from the switch that takes a thread's CPU away to the switch that gives it back.
pub const OFF_CPU: &str = "off-cpu";

/// The quantity of which samples are shares.
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
    /// The quantity of which the samples are shares; clocks and cycles stand for CPU time.
    pub fn whole(&self) -> Whole {
        match self.event.split(':').next().unwrap_or_default() {
            "cpu-clock" | "task-clock" | "cycles" | "cpu-cycles" => Whole::CpuTime,
            OFF_CPU => Whole::WaitingTime,
            _ => Whole::Events,
        }
    }

    /// How much all samples weigh: one each where all stand for as many events.
    pub fn weight(&self) -> u64 {
        match (self.period, self.events) {
            (None, Some(events)) => events,
            _ => self.samples,
        }
    }

    /// The part of the counted events for which samples stand.
    pub fn covered(&self) -> Option<f64> {
        let counted = self.counted.filter(|&counted| counted > 0)?;
        Some(self.events? as f64 / counted as f64)
    }

    /// The total time of which the samples are shares, in seconds; `None` if they are shares of events.
    pub fn whole_s(&self) -> Option<f64> {
        match self.whole() {
            Whole::CpuTime => Some(self.cpu_s),
            Whole::WaitingTime => self.waited_s,
            Whole::Events => None,
        }
    }
}

/// Share of one function in a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionShare {
    /// Demangled name; an address where there is none.
    pub name: String,
    /// Index in `objects` of the function's file; `None` for code without a file.
    pub object: Option<u32>,
    /// Samples in the function itself.
    pub self_samples: u64,
    /// `self_samples` as a share of all samples.
    pub self_share: f64,
    /// Low end of the interval of `self_share`.
    pub self_low: f64,
    /// High end of the interval of `self_share`.
    pub self_high: f64,
    /// Samples in the function or its callees.
    pub total_samples: u64,
    /// The part of `total_samples` in which the code of the function stands in that of its callers alone.
    #[serde(default, skip_serializing_if = "is_none")]
    pub inlined_samples: u64,
    /// `total_samples` as a share of all samples.
    pub total_share: f64,
    /// Low end of the interval of `total_share`.
    pub total_low: f64,
    /// High end of the interval of `total_share`.
    pub total_high: f64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Share of one process in a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessShare {
    /// Process id; of several runs, that of the first.
    pub pid: u32,
    /// Last name in the kernel (`comm`).
    pub name: String,
    /// Samples in the process; over several runs, in all processes of this name.
    pub samples: u64,
    /// Threads that were sampled.
    pub threads: u32,
    /// Events that its samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of its share of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// A further view of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub enum ProfileView {
    /// Callers of the functions that a pattern matches.
    CallersOf(Relatives),
    /// Callees of the functions that a pattern matches.
    CalleesOf(Relatives),
    /// Lines and instructions of the functions that a pattern matches.
    Annotated(Annotated),
}

/// Callers or callees of functions, at any distance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relatives {
    /// Index in `profiles`.
    pub profile: u16,
    /// The pattern.
    pub pattern: String,
    /// The functions that the pattern matches.
    pub functions: Vec<String>,
    /// Samples in one of these functions or in their callees.
    pub samples: u64,
    /// `samples` as a share of the profile.
    pub share: f64,
    /// Low end of the interval of `share`.
    pub low: f64,
    /// High end of the interval of `share`.
    pub high: f64,
    /// Callers or callees: the nearest first, and at equal distance the one with most samples first.
    pub relatives: Vec<Relative>,
}

/// A caller or callee of the functions that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relative {
    /// Name of the function.
    pub name: String,
    /// Samples of the matched functions on whose stacks this function stands.
    pub samples: u64,
    /// `samples` as a share of the samples of the matched functions.
    pub share: f64,
    /// Low end of the interval of `share`.
    pub low: f64,
    /// High end of the interval of `share`.
    pub high: f64,
    /// Least distance in calls: 1 for a direct caller or callee.
    pub depth: u32,
    /// Whether the nearest call was inlined.
    pub is_inlined: bool,
}

/// Lines and instructions of functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotated {
    /// Index in `profiles`.
    pub profile: u16,
    /// The pattern.
    pub pattern: String,
    /// The functions that the pattern matches.
    pub functions: Vec<AnnotatedFunction>,
}

/// Lines and instructions of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedFunction {
    /// Name of the function.
    pub name: String,
    /// Samples in the function itself.
    pub samples: u64,
    /// Events that these samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the share of the profile that is in the function itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Path of the source file, if known.
    pub file: Option<String>,
    /// Source lines with samples, and their context if the file could be read.
    pub lines: Vec<AnnotatedLine>,
    /// Instructions of the function, if they could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<AnnotatedInstruction>,
    /// Why lines or instructions are missing; a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A line of source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedLine {
    /// Line number, from 1.
    pub line: u32,
    /// Samples at the line.
    pub samples: u64,
    /// Events that these samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of its share of the function; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Text of the line, if the file could be read.
    pub text: Option<String>,
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedInstruction {
    /// Address in the object file.
    pub address: u64,
    /// Samples at the instruction.
    pub samples: u64,
    /// Events that these samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of its share of the function; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Disassembly.
    pub text: String,
}

/// Difference between two profiles, function by function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileDifference {
    /// Index of the first in `profiles`.
    pub a: u16,
    /// Index of the second in `profiles`.
    pub b: u16,
    /// Pairs of runs, one of each profile.
    pub pairs: u32,
    /// CPU time of a run of the first, in seconds; for `off-cpu`, the waiting time of its threads.
    pub a_cpu_s: f64,
    /// Additional time of a run of the second, in seconds.
    pub cpu_s: f64,
    /// Low end of the simultaneous interval of `cpu_s`.
    pub low_s: f64,
    /// High end of the simultaneous interval of `cpu_s`.
    pub high_s: f64,
    /// Bound of the probability that any function is called different where none is.
    pub error: f64,
    /// Every function, the one with the surest difference first.
    pub functions: Vec<FunctionDifference>,
}

/// Additional CPU or waiting time of the second program in one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionDifference {
    /// Name of the function.
    pub name: String,
    /// Name in the second program, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<String>,
    /// Whether the two names have nothing in common, and the functions were matched by their callers, callees and
    /// shares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guess: bool,
    /// The only program with samples of the function, where the other has none though it has object files of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in: Option<ProfiledSide>,
    /// For a function in one program alone: the caller, if its own time changes by about as much in the opposite
    /// direction, as if the function were inlined in the other program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorbed_by: Option<String>,
    /// Additional seconds per run of the second program in the function itself.
    pub self_s: f64,
    /// Low end of the simultaneous interval of `self_s`.
    pub self_low_s: f64,
    /// High end of the simultaneous interval of `self_s`.
    pub self_high_s: f64,
    /// Additional seconds per run of the second program in the function and its callees.
    pub total_s: f64,
    /// Low end of the simultaneous interval of `total_s`.
    pub total_low_s: f64,
    /// High end of the simultaneous interval of `total_s`.
    pub total_high_s: f64,
    /// p-value of `self_s`, adjusted for all functions.
    pub p_adjusted: f64,
    /// p-value of `total_s`, adjusted for all functions.
    pub total_p_adjusted: f64,
    /// The most frequent caller in the slower of the two programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
}

/// Program of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfiledSide {
    /// The first.
    First,
    /// The second.
    Second,
}

/// An object file of sampled code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledObject {
    /// Path, or `[kernel]`, `[vdso]`, `[jit]`.
    pub path: String,
    /// Build ID from the linker, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// Level of symbol information.
    pub names: ObjectNames,
    /// Missing information and the package to install; `None` where nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Level of symbol information of an object file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectNames {
    /// No names.
    #[default]
    None,
    /// Names of exported functions.
    Exported,
    /// Names of all functions.
    Symbols,
    /// Names, lines and inlined functions.
    Lines,
}

/// A code location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfiledFrame {
    /// The function, demangled; where its file was stripped of names, the file and where it begins there.
    pub name: String,
    /// Other names of the function, by which patterns find it, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Index in `objects` of the function's file.
    pub object: Option<u32>,
    /// Path of the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the function is inlined into the frame before, its caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inlined: bool,
    /// Whether the function belongs to the kernel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kernel: bool,
    /// Whether the function has no name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
}

/// A call stack of samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfiledStack {
    /// Indices in `frames`, from the outermost caller to the function that ran.
    pub frames: Vec<u32>,
    /// Name of the process in the kernel (`comm`); may be empty.
    pub process: String,
    /// Whether the stack was unwound to its beginning.
    pub end: StackEnd,
    /// Number of samples, for each profile.
    pub samples: Vec<u64>,
    /// Events that these samples stand for, for each profile; absent where all samples stand for as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
    /// The sums of the squares of these numbers, sample by sample: intervals follow from them, and are what is stored.
    #[serde(skip)]
    pub squares: Vec<f64>,
}

/// The weight of samples: a share is a sum of the events that samples stand for, and its interval follows from how
/// evenly these are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    /// Samples.
    pub samples: u64,
    /// The events that they stand for together.
    pub events: u64,
    /// The sum of the squares of the events of each.
    pub squares: f64,
}

impl Weight {
    /// The weight of samples that stand for `period` events each.
    pub fn of(samples: u64, period: u64) -> Self {
        let squares = samples as f64 * (period as f64).powi(2);
        Weight { samples, events: samples.saturating_mul(period), squares }
    }

    /// The weight of samples that stand for so many events together, as if each stood for as many.
    pub fn evenly(samples: u64, events: u64) -> Self {
        Weight { samples, events, squares: (events as f64).powi(2) / samples.max(1) as f64 }
    }
}

impl std::ops::AddAssign for Weight {
    fn add_assign(&mut self, more: Self) {
        self.samples += more.samples;
        self.events = self.events.saturating_add(more.events);
        self.squares += more.squares;
    }
}

impl ProfiledStack {
    /// How much its samples of one profile weigh: one each where all stand for as many events.
    pub fn weight(&self, profile: usize) -> Weight {
        let samples = self.samples.get(profile).copied().unwrap_or(0);
        match (self.events.get(profile), self.squares.get(profile)) {
            (Some(&events), Some(&squares)) => Weight { samples, events, squares },
            // Of a document that was read, as if its samples stood for as many events each.
            (Some(&events), None) => Weight::evenly(samples, events),
            (None, _) => Weight::of(samples, 1),
        }
    }
}

/// How far the callers of a sample could be unwound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackEnd {
    /// To the end of the copied part of the stack.
    #[default]
    Whole,
    /// To the end of the copied part of the stack.
    Truncated,
    /// To code without unwinding information.
    Broken,
}

/// An instruction at which samples were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledInstruction {
    /// Index in `objects` of the instruction's file.
    pub object: u32,
    /// Address, as in the symbol tables of the file.
    pub address: u64,
    /// Index in `frames` of the function and line; of inlined functions, the innermost.
    pub frame: u32,
    /// Number of samples, for each profile.
    pub samples: Vec<u64>,
    /// Events that these samples stand for, for each profile; absent where all samples stand for as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
}

impl ProfiledInstruction {
    /// How much its samples of one profile weigh, as those of a stack do.
    pub fn events(&self, profile: usize) -> u64 {
        self.events.get(profile).or_else(|| self.samples.get(profile)).copied().unwrap_or(0)
    }
}

/// Samples of one run, for the comparison of runs. Never stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfiledRun {
    /// Index in `profiles`.
    pub profile: u16,
    /// Number of the block; runs of one block were taken one after the other in a drawn order.
    pub block: u32,
    /// Indices in `stacks`, each with its number of samples.
    pub stacks: Vec<(u32, Weight)>,
    /// CPU time of the run in seconds; for `off-cpu`, the waiting time of its threads.
    pub whole_s: f64,
}
