//! Findings of `why`: the document `fauxplat.why/2`.

use fauxplat_model::{Verdict, high_ratio_end, low_ratio_end, ratio_end};
use serde::{Deserialize, Serialize};

use crate::amount::Amount;

pub const SCHEMA: &str = "fauxplat.why/2";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The programs do not differ by more than the margin.
    Equivalent,
    /// The comparison showed neither a difference nor that there is none above the margin.
    #[default]
    Undecided,
    /// The programs differ, and a cause was found.
    Cause,
    /// The programs differ, and no cause was found.
    Unexplained,
    /// The programs differed at first, but further pairs of runs, or those at the end, did not show a difference.
    Vanished,
}

/// Account of time in which a difference lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    User,
    System,
    /// Time in which threads are ready to run but have no CPU.
    RunQueue,
    /// Waiting for anything other than a CPU.
    Blocked,
    /// Loading and linking before the program's first instruction: a part of user and system time.
    Start,
    /// The whole difference.
    Whole,
}

/// Part of the difference that lies in one account of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferencePart {
    pub account: Account,
    /// Additional time of the slower program, in nanoseconds per run.
    pub more_ns: Amount,
    /// Additional time as a share of the whole difference; `None` where the interval of the whole contains zero.
    pub share: Option<f64>,
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
    /// Fewer threads that share the work at the same time.
    Imbalance,
    /// A cache line that several CPUs write, and so take from each other.
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
    /// Placement of code, stack or heap in memory.
    Place,
    Sleep,
    /// Waiting until data are on a disk.
    Sync,
    Lock,
    /// Waiting for a pipe or socket.
    Pipe,
    /// Waiting for a signal.
    Signal,
    /// Reading data from a disk.
    DiskRead,
    /// Output in small pieces.
    SmallWrites,
    /// Output to a file that the faster program does not write.
    Logging,
    /// System calls that belong to no other kind.
    Calls,
    /// Page faults at the first access to a page.
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
    /// The cause is a condition that differs between the programs, such as CPU quota or priority.
    Condition,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub kind: Kind,
    /// The cause as a phrase of which the slower program is the subject, such as "sleeps longer".
    pub what: String,
    /// The account of time in which the cause lies.
    pub account: Account,
    /// Explained time, in nanoseconds per run.
    pub explains_ns: f64,
    /// Explained time as a share of the difference.
    pub share: f64,
    /// Whether the explained time is included in that of the first cause, which acts through this one. The explained
    /// times of all other causes are disjoint.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
    /// Whether the cause itself is certain, even if the additional time in its account is not.
    #[serde(skip)]
    pub is_certain: bool,
    /// How well the cause is established.
    pub grade: Grade,
    /// Function, file or library in which the cause lies; `None` where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The evidence, one sentence per item.
    pub because: Vec<String>,
    /// Command line of a closer look at the cause.
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
    /// Direct caller whose calls account for the largest part of the change in the function's own time; without such a
    /// caller, the most frequent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Source line with the most samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Additional time in the function itself, in nanoseconds per run; the intervals of all functions hold
    /// simultaneously.
    pub more_ns: Amount,
    /// Additional instructions of the function in a simulator; `None` where nothing was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_instructions: Option<f64>,
    /// Functions on the stack, direct caller first, each with the source line of its call.
    #[serde(skip)]
    pub callers: Vec<(String, Option<(String, u32)>)>,
    /// Nearest function on the stack that the second of two compared revisions changes; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_caller: Option<String>,
    /// Whether the second of two compared revisions changes the function.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
}

/// Size of the difference between two revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedLines {
    /// Number of changed files.
    pub files: usize,
    /// Number of changed places in these files.
    pub places: usize,
}

/// An experiment that was carried out or left out.
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
    /// Ratio of the time of the second program (B) to that of the first (A).
    pub ratio: f64,
    /// Low end of the ratio's interval.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub low_ratio: f64,
    /// High end of the ratio's interval.
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub high_ratio: f64,
    pub pairs: usize,
    pub level: f64,
    pub margin: f64,
    /// Whether the programs differ only in some of their runs, and not in the typical one.
    pub is_in_some_runs: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyFindings {
    /// The answer in one sentence, for lists of experiments.
    pub summary: String,
    pub answer: Answer,
    pub programs: [String; 2],
    /// Index of the slower program in `programs`; `None` where neither was shown to be slower.
    pub slower: Option<usize>,
    /// Whether files and arguments of both programs are equal; `None` where a file could not be read.
    pub are_same: Option<bool>,
    pub compared: Option<Compared>,
    /// Whether one command is compared with itself in an earlier session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_sessions: bool,
    /// Number of pairs of runs that would probably decide the comparison; `None` where it is decided, or no number
    /// would decide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_needed: Option<usize>,
    /// Value of `--max-time`, in seconds, into which `pairs_needed` pairs and the warm-up would fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_s: Option<f64>,
    /// The whole difference of wall time in nanoseconds per run; `None` unless the comparison showed a difference, or
    /// `failed` has a message. The difference is then that of the pairs until the failure, second program minus first.
    pub more_ns: Option<Amount>,
    /// Difference of wall time where the pairs after the verdict do not show it, as beside other programs; `more_ns` is then
    /// that of the accounts in `parts`, which they do show. `None` where `more_ns` is of wall time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_ns: Option<Amount>,
    /// Parts of the difference; their sum is the whole.
    pub parts: Vec<DifferencePart>,
    /// Share of the difference that no cause explains.
    pub unexplained: f64,
    /// Causes, largest explained time first.
    pub causes: Vec<Cause>,
    /// Command line of a closer look at the second cause, where that could be the first one; `None` where the first is
    /// clear.
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
    /// Difference of wall time measured again at the end, in nanoseconds per run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_ns: Option<Amount>,
    /// Seconds from the start to the measurement of `again_ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_after_s: Option<f64>,
    /// Number of changes between the revisions from which the programs are built; `None` without revisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangedLines>,
    /// Whether the user interrupted the explanation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interrupted: bool,
    /// Message of the failure that ended the comparison; `None` where it was not ended so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Duration of the whole explanation in seconds.
    pub elapsed_s: f64,
}
