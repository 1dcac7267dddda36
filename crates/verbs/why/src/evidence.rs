//! Observations of two programs that differ: the nouns between measuring and analysing.
//!
//! Arrays have the faster program first and the slower one second, so that a positive difference is always what the slower
//! one takes more.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use crate::amount::Amount;
use crate::findings::Kind;

/// Readings of a pair of runs side by side, the faster program's first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairReading {
    /// Wall time in nanoseconds.
    pub wall_ns: [f64; 2],
    /// CPU time in user mode in nanoseconds.
    pub user_ns: [f64; 2],
    /// CPU time in the kernel in nanoseconds.
    pub system_ns: [f64; 2],
    /// Wait for a CPU in nanoseconds.
    pub delay_ns: [f64; 2],
}

/// A count of the kernel, per run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Word of the metric.
    pub name: String,
    /// Name in reports.
    pub title: String,
    /// Mean count of both.
    pub means: [f64; 2],
    /// Difference.
    pub more: Amount,
}

/// The reason why a thread had no CPU, by the call in which it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// A time that the program asked for.
    Sleep,
    /// Data on their way to a disk.
    Sync,
    /// A lock that another thread or process holds, or a condition that it fulfils.
    Lock,
    /// A pipe or socket.
    Pipe,
    /// Reading or writing a file.
    File,
    /// The end of other threads and processes of the tree: their own waits count, and not this one.
    Tasks,
    /// Any other call.
    Other,
}

/// Calls of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallSum {
    /// Number of calls.
    pub count: f64,
    /// Time from entry to return in nanoseconds, less what tracing itself takes at least.
    pub ns: f64,
}

/// Output to one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// Number of calls.
    pub calls: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// The condition of a process, as it held when the process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// CPUs on which it may run.
    pub cpus: String,
    /// Number of these.
    pub cpu_count: usize,
    /// Nice value.
    pub nice: i64,
    /// Number of the scheduling policy.
    pub policy: u64,
    /// CPU quota of the process in thousandths of a CPU.
    pub quota_milli_cpus: Option<u64>,
    /// Whether address space randomisation is off.
    pub is_aslr_off: bool,
    /// Whether huge pages are disabled for it.
    pub are_huge_pages_off: bool,
    /// Size of its environment in bytes.
    pub environment_bytes: usize,
    /// The variables of its environment.
    pub environment: BTreeMap<String, String>,
    /// Executable.
    pub program: String,
    /// Arguments, without the first, which is the name of the program.
    pub arguments: Vec<String>,
    /// The dynamic loader, if it has one.
    pub loader: Option<String>,
}

/// A traced run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traced {
    /// Time from the first instruction to the end, in nanoseconds.
    pub wall_ns: f64,
    /// Threads, of all processes.
    pub tasks: u32,
    /// Processes.
    pub processes: u32,
    /// Lifetimes of all processes but the first, in nanoseconds.
    pub children_ns: f64,
    /// Threads that shared the work: those that were alive on average and did not wait for another one's end, and no more
    /// than all CPU time is of the thread that computed longest.
    pub lanes: f64,
    /// Calls by name.
    pub calls: BTreeMap<String, CallSum>,
    /// Time in calls by the reason of the wait, in nanoseconds.
    pub waits: BTreeMap<Wait, f64>,
    /// Places that were written to.
    pub written: BTreeMap<String, Written>,
    /// Libraries that were mapped.
    pub libraries: BTreeSet<String>,
    /// Bytes read by calls.
    pub read_bytes: u64,
    /// Bytes written by calls.
    pub written_bytes: u64,
    /// Condition of the process that took the most CPU time.
    pub held: Held,
    /// Whether the tracer let the run go before its end.
    pub is_partial: bool,
}

/// Counts of a function in a simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedFunction {
    /// Name.
    pub name: String,
    /// Source file, where it is known.
    pub file: Option<String>,
    /// Line with the most instructions, where lines are known.
    pub line: Option<u32>,
    /// Counts, in the order of [`Simulated::names`].
    pub counts: [Vec<f64>; 2],
}

/// Counts of both programs in a simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simulated {
    /// Names of the counts.
    pub names: Vec<String>,
    /// The counts.
    pub counts: [Vec<f64>; 2],
    /// Functions.
    pub functions: Vec<SimulatedFunction>,
    /// Largest relative change of the instructions between two runs of one program; `None` where each ran once.
    pub repeats_within: Option<f64>,
    /// Simulator and machine.
    pub machine: String,
}

impl Simulated {
    /// The counts of a name; zero where the simulator has none.
    pub fn of(&self, name: &str) -> [f64; 2] {
        let place = self.names.iter().position(|known| known == name);
        [0, 1].map(|side| place.and_then(|place| self.counts[side].get(place)).copied().unwrap_or(0.0))
    }

    /// The rise of a count.
    pub fn more(&self, name: &str) -> f64 {
        let [fast, slow] = self.of(name);
        slow - fast
    }

    /// The function with the largest rise of a count, with that rise.
    pub fn most(&self, name: &str) -> Option<(&SimulatedFunction, f64)> {
        let place = self.names.iter().position(|known| known == name)?;
        let rise = |function: &SimulatedFunction| {
            let [fast, slow] = [0, 1].map(|side| function.counts[side].get(place).copied().unwrap_or(0.0));
            slow - fast
        };
        let all = self.functions.iter().map(|function| (function, rise(function)));
        all.filter(|(_, rise)| *rise > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Additional time of a function in sampled runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampledFunction {
    /// Name.
    pub name: String,
    /// File of its code; `[kernel]` for the kernel.
    pub object: String,
    /// Additional time in the function itself, in nanoseconds.
    pub own_ns: Amount,
    /// Additional time in the function and its callees, in nanoseconds.
    pub total_ns: Amount,
    /// Caller from which the function takes the most more.
    pub caller: Option<String>,
    /// Source file and line with the most samples in the slower program.
    pub line: Option<(String, u32)>,
    /// Instructions at which the most samples of the slower program were taken, and those before them.
    pub instructions: Vec<String>,
    /// Addresses at which the function begins in both files, if its instructions are the same in both.
    pub begins: Option<[u64; 2]>,
}

/// Sampled runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// Functions, the one that took the most more first.
    pub functions: Vec<SampledFunction>,
    /// Additional time of all functions, in nanoseconds.
    pub all_ns: Amount,
    /// Additional time of known kinds of work, together with all that their functions called, in nanoseconds.
    pub kinds: Vec<(Kind, f64)>,
    /// Pairs of runs.
    pub pairs: u32,
    /// Whether functions of the kernel were sampled.
    pub has_kernel: bool,
}

/// The start of both programs without their work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start {
    /// Median time to load and link both, in nanoseconds.
    pub medians_ns: [f64; 2],
    /// Difference in nanoseconds.
    pub more_ns: Amount,
}

/// The CPU time of both programs under another condition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elsewhere {
    /// Difference of the CPU times in nanoseconds.
    pub more_cpu_ns: Amount,
    /// Difference of the wall times in nanoseconds.
    pub more_wall_ns: Amount,
}

/// The difference where addresses of stack, heap and libraries are chosen in the other way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readdressed {
    /// Whether these runs had random addresses, and those of the comparison fixed ones; `false` for the reverse.
    pub is_random: bool,
    /// Difference of the wall times in nanoseconds.
    pub more_wall_ns: Amount,
}

/// Files of both programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    /// Whether both are the same file, or equal ones.
    pub are_equal: Option<bool>,
    /// Whether the command lines are equal, too.
    pub have_equal_words: bool,
    /// Sizes in bytes.
    pub bytes: [Option<u64>; 2],
    /// Functions of libraries that one program alone calls, the slower one's.
    pub imported: Vec<String>,
}

/// All that was observed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Names of the programs.
    pub names: [String; 2],
    /// Command lines of the programs, as words of a shell.
    pub commands: [String; 2],
    /// Words by which a command line compares the same revisions, if the programs are of revisions.
    pub revisions: Option<String>,
    /// Pairs of timed runs.
    pub pairs: Vec<PairReading>,
    /// Counts of the kernel.
    pub counts: Vec<Count>,
    /// Whether the difference is in some of the runs only.
    pub is_in_some_runs: bool,
    /// Files of both.
    pub files: Files,
    /// Traced runs: medians over several.
    pub traced: Option<[Traced; 2]>,
    /// Counts in a simulator.
    pub simulated: Option<Simulated>,
    /// Samples of CPU time.
    pub on_cpu: Option<Sampled>,
    /// Samples of waiting.
    pub off_cpu: Option<Sampled>,
    /// The start alone.
    pub start: Option<Start>,
    /// The programs on one CPU.
    pub on_one_cpu: Option<Elsewhere>,
    /// The programs at other addresses.
    pub readdressed: Option<Readdressed>,
    /// Error level of all intervals of the account together.
    pub level: f64,
}

impl Evidence {
    /// A count of the kernel.
    pub fn count(&self, name: &str) -> Option<&Count> {
        self.counts.iter().find(|count| count.name == name)
    }

    /// The conditions of both, where they are known.
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
    /// The evidence with the slower program second.
    pub fn oriented(self, slower: usize) -> Self {
        if slower == 1 { self } else { self.turned() }
    }

    /// The evidence with the programs the other way round. Files are left alone.
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
        self.readdressed =
            self.readdressed.map(|it| Readdressed { more_wall_ns: it.more_wall_ns.turned(), ..it });
        self
    }
}
