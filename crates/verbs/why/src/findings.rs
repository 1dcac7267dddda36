//! Findings of `why`: the document `fauxplat.why/1`.

use fauxplat_model::Verdict;
use serde::{Deserialize, Serialize};

use crate::amount::Amount;

pub const SCHEMA: &str = "fauxplat.why/1";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The programs do not differ by more than the margin.
    Equivalent,
    /// The comparison showed no difference, and no absence of one.
    #[default]
    Undecided,
    /// The programs differ, and a cause was found.
    Cause,
    /// The programs differ, and no experiment explains why.
    Unexplained,
    /// The programs differed at first, and further runs do not show it, or runs at the end.
    Vanished,
}

/// The account of time in which a difference lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    User,
    /// CPU time in the kernel.
    System,
    /// Ready to run without a CPU.
    RunQueue,
    /// Waiting for anything other than a CPU.
    Blocked,
    /// Loading and linking before the program's first instruction: a part of user and system time.
    Start,
    /// The whole difference.
    Whole,
}

/// A part of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferencePart {
    pub account: Account,
    /// Additional time of the slower program, in nanoseconds per run.
    pub more_ns: Amount,
    /// Share of the whole difference.
    pub share: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    MoreWork,
    /// More mispredicted branches.
    Branches,
    /// More data accesses that miss a cache.
    Caches,
    /// More instruction fetches that miss a cache.
    InstructionCache,
    /// Instructions with a long latency, such as divisions and square roots.
    SlowInstructions,
    /// Numbers on which arithmetic is slow: denormal ones.
    SlowNumbers,
    /// Work that fewer threads share at the same time.
    Imbalance,
    /// A cache line that several CPUs write.
    SharedLine,
    /// Busy waiting: polling in a loop.
    BusyWait,
    Allocation,
    /// Throwing exceptions and unwinding the stack.
    Exceptions,
    /// Patterns, such as regular expressions, that are compiled repeatedly.
    Patterns,
    /// Text processing by the rules of a locale.
    Locale,
    /// Assertions or other checks of a debug build.
    Assertions,
    /// The layout of code, stack or heap.
    Place,
    Sleep,
    /// Waiting until data are on a disk.
    Sync,
    Lock,
    /// Waiting for a pipe or socket.
    Pipe,
    /// Reading data from a disk.
    DiskRead,
    /// Output in small pieces.
    SmallWrites,
    /// Output to a file that the faster program does not write.
    Logging,
    /// System calls without a kind of their own.
    Calls,
    /// Page faults of pages touched for the first time.
    PageFaults,
    /// Huge pages that only one program gets.
    HugePages,
    Quota,
    Affinity,
    Priority,
    Crowd,
    /// More shared libraries to load.
    Libraries,
    /// Longer loading and linking.
    Loading,
    /// Starting processes.
    Processes,
    /// Starting threads.
    Threads,
    Environment,
}

/// How well a cause is established.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The time of the cause was measured.
    Measured,
    /// The time of the cause was computed from counts and the usual time of each event.
    Reckoned,
    /// A condition differs, and nothing else or little else does.
    Condition,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub kind: Kind,
    /// The cause in words that follow "because of".
    pub what: String,
    /// The account of time in which the cause lies.
    pub account: Account,
    /// Explained time, in nanoseconds per run.
    pub explains_ns: f64,
    /// Explained time as a share of the difference.
    pub share: f64,
    /// Whether the time is a part of that of the first cause, which acts by this one. The times of all others are apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
    /// Whether the evidence is sure even where that of the account of time is not.
    #[serde(skip)]
    pub is_certain: bool,
    /// How well the cause is established.
    pub grade: Grade,
    /// Function, file or library; `None` where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The evidence, one sentence per item.
    pub because: Vec<String>,
    /// A command line for a closer look.
    pub next: String,
}

/// A cause that was tested and not found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// The cause in words.
    pub what: String,
    /// The evidence against the cause.
    pub because: String,
}

/// A condition that differs between the programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub what: String,
    /// Value for the faster program.
    pub fast: String,
    /// Value for the slower program.
    pub slow: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    pub what: String,
    /// Source of the count: `kernel`, `traced` or `simulated`.
    pub source: String,
    /// Count of the faster program, per run.
    pub fast: f64,
    /// Count of the slower program, per run.
    pub slow: f64,
}

/// Additional time of a function in the slower program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// Direct caller whose calls account for the largest part of the change in the function's own time, or else its most
    /// frequent caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Source line with the most samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Additional time in the function itself, in nanoseconds per run; the interval is simultaneous over all functions.
    pub more_ns: Amount,
    /// Additional instructions in a simulator; `None` where nothing was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_instructions: Option<f64>,
    /// Callers, the direct one first, each with the source line of its call.
    #[serde(skip)]
    pub callers: Vec<(String, Option<(String, u32)>)>,
    /// Nearest of the callers that the second revision changes, if the programs are of revisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_caller: Option<String>,
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

/// An experiment that was made or left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    pub question: String,
    /// Duration in seconds; `None` where the experiment was left out.
    pub took_s: Option<f64>,
    /// Why the experiment was left out, or a remark on the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    pub verdict: Verdict,
    /// Ratio B over A.
    pub ratio: f64,
    /// Low end of the ratio's interval.
    pub low_ratio: f64,
    /// High end of the ratio's interval.
    pub high_ratio: f64,
    pub pairs: usize,
    pub level: f64,
    pub margin: f64,
    /// Whether only some of the runs differ.
    pub is_in_some_runs: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyFindings {
    /// The answer in one sentence, for lists of experiments.
    pub summary: String,
    pub answer: Answer,
    pub programs: [String; 2],
    /// Index of the slower program; `None` where neither was shown to be slower.
    pub slower: Option<usize>,
    /// Whether files and arguments of both programs are equal; `None` where a file could not be read.
    pub are_same: Option<bool>,
    pub compared: Option<Compared>,
    /// Pairs that would probably decide; `None` where the comparison is decided, or no number would decide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_needed: Option<usize>,
    /// Seconds of `--max-time` into which these pairs and the warm-up would fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_s: Option<f64>,
    /// The whole difference in nanoseconds per run; `None` without a difference.
    pub more_ns: Option<Amount>,
    /// Parts of the difference; their sum is the whole.
    pub parts: Vec<DifferencePart>,
    /// Share of the difference that no cause explains.
    pub unexplained: f64,
    /// Causes, largest explained time first.
    pub causes: Vec<Cause>,
    /// An experiment that could decide between the first two causes; `None` where the first is clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_tell: Option<String>,
    /// Causes that were tested and not found.
    pub excluded: Vec<Excluded>,
    /// Conditions that differ between the programs.
    pub conditions: Vec<Difference>,
    /// Counts that differ between the programs.
    pub counts: Vec<Counted>,
    pub functions: Vec<Function>,
    pub experiments: Vec<Experiment>,
    /// The difference measured again at the end, in nanoseconds per run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_ns: Option<Amount>,
    /// Seconds from the start to the repeated measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_after_s: Option<f64>,
    /// Lines by which the revisions differ, if the programs are of revisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangedLines>,
    /// Whether the user interrupted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interrupted: bool,
    /// Duration in seconds.
    pub elapsed_s: f64,
}
