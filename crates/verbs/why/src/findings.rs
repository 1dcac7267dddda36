//! Findings of `why`: the document `fauxplat.why/1`.

use fauxplat_model::Verdict;
use serde::{Deserialize, Serialize};

use crate::amount::Amount;

/// Name of the document's schema.
pub const SCHEMA: &str = "fauxplat.why/1";

/// The answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The programs do not differ by more than the margin.
    Equivalent,
    /// No difference was shown, and its absence neither.
    #[default]
    Undecided,
    /// The programs differ, and the first cause is named.
    Cause,
    /// The programs differ, and no experiment explains it.
    Unexplained,
    /// The programs differed, and did not any more when that was to be explained.
    Vanished,
}

/// Account of time that a difference is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// CPU time in user mode.
    User,
    /// CPU time in the kernel.
    System,
    /// Ready to run, without a CPU.
    RunQueue,
    /// Waiting for something other than a CPU.
    Blocked,
    /// Loading and linking, before the first instruction of the program itself: a part of user and system time.
    Start,
    /// The whole difference.
    Whole,
}

/// A part of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferencePart {
    /// The account.
    pub account: Account,
    /// Additional time of the slower program, in nanoseconds per run.
    pub more_ns: Amount,
    /// Share of the whole difference.
    pub share: f64,
}

/// Kind of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// More instructions.
    MoreWork,
    /// More branches that the predictor gets wrong.
    Branches,
    /// More accesses to data that miss a cache.
    Caches,
    /// More fetches of instructions that miss a cache.
    InstructionCache,
    /// Instructions that take long: divisions, square roots.
    SlowInstructions,
    /// Numbers that arithmetic takes long for: denormal ones.
    SlowNumbers,
    /// A cache line that several CPUs write.
    SharedLine,
    /// Waiting by looking again and again.
    BusyWait,
    /// Allocation of memory.
    Allocation,
    /// Exceptions that are thrown and unwound.
    Exceptions,
    /// Patterns that are compiled again and again.
    Patterns,
    /// Treatment of text by the rules of a locale.
    Locale,
    /// Assertions, or other checks of a debugging build.
    Assertions,
    /// The place of code, stack or heap.
    Place,
    /// Sleep.
    Sleep,
    /// Data that are brought to a disk.
    Sync,
    /// A lock.
    Lock,
    /// A pipe or socket.
    Pipe,
    /// Data that come from a disk.
    DiskRead,
    /// Output in small pieces.
    SmallWrites,
    /// Output to a file that the faster program does not write.
    Logging,
    /// System calls of another name.
    Calls,
    /// Pages that are touched for the first time.
    PageFaults,
    /// Huge pages that one program gets and the other does not.
    HugePages,
    /// A CPU quota.
    Quota,
    /// Fewer CPUs.
    Affinity,
    /// A lower priority.
    Priority,
    /// More threads than CPUs.
    Crowd,
    /// Libraries that are loaded.
    Libraries,
    /// A program that takes longer to load and link.
    Loading,
    /// Processes that are started.
    Processes,
    /// A variable of the environment.
    Environment,
}

/// How a cause is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The time of the cause was measured.
    Measured,
    /// The time of the cause is reckoned from counts and from what each event usually takes.
    Reckoned,
    /// The cause is the only condition that differs, or one of few.
    Condition,
}

/// A cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Kind.
    pub kind: Kind,
    /// The cause in words that follow "because of".
    pub what: String,
    /// The account that it is in.
    pub account: Account,
    /// Explained time, in nanoseconds per run.
    pub explains_ns: f64,
    /// Explained time as a share of the difference.
    pub share: f64,
    /// How it is known.
    pub grade: Grade,
    /// Function, file or library where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The evidence, a sentence each.
    pub because: Vec<String>,
    /// A command line that looks closer.
    pub next: String,
}

/// A cause that was looked for and is not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// Name.
    pub what: String,
    /// The evidence.
    pub because: String,
}

/// A condition that is not the same for both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Name.
    pub what: String,
    /// Of the faster program.
    pub fast: String,
    /// Of the slower program.
    pub slow: String,
}

/// Counts of both programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Name.
    pub what: String,
    /// Source: `kernel`, `traced`, `simulated`.
    pub source: String,
    /// Of the faster program, per run.
    pub fast: f64,
    /// Of the slower program, per run.
    pub slow: f64,
}

/// Additional time of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Caller from which the function takes the most more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Source and line with the most samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Additional time of the slower program in the function itself, in nanoseconds per run; with an interval for all functions at once.
    pub more_ns: Amount,
    /// Additional instructions in a simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_instructions: Option<f64>,
    /// Whether the second revision changes the function, if the programs are of revisions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
}

/// Number of the lines by which two revisions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedLines {
    /// Changed files.
    pub files: usize,
    /// Changed places in them.
    pub places: usize,
}

/// An experiment that was made, or why it was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Question.
    pub question: String,
    /// Seconds that it took; `None` where it was not made.
    pub took_s: Option<f64>,
    /// Why it was not made, or what is to be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Verdict.
    pub verdict: Verdict,
    /// B over A.
    pub ratio: f64,
    /// Low end of its interval.
    pub low_ratio: f64,
    /// High end of its interval.
    pub high_ratio: f64,
    /// Pairs.
    pub pairs: usize,
    /// Error level.
    pub level: f64,
    /// Margin.
    pub margin: f64,
    /// Whether the difference is in some of the runs only.
    pub is_in_some_runs: bool,
}

/// Findings of `why`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyFindings {
    /// The answer in one sentence, for lists of experiments.
    pub summary: String,
    /// The answer.
    pub answer: Answer,
    /// Names of A and B.
    pub programs: [String; 2],
    /// Index of the slower program; `None` where none was shown to be.
    pub slower: Option<usize>,
    /// Whether the files and the arguments of both are equal; `None` where a file was not read.
    pub are_same: Option<bool>,
    /// The comparison.
    pub compared: Option<Compared>,
    /// The whole difference in nanoseconds per run; `None` where there is none.
    pub more_ns: Option<Amount>,
    /// Parts of the difference, which sum to the whole.
    pub parts: Vec<DifferencePart>,
    /// Share of the difference that no cause explains.
    pub unexplained: f64,
    /// Causes, the one that explains most first.
    pub causes: Vec<Cause>,
    /// Experiment that would tell the first two causes apart, where both could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_tell: Option<String>,
    /// Causes that were looked for and are none.
    pub excluded: Vec<Excluded>,
    /// Conditions that are not the same for both.
    pub conditions: Vec<Difference>,
    /// Counts that are not the same for both.
    pub counts: Vec<Counted>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Experiments.
    pub experiments: Vec<Experiment>,
    /// The difference when it was looked for again at the end, in nanoseconds per run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_ns: Option<Amount>,
    /// Seconds after which it was looked for again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_after_s: Option<f64>,
    /// Lines by which the revisions differ, if the programs are of revisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangedLines>,
    /// Whether the user interrupted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interrupted: bool,
    /// Elapsed time in seconds.
    pub elapsed_s: f64,
}
