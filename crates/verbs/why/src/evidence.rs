//! Observations about two programs that differ: the interface between measurement and analysis.
//!
//! In arrays of two, the faster program is first and the slower one second; differences are the slower program's value
//! minus the faster one's.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use crate::amount::Amount;
use crate::findings::{Difference, Kind};

/// Times of a pair of runs in nanoseconds, the faster program's first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairReading {
    pub wall_ns: [f64; 2],
    pub user_ns: [f64; 2],
    pub system_ns: [f64; 2],
    /// Time in which threads were ready to run but had no CPU.
    pub delay_ns: [f64; 2],
}

/// A counter of the kernel, per run, for both programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Name of the counted metric.
    pub name: String,
    /// Name of the metric in reports.
    pub title: String,
    /// Mean count of each program.
    pub means: [f64; 2],
    pub more: Amount,
}

/// Reason why a thread waited without using a CPU, by the system call in which it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// A sleep for a requested time.
    Sleep,
    /// Writing data back to a disk.
    Sync,
    /// A lock that another thread or process holds, or a condition variable.
    Lock,
    /// A pipe, a socket, or another stream of what others send.
    Pipe,
    Signal,
    /// Reading or writing a file.
    File,
    /// Waiting for the end of other threads or processes of the same run, whose own waits are counted instead.
    Tasks,
    /// Any other system call.
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallSum {
    pub count: f64,
    /// Time from entry to return of all calls in nanoseconds, less the minimum overhead of tracing each.
    pub ns: f64,
    /// CPU time of all calls in nanoseconds, likewise; zero where the kernel does not count it.
    pub cpu_ns: f64,
}

/// Calls of one name that waited for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waited {
    pub count: f64,
    /// Time from entry to return of all of them in nanoseconds, less the minimum overhead of tracing each.
    pub ns: f64,
}

/// Output to a file or other target, such as a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    pub calls: u64,
    pub bytes: u64,
}

/// A limit of CPU time in thousandths of a CPU. In the order of the variants and their values, a tighter limit is
/// smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quota {
    MilliCpus(u64),
    Unlimited,
}

/// Condition of a process, read just before it ended. A field is `None` if it could not be read, as when the process
/// was already gone; an unknown field never counts as a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub cpus: Option<String>,
    /// Number of CPUs in `cpus`.
    pub cpu_count: Option<usize>,
    pub nice: Option<i64>,
    /// Number of the scheduling policy, see sched(7).
    pub policy: Option<u64>,
    /// Tightest CPU quota among the control groups of the process.
    pub quota: Option<Quota>,
    /// Whether address space randomisation is off.
    pub is_aslr_off: Option<bool>,
    /// Whether transparent huge pages are disabled for the process.
    pub are_huge_pages_off: Option<bool>,
    pub environment: Option<BTreeMap<String, String>>,
    pub program: Option<String>,
    /// Arguments without `argv[0]`.
    pub arguments: Option<Vec<String>>,
    /// Path of the dynamic loader; `None` also for a static program.
    pub loader: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traced {
    /// Time from the first instruction to the end of the run, in nanoseconds.
    pub wall_ns: f64,
    pub tasks: u32,
    pub processes: u32,
    /// Number of programs that the first process executed before its last one, as `env` does, and nanoseconds until the
    /// last one began.
    pub programs_before: u32,
    pub before_ns: f64,
    /// Sum of the lifetimes of all processes but the first, in nanoseconds.
    pub children_ns: f64,
    /// CPU time in nanoseconds of all processes but the first, where each counts at most what starting and ending a
    /// process takes.
    pub starting_ns: f64,
    /// Largest memory of a process in huge pages, in bytes; `None` where it could not be read of any process.
    pub huge_bytes: Option<u64>,
    /// Number of threads that shared the work: the average number that used a CPU or were ready to, over the time in
    /// which at least one did.
    pub lanes: f64,
    /// Time in which no thread used a CPU or was ready to, in nanoseconds, by the reason of the wait that did not depend
    /// on another thread of the run.
    pub idle_ns: BTreeMap<Wait, f64>,
    /// System calls by name.
    pub calls: BTreeMap<String, CallSum>,
    /// Time in system calls in nanoseconds, summed over all threads, by the reason of the wait.
    pub waits: BTreeMap<Wait, f64>,
    /// The calls that waited, by the reason of the wait and the name of the call; calls that were too short for a wait are
    /// left out.
    pub waited_in: BTreeMap<Wait, BTreeMap<String, Waited>>,
    /// Output by target, such as the path of a file.
    pub written: BTreeMap<String, Written>,
    /// Paths of mapped shared libraries.
    pub libraries: BTreeSet<String>,
    /// Bytes read by system calls.
    pub read_bytes: u64,
    /// Bytes written by system calls.
    pub written_bytes: u64,
    /// Condition of the process that used the most CPU time.
    pub held: Held,
    /// Whether tracing ended before the run did.
    pub is_partial: bool,
}

/// Counts of a function in a simulator, for both programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedFunction {
    pub name: String,
    /// Source file; `None` where unknown.
    pub file: Option<String>,
    /// Source line with the most instructions; `None` where lines are unknown.
    pub line: Option<u32>,
    /// Counts of each program, in the order of [`Simulated::names`].
    pub counts: [Vec<f64>; 2],
}

/// Counts of both programs in a simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simulated {
    pub names: Vec<String>,
    pub counts: [Vec<f64>; 2],
    pub functions: Vec<SimulatedFunction>,
    /// Largest relative change of the instructions between two runs of one program; `None` where each ran once.
    pub repeats_within: Option<f64>,
    /// Names of the simulator and of the simulated machine.
    pub machine: String,
}

impl Simulated {
    /// Counts of this name for the faster and the slower program; zero where the simulator has none.
    pub fn of(&self, name: &str) -> [f64; 2] {
        let place = self.names.iter().position(|known| known == name);
        [0, 1].map(|side| place.and_then(|place| self.counts[side].get(place)).copied().unwrap_or(0.0))
    }

    /// Increase of the count of this name from the faster to the slower program.
    pub fn more(&self, name: &str) -> f64 {
        let [fast, slow] = self.of(name);
        slow - fast
    }

    /// Function with the largest increase of the count of this name, and that increase; `None` if no function has at
    /// least the share [`SUBSTANTIAL`] of the whole increase.
    pub fn most(&self, name: &str) -> Option<(&SimulatedFunction, f64)> {
        let place = self.names.iter().position(|known| known == name)?;
        let all = self.functions.iter().map(|function| (function, function.more(place)));
        let most = all.filter(|(_, rise)| *rise > 0.0).max_by(|a, b| a.1.total_cmp(&b.1));
        most.filter(|(_, rise)| *rise >= SUBSTANTIAL * self.more(name))
    }

    /// Whether a count is surely higher in the slower program: by more than runs of one program differ.
    pub fn is_more(&self, name: &str) -> bool {
        let [fast, slow] = self.of(name);
        slow - fast > SURE_FROM.max(3.0 * self.repeats_within.unwrap_or(0.0)) * fast
    }
}

/// Share of the whole increase of a count that a function has to have to be named as its place.
pub const SUBSTANTIAL: f64 = 1.0 / 3.0;
/// Relative increase of a simulated count from which on the increase counts as certain.
const SURE_FROM: f64 = 0.02;

impl SimulatedFunction {
    /// Increase of a count from the faster to the slower program; `place` is the index of its name in
    /// [`Simulated::names`].
    fn more(&self, place: usize) -> f64 {
        let [fast, slow] = [0, 1].map(|side| self.counts[side].get(place).copied().unwrap_or(0.0));
        slow - fast
    }
}

/// Additional time of a function of the slower program in sampled runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampledFunction {
    pub name: String,
    /// Path of the file with the code; `[kernel]` for the kernel.
    pub object: String,
    /// Additional time in the function itself, in nanoseconds.
    pub own_ns: Amount,
    /// Additional time in the function and its callees, in nanoseconds.
    pub total_ns: Amount,
    /// Direct caller whose calls account for the largest part of the change in the function's own time; without such a
    /// caller, the most frequent one.
    pub caller: Option<String>,
    /// Functions on the stack through which most of the change comes, direct caller first, each with the source line of
    /// its call.
    pub callers: Vec<(String, Option<(String, u32)>)>,
    /// Source file and line with the most samples in the slower program.
    pub line: Option<(String, u32)>,
    /// Instructions with the most samples in the slower program, each preceded by the instruction before it in the
    /// code.
    pub instructions: Vec<String>,
    /// Addresses at which the function begins in the file of each program; `None` unless its instructions are the same
    /// in both.
    pub begins: Option<[u64; 2]>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// Functions, largest additional time first.
    pub functions: Vec<SampledFunction>,
    /// Additional time of all functions, in nanoseconds.
    pub all_ns: Amount,
    /// Additional time of known kinds of work, including callees, in nanoseconds.
    pub kinds: Vec<(Kind, f64)>,
    /// Number of pairs of sampled runs.
    pub pairs: u32,
    /// Whether functions of the kernel were sampled.
    pub has_kernel: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start {
    /// Median time to load and link each program, in nanoseconds.
    pub medians_ns: [f64; 2],
    /// Difference of the times to load and link, in nanoseconds.
    pub more_ns: Amount,
}

/// Differences of both programs under another condition, such as pinned to one CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elsewhere {
    /// Difference of the CPU times in nanoseconds.
    pub more_cpu_ns: Amount,
    /// Difference of the wall times in nanoseconds.
    pub more_wall_ns: Amount,
}

/// Difference with random instead of fixed addresses of stack, heap and libraries, or the reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readdressed {
    /// Whether these runs had random addresses and those of the comparison fixed ones; `false` for the reverse.
    pub is_random: bool,
    pub more: Elsewhere,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    /// Whether the files of both programs have the same content; `None` where that is unknown.
    pub are_equal: Option<bool>,
    /// Whether the arguments of both programs are equal.
    pub have_equal_words: bool,
    pub bytes: [Option<u64>; 2],
    /// Library functions that only the slower program imports.
    pub imported: Vec<String>,
}

/// All observations about two programs that differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    pub names: [String; 2],
    /// Command lines of the programs, quoted for a shell.
    pub commands: [String; 2],
    /// Options and arguments with which a command line compares the same revisions; `None` unless the programs are
    /// built from two revisions.
    pub revisions: Option<String>,
    pub pairs: Vec<PairReading>,
    /// Whether the pairs are those of the comparison itself, since further ones would have taken too long.
    pub is_of_comparison: bool,
    /// Whether one command is compared with itself in an earlier session.
    pub is_of_sessions: bool,
    /// Conditions that differ between two sessions of one command.
    pub apart: Vec<Difference>,
    /// Size of the difference of wall time that the comparison showed, in nanoseconds per run; 0 where it showed none.
    pub shown_ns: f64,
    pub counts: Vec<Count>,
    /// Whether the programs differ only in some of their runs, and not in the typical one.
    pub is_in_some_runs: bool,
    pub files: Files,
    /// Medians over several traced runs of each program; `None` without traced runs.
    pub traced: Option<[Traced; 2]>,
    /// Counts in a simulator; `None` where nothing was simulated.
    pub simulated: Option<Simulated>,
    pub on_cpu: Option<Sampled>,
    pub off_cpu: Option<Sampled>,
    pub start: Option<Start>,
    /// Differences of the programs when pinned to one CPU; `None` where that was not measured.
    pub on_one_cpu: Option<Elsewhere>,
    /// Differences of the programs at other addresses; `None` where that was not measured.
    pub readdressed: Option<Readdressed>,
    /// Differences where both programs run from fresh copies of their files.
    pub copied: Option<Elsewhere>,
    /// Error level of all intervals of the account together.
    pub level: f64,
}

impl Evidence {
    /// The count of the metric of this name.
    pub fn count(&self, name: &str) -> Option<&Count> {
        self.counts.iter().find(|count| count.name == name)
    }

    /// The conditions of both programs; `None` without traced runs.
    pub fn held(&self) -> Option<[&Held; 2]> {
        self.traced.as_ref().map(|[fast, slow]| [&fast.held, &slow.held])
    }
}

impl Sampled {
    fn turned(mut self) -> Self {
        for function in &mut self.functions {
            function.own_ns = function.own_ns.turned();
            function.total_ns = function.total_ns.turned();
            function.begins.iter_mut().for_each(|begins| begins.reverse());
        }
        self.all_ns = self.all_ns.turned();
        self.kinds.iter_mut().for_each(|(_, ns)| *ns = -*ns);
        self
    }
}

impl Elsewhere {
    fn turned(self) -> Self {
        Elsewhere { more_cpu_ns: self.more_cpu_ns.turned(), more_wall_ns: self.more_wall_ns.turned() }
    }
}

impl Evidence {
    /// The evidence with the slower program second; `slower` is the index that the slower program has now, 0 or 1.
    pub fn oriented(self, slower: usize) -> Self {
        if slower == 1 { self } else { self.turned() }
    }

    /// The evidence with both programs exchanged, except for `files`.
    pub fn turned(mut self) -> Self {
        self.names.reverse();
        self.commands.reverse();
        for pair in &mut self.pairs {
            let times = [&mut pair.wall_ns, &mut pair.user_ns, &mut pair.system_ns, &mut pair.delay_ns];
            times.into_iter().for_each(|it| it.reverse());
        }
        for count in &mut self.counts {
            count.means.reverse();
            count.more = count.more.turned();
        }
        self.traced.iter_mut().for_each(|traced| traced.reverse());
        self.apart.iter_mut().for_each(|it| std::mem::swap(&mut it.fast, &mut it.slow));
        if let Some(simulated) = &mut self.simulated {
            simulated.counts.reverse();
            simulated.functions.iter_mut().for_each(|function| function.counts.reverse());
        }
        self.on_cpu = self.on_cpu.map(Sampled::turned);
        self.off_cpu = self.off_cpu.map(Sampled::turned);
        self.start = self.start.map(|start| Start {
            medians_ns: [start.medians_ns[1], start.medians_ns[0]],
            more_ns: start.more_ns.turned(),
        });
        self.on_one_cpu = self.on_one_cpu.map(Elsewhere::turned);
        self.readdressed = self.readdressed.map(|it| Readdressed { more: it.more.turned(), ..it });
        self.copied = self.copied.map(Elsewhere::turned);
        self
    }
}
