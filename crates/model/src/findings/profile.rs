//! Where the time of a program goes, and who calls what.

use serde::{Deserialize, Serialize};

/// What was sampled of one command or of several, and what follows.
///
/// The tables are shared: a stack names frames by their place in `frames`, a frame its object by its place in `objects`.
/// Whatever is counted of commands has a number for each, in the order of `profiles`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileFindings {
    /// One for each command, or for the process that ran already.
    pub profiles: Vec<Profile>,
    /// What differs between the first and each of the others; absent with one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ProfileDifference>,
    /// What else was asked for: who calls something, what it calls, where in its source it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ProfileView>,
    /// Files that code came from.
    pub objects: Vec<ProfiledObject>,
    /// Places in code: functions, each with a line of its source where that is known.
    pub frames: Vec<ProfiledFrame>,
    /// Ways in which the samples came to where they were.
    pub stacks: Vec<ProfiledStack>,
    /// Instructions in which samples were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<ProfiledInstruction>,
}

/// What was sampled of one command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// What it is called.
    pub name: String,
    /// How good the profile is.
    pub quality: ProfileQuality,
    /// Every function in which a sample was or below which one was, the largest self share first.
    pub functions: Vec<FunctionShare>,
    /// Every process that was sampled, the one with the most samples first.
    pub processes: Vec<ProcessShare>,
}

/// What a reader must know before believing a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileQuality {
    /// What a sample was taken of: `cpu-clock`, `cycles`, `page-faults`; `off-cpu` for the time in which threads have no CPU.
    pub event: String,
    /// Why it is not the one that is usual, or what was left out; a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How callers were found: `eh_frame` (tables of the compiler, from a copy of the stack) or `frame-pointers`.
    pub unwinding: String,
    /// Bytes of the stack that were copied with each sample; 0 where none were.
    pub stack_bytes: u32,
    /// Runs that were sampled.
    pub runs: u32,
    /// Samples, those that had no stack included.
    pub samples: u64,
    /// Samples that the kernel had no room for.
    pub lost: u64,
    /// Samples whose stack goes further than what was copied of it.
    pub truncated: u64,
    /// Samples whose stack ends where its code says nothing about its caller.
    pub broken: u64,
    /// Samples of which the function that ran has no name.
    pub unknown: u64,
    /// Whether the kernel's own functions were sampled.
    pub has_kernel: bool,
    /// How many samples a second of CPU time, or of waiting, were asked for; absent where each so many events made one.
    pub rate_hz: Option<f64>,
    /// How many there were.
    pub reached_hz: Option<f64>,
    /// CPU time of what was sampled, in seconds, from the beginning of the first run on.
    pub cpu_s: f64,
    /// Elapsed time of it in seconds.
    pub elapsed_s: f64,
    /// Where waits were sampled: how many there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<u64>,
    /// Time that all threads together waited in them, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_s: Option<f64>,
    /// CPU time that fauxplat took meanwhile to read and unwind, in seconds.
    pub own_cpu_s: f64,
    /// How often the kernel kept samples back because they came too fast.
    pub throttled: u64,
}

/// The event of waits: the time from the switch that takes a thread's CPU away to the one that gives it back.
pub const OFF_CPU: &str = "off-cpu";

/// What the samples of a profile are parts of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Time in which threads have a CPU.
    CpuTime,
    /// Time in which they have none.
    WaitingTime,
    /// Events, each of which counts as much as any other.
    Events,
}

impl ProfileQuality {
    /// What the samples are parts of: clocks and cycles count time.
    pub fn whole(&self) -> Whole {
        match self.event.split(':').next().unwrap_or_default() {
            "cpu-clock" | "task-clock" | "cycles" | "cpu-cycles" => Whole::CpuTime,
            OFF_CPU => Whole::WaitingTime,
            _ => Whole::Events,
        }
    }

    /// The time of which the samples are parts, in seconds, if it is time that they are parts of.
    pub fn whole_s(&self) -> Option<f64> {
        match self.whole() {
            Whole::CpuTime => Some(self.cpu_s),
            Whole::WaitingTime => self.waited_s,
            Whole::Events => None,
        }
    }
}

/// How much of a profile is in one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionShare {
    /// Its name, demangled; an address where there is none.
    pub name: String,
    /// The file of its code, by its place in `objects`; absent for what has none.
    pub object: Option<u32>,
    /// Samples in it.
    pub self_samples: u64,
    /// Their share, with its 95 % interval.
    pub self_share: f64,
    /// The lower end.
    pub self_low: f64,
    /// The upper end.
    pub self_high: f64,
    /// Samples in it or in what it called.
    pub total_samples: u64,
    /// Their share, with its 95 % interval.
    pub total_share: f64,
    /// The lower end.
    pub total_low: f64,
    /// The upper end.
    pub total_high: f64,
}

/// How much of a profile is in one process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessShare {
    /// Its number; of several runs that of the first.
    pub pid: u32,
    /// What the kernel called it at its end.
    pub name: String,
    /// Samples in it; of several runs in all of this name.
    pub samples: u64,
    /// Its threads that were sampled.
    pub threads: u32,
}

/// What else was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub enum ProfileView {
    /// Who calls what a pattern finds.
    CallersOf(Relatives),
    /// What is called by what a pattern finds.
    CalleesOf(Relatives),
    /// Lines and instructions of what a pattern finds.
    Annotated(Annotated),
}

/// Callers or callees of functions, however far away they stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relatives {
    /// Which profile it is about.
    pub profile: u16,
    /// The pattern.
    pub pattern: String,
    /// The functions that it found.
    pub functions: Vec<String>,
    /// Samples in one of them or in what they called.
    pub samples: u64,
    /// Their share of the profile, with its 95 % interval.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The relatives, the nearest first and of those the one with most samples.
    pub relatives: Vec<Relative>,
}

/// A function that calls others, or is called by them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relative {
    /// Its name.
    pub name: String,
    /// Samples of the pattern's functions for which it is a relative.
    pub samples: u64,
    /// Their share of the samples of the pattern's functions, with its 95 % interval.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many calls away it is where it is nearest: 1 for direct ones.
    pub depth: u32,
    /// Whether the nearest call has been replaced by the code of what is called.
    pub is_inlined: bool,
}

/// Lines and instructions of functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotated {
    /// Which profile it is about.
    pub profile: u16,
    /// The pattern.
    pub pattern: String,
    /// The functions that it found.
    pub functions: Vec<AnnotatedFunction>,
}

/// Lines and instructions of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedFunction {
    /// Its name.
    pub name: String,
    /// Samples in it.
    pub samples: u64,
    /// The file of its source, if that is known.
    pub file: Option<String>,
    /// Lines of its source, with those around them if the file could be read.
    pub lines: Vec<AnnotatedLine>,
    /// Its instructions, if they could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<AnnotatedInstruction>,
    /// Why there are no lines or no instructions; a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A line of source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedLine {
    /// Its number, from 1.
    pub line: u32,
    /// Samples in it.
    pub samples: u64,
    /// What it says, if the file could be read.
    pub text: Option<String>,
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedInstruction {
    /// Where it stands in its file.
    pub address: u64,
    /// Samples in it.
    pub samples: u64,
    /// What it says.
    pub text: String,
}

/// What differs between two profiles, function by function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileDifference {
    /// Place of the first among the profiles.
    pub a: u16,
    /// Place of the other.
    pub b: u16,
    /// Pairs of runs, each one of either.
    pub pairs: u32,
    /// CPU time of a run of the first, in seconds; of waits the time that its threads wait.
    pub a_cpu_s: f64,
    /// What a run of the other takes more of it, in seconds, with its simultaneous interval.
    pub cpu_s: f64,
    /// The lower end.
    pub low_s: f64,
    /// The upper end.
    pub high_s: f64,
    /// The chance, at most, that any function here is called different where none is.
    pub error: f64,
    /// Every function, the one that differs most surely first.
    pub functions: Vec<FunctionDifference>,
}

/// How much more CPU time, or of waits how much more time, the other takes in one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionDifference {
    /// Its name.
    pub name: String,
    /// What it is called in the other, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<String>,
    /// Whether the two names have nothing in common, and the function is taken for the same because of who calls it, what it
    /// calls and how much it takes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guess: bool,
    /// The program that has samples of it, where the other has none though it has such files of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in: Option<ProfiledSide>,
    /// Where it is in one program alone: its caller, if that one takes about so much less or more itself, as it would if the
    /// function were inlined in the other program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorbed_by: Option<String>,
    /// Seconds that a run of the other takes more in the function itself, with its simultaneous interval.
    pub self_s: f64,
    /// The lower end.
    pub self_low_s: f64,
    /// The upper end.
    pub self_high_s: f64,
    /// The same in it and in what it calls.
    pub total_s: f64,
    /// The lower end.
    pub total_low_s: f64,
    /// The upper end.
    pub total_high_s: f64,
    /// Chance of so large a difference in the function itself if nothing differs, adjusted for all functions.
    pub p_adjusted: f64,
    /// The same of it with what it calls.
    pub total_p_adjusted: f64,
    /// Who calls it most in the slower of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
}

/// One of two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfiledSide {
    /// The first.
    First,
    /// The other.
    Second,
}

/// A file that code came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledObject {
    /// Its path, or `[kernel]`, `[vdso]`, `[jit]`.
    pub path: String,
    /// The number that its linker gave it, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// What is known of its functions: `lines`, `symbols`, or `none`.
    pub names: ObjectNames,
    /// What is missing and what to install; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// What is known of the functions of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectNames {
    /// Nothing.
    #[default]
    None,
    /// Names of those that are exported.
    Exported,
    /// Names of all.
    Symbols,
    /// Names, lines, and what was inlined.
    Lines,
}

/// A place in code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfiledFrame {
    /// The function, demangled; an address where it has no name.
    pub name: String,
    /// The file of its code, by its place in `objects`.
    pub object: Option<u32>,
    /// The file of its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether its code stands in that of the frame before, its caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inlined: bool,
    /// Whether it is the kernel's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kernel: bool,
    /// Whether it has no name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
}

/// A way to where samples were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfiledStack {
    /// Places in `frames`, from the one that was called first to the one that ran.
    pub frames: Vec<u32>,
    /// The process and what the kernel calls it: a place in the `processes` of its profile is not needed to read it.
    pub process: String,
    /// How the stack ends: whether its beginning was reached.
    pub end: StackEnd,
    /// Samples, for each profile.
    pub samples: Vec<u64>,
}

/// How far the callers of a sample could be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackEnd {
    /// To the beginning of the thread.
    #[default]
    Whole,
    /// To the end of what was copied of the stack.
    Truncated,
    /// To code that says nothing about its caller.
    Broken,
}

/// An instruction in which samples were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledInstruction {
    /// The file of its code, by its place in `objects`.
    pub object: u32,
    /// Where it stands there: the address that the file's own tables use.
    pub address: u64,
    /// The function and line, by its place in `frames`: the innermost of those that were inlined.
    pub frame: u32,
    /// Samples, for each profile.
    pub samples: Vec<u64>,
}

/// What was sampled of one run, for whoever holds runs against each other. It is not stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfiledRun {
    /// Which profile it belongs to, by its place in `profiles`.
    pub profile: u16,
    /// Runs of one block were taken one after the other, in an order that was drawn.
    pub block: u32,
    /// Places in `stacks`, each with its samples.
    pub stacks: Vec<(u32, u64)>,
    /// CPU time of the run in seconds; of waits the time that its threads waited.
    pub whole_s: f64,
}
