//! Table of the programs that the spawner can start. The table is sent to the spawner once, so that a request for a run
//! only refers to an entry by its number.

use std::path::PathBuf;
use std::sync::Arc;

use fauxplat_model::{
    Aslr, Command, Condition, Control, EnvBase, EnvPad, Heap, HugePages, MemoryPolicy, Metric, MetricSet,
    Output, Placement, Policy, ThreadPlaces,
};
use fauxplat_sys::perf::CountingEvent;
use fauxplat_sys::spawn::ADDR_NO_RANDOMIZE;
use fauxplat_sys::{mempolicy, sched};
use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stdin {
    /// `/dev/null`.
    #[default]
    Null,
    /// A file that is read from its beginning in each run.
    File(PathBuf),
}

/// Destination of standard output and error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stdout {
    /// `/dev/null`.
    #[default]
    Null,
    /// Standard output and error of fauxplat.
    Inherit,
    /// A file to which standard output is appended.
    File(PathBuf),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path for `execve(2)`.
    pub program: String,
    pub argv: Vec<String>,
    /// Environment, each as `NAME=VALUE`.
    pub env: Vec<String>,
    /// Working directory; `None` for that of the spawner.
    pub cwd: Option<String>,
    /// CPUs for runs whose request names none; `None` for those on which the spawner was started.
    pub cpus: Option<CpuSet>,
    /// Scheduling policy (`SCHED_*`) and priority; `None` to inherit both.
    pub policy: Option<(i32, u8)>,
    pub nice: Option<i8>,
    /// Execution domain to set, see `personality(2)`; `None` to leave it unchanged.
    pub personality: Option<u32>,
    pub stdin: Stdin,
    pub stdout: Stdout,
    /// Limit of the wall time; `None` for no limit.
    pub timeout_ns: Option<u64>,
    /// Iterations of a loop that the child runs before it executes the program, see
    /// [`fauxplat_sys::spawn::ChildSetup`].
    pub extra_work: u64,
    /// Padding of the environment, in bytes, in runs whose request specifies none.
    pub pad_bytes: u16,
    /// Displacement of the heap, in bytes, in runs whose request specifies none.
    pub heap_offset_bytes: Option<u16>,
    /// Soft limit of the stack, see [`fauxplat_sys::spawn::ChildSetup`].
    pub stack_limit_bytes: Option<u64>,
    /// Memory policy (`MPOL_*`) and its nodes, see [`fauxplat_sys::mempolicy`].
    pub memory_policy: Option<(i32, CpuSet)>,
    /// CPUs on which the program's threads are placed as they are created.
    pub threads: Option<ThreadCpus>,
    /// Whether transparent huge pages are disabled for the program.
    pub without_huge_pages: bool,
    /// Folders of the control groups that the program enters.
    pub groups: Vec<PathBuf>,
    /// Whether the environment contains the number of the run.
    pub is_numbered: bool,
    /// Processes that the spawner leaves running after the program has ended.
    #[serde(default)]
    pub keeps: Keeps,
}

/// Processes that the spawner leaves running after a program has ended. All its other children are ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keeps {
    /// Whether processes that the program itself started are left running.
    pub own: bool,
    /// Whether processes that programs of earlier runs started, and that were left running then, are still left
    /// running.
    pub earlier: bool,
}

/// CPUs for the threads of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadCpus {
    /// The CPUs, in the order in which threads are created.
    pub cpus: Vec<Cpu>,
    /// Whether only as many threads are placed as there are CPUs in the list. Otherwise the list starts over at its
    /// end.
    pub once: bool,
}

/// All programs of an experiment; requests refer to an entry by its index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub entries: Vec<Entry>,
    /// Metrics of each run, in this order; the built-in metrics if empty. Metrics that the spawner cannot read are
    /// absent from the readings.
    #[serde(default)]
    pub metrics: Vec<Metric>,
    /// Counters of each run, whose readings follow the metrics.
    #[serde(default)]
    pub counters: Vec<CounterEntry>,
    /// Pipes by which programs switch counting on and off, and the metrics of the enabled times.
    #[serde(default)]
    pub control: Option<ControlEntry>,
    /// Process group that the spawner joins while it watches a time limit; no measured program is in it. `None` without
    /// time limits.
    #[serde(default)]
    pub apart: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlEntry {
    /// Absolute paths of the pipes by which programs switch counting on and off.
    pub place: Control,
    /// Metric for the total time, in nanoseconds, during which counting was enabled.
    pub wall: Metric,
    /// Metric for the number of times that counting was enabled.
    pub times: Metric,
    /// Metrics for the counts while counting was enabled, one per counter of the table and in its order.
    pub counters: Vec<Metric>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterEntry {
    pub metric: Metric,
    /// Type of the event source (`perf_event_attr.type`), see `perf_event_open(2)`.
    pub kind: u32,
    /// Event within the source (`config`, `config1`, `config2`).
    pub config: [u64; 3],
    /// Whether events in user mode are not counted.
    pub excludes_user: bool,
    /// Whether events in the kernel are not counted.
    pub excludes_kernel: bool,
    /// Whether events in the hypervisor are not counted.
    pub excludes_hypervisor: bool,
    /// Bit mask of the sets that the counter belongs to. During a run, the counters of one set count.
    pub sets: u64,
    /// Group of counters that count at the same time or not at all; `None` for an event that takes no hardware counter.
    pub group: Option<u16>,
    /// Whether the event counts only while a task is on one of several kinds of cores, so that its running time is not
    /// expected to reach the enabled time.
    pub is_partial: bool,
}

impl CounterEntry {
    pub fn event(&self) -> CountingEvent {
        CountingEvent {
            kind: self.kind,
            config: self.config,
            excludes_user: self.excludes_user,
            excludes_kernel: self.excludes_kernel,
            excludes_hypervisor: self.excludes_hypervisor,
        }
    }
}

impl Table {
    pub(crate) fn metrics(&self) -> Arc<MetricSet> {
        match self.metrics.is_empty() {
            true if self.counters.is_empty() && self.control.is_none() => MetricSet::built_in(),
            true => MetricSet::new(Metric::BUILT_IN.iter().copied().chain(self.counted())),
            false => MetricSet::new(self.metrics.iter().copied().chain(self.counted())),
        }
    }

    fn counted(&self) -> impl Iterator<Item = Metric> + '_ {
        let enabled = self.control.iter().flat_map(|control| {
            [control.wall, control.times].into_iter().chain(control.counters.iter().copied())
        });
        self.counters.iter().map(|counter| counter.metric).chain(enabled)
    }

    /// Number of readings that a reply needs room for. With counters, their enabled and running times may follow.
    pub(crate) fn room(&self) -> usize {
        let metrics = self.metrics().len();
        if self.counters.is_empty() { metrics } else { 3 * metrics }
    }
}

pub fn entry_of(command: &Command, program: String, argv: Vec<String>) -> Entry {
    let condition = &command.condition;
    Entry {
        program,
        argv,
        env: environment(condition),
        cwd: condition.cwd.as_ref().map(|path| path.display().to_string()),
        cpus: match &condition.cpu {
            Placement::Set(cpus) | Placement::IdleOf(cpus) => Some(cpus.clone()),
            _ => None,
        },
        policy: condition.policy.map(scheduling),
        nice: condition.nice,
        personality: personality(condition.aslr),
        stdin: condition.stdin.clone().map_or(Stdin::Null, Stdin::File),
        stdout: match &condition.output {
            Output::Null => Stdout::Null,
            Output::Inherit => Stdout::Inherit,
            Output::File(path) => Stdout::File(path.clone()),
        },
        timeout_ns: condition.timeout.map(|limit| limit.0),
        extra_work: 0,
        pad_bytes: match condition.env_pad {
            EnvPad::Bytes(bytes) => bytes,
            EnvPad::None | EnvPad::Random | EnvPad::Level => 0,
        },
        heap_offset_bytes: match condition.heap {
            Heap::Bytes(bytes) => Some(bytes),
            Heap::Inherit | Heap::Random => None,
        },
        stack_limit_bytes: condition.stack_limit.soft_bytes(),
        memory_policy: node_policy(&condition.memory_policy),
        threads: condition.pin_threads.as_ref().and_then(thread_cpus),
        without_huge_pages: condition.huge_pages == HugePages::Never,
        groups: Vec::new(),
        // Only a shell line can refer to the variable with the number of the run. Other programs get exactly the given
        // environment.
        is_numbered: condition.shell.is_used(),
        keeps: Keeps {
            own: condition.keep_background,
            earlier: condition.keep_background || command.conclude.is_some(),
        },
    }
}

/// A scheduling policy and its priority in the terms of the kernel.
fn scheduling(policy: Policy) -> (i32, u8) {
    match policy {
        Policy::Other => (sched::OTHER, 0),
        Policy::Fifo(priority) => (sched::FIFO, priority),
        Policy::RoundRobin(priority) => (sched::ROUND_ROBIN, priority),
    }
}

/// Memory policy in the kernel's terms: mode and nodes; `None` to inherit the policy.
fn node_policy(policy: &MemoryPolicy) -> Option<(i32, CpuSet)> {
    let mode = match policy {
        MemoryPolicy::Inherit => return None,
        MemoryPolicy::Local => mempolicy::LOCAL,
        MemoryPolicy::Interleave(_) => mempolicy::INTERLEAVE,
        MemoryPolicy::Bind(_) => mempolicy::BIND,
        MemoryPolicy::Preferred(_) => mempolicy::PREFERRED,
    };
    Some((mode, policy.nodes()))
}

/// CPUs for the threads of a program; `None` if the condition places none. CPUs given by relation were resolved when
/// the experiment began.
fn thread_cpus(places: &ThreadPlaces) -> Option<ThreadCpus> {
    Some(ThreadCpus { cpus: places.cpus()?, once: places.once })
}

/// The environment as `NAME=VALUE`; later settings replace earlier ones of the same name. Variables that are not UTF-8
/// are left out: they cannot be recorded, and so a run with them could not be repeated.
pub fn environment(condition: &Condition) -> Vec<String> {
    let mut env: Vec<String> = match condition.env {
        EnvBase::Clean => Vec::new(),
        EnvBase::Inherit => std::env::vars_os()
            .filter_map(|(name, value)| Some(format!("{}={}", name.to_str()?, value.to_str()?)))
            .collect(),
    };
    condition.env_set.iter().for_each(|setting| set(&mut env, setting.clone()));
    if condition.huge_pages == HugePages::Malloc {
        let tunables = with_huge_pages(&env);
        set(&mut env, tunables);
    }
    env
}

fn set(env: &mut Vec<String>, setting: String) {
    let name = setting.split_once('=').map_or(setting.as_str(), |(name, _)| name);
    env.retain(|old| old.split_once('=').is_none_or(|(old, _)| old != name));
    env.push(setting);
}

/// Value of the environment variable that makes the C library's allocator use huge pages, see the manual of glibc under
/// "Memory Allocation Tunables". Other tunables in the variable are kept.
fn with_huge_pages(env: &[String]) -> String {
    const NAME: &str = "GLIBC_TUNABLES=";
    const HUGE: &str = "glibc.malloc.hugetlb=";
    let before = env.iter().find_map(|setting| setting.strip_prefix(NAME)).unwrap_or("");
    let others = before.split(':').filter(|one| !one.is_empty() && !one.starts_with(HUGE));
    let all: Vec<String> = others.map(str::to_owned).chain([format!("{HUGE}1")]).collect();
    format!("{NAME}{}", all.join(":"))
}

/// The execution domain to set, see `personality(2)`; `None` to inherit it. Only the flag against address randomisation
/// is changed.
fn personality(aslr: Aslr) -> Option<u32> {
    let now = fauxplat_sys::sched::personality();
    match aslr {
        Aslr::Inherit => None,
        Aslr::On => Some(now & !ADDR_NO_RANDOMIZE),
        Aslr::Off => Some(now | ADDR_NO_RANDOMIZE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_settings_replace_earlier_ones() {
        let settings = ["A=1", "B=2", "A=3"].map(str::to_owned).to_vec();
        let condition = Condition { env: EnvBase::Clean, env_set: settings, ..Condition::default() };
        assert_eq!(environment(&condition), ["B=2", "A=3"]);
    }

    #[test]
    fn aslr_changes_one_bit() {
        let (on, off) = (personality(Aslr::On).unwrap(), personality(Aslr::Off).unwrap());
        assert_eq!(on ^ off, ADDR_NO_RANDOMIZE);
        assert_eq!(personality(Aslr::Inherit), None);
    }

    fn entry(condition: Condition) -> Entry {
        let command = Command {
            name: "x".into(),
            command: "x".into(),
            program: "/bin/x".into(),
            argv: vec!["x".into()],
            condition: Condition { env: EnvBase::Clean, ..condition },
            ..Command::default()
        };
        entry_of(&command, "/bin/x".into(), vec!["x".into()])
    }

    #[test]
    fn a_condition_that_asks_for_nothing_leaves_all_as_it_is() {
        let plain = entry(Condition::default());
        let nothing = Entry { program: "/bin/x".into(), argv: vec!["x".into()], ..Entry::default() };
        assert_eq!(plain, nothing);
    }

    #[test]
    fn each_part_of_a_condition_reaches_the_child() {
        let condition = Condition {
            cpu: "2-3".parse().unwrap(),
            policy: Some(Policy::Fifo(7)),
            nice: Some(-5),
            env_pad: EnvPad::Bytes(40),
            heap: Heap::Bytes(64),
            stdin: Some("/in".into()),
            output: Output::File("/out".into()),
            cwd: Some("/tmp".into()),
            timeout: Some("2s".parse().unwrap()),
            stack_limit: "8MiB".parse().unwrap(),
            memory_policy: "interleave:0-1".parse().unwrap(),
            pin_threads: Some("once:3,2".parse().unwrap()),
            huge_pages: HugePages::Never,
            ..Condition::default()
        };
        let entry = entry(condition);
        assert_eq!(entry.cpus, Some("2-3".parse().unwrap()));
        assert_eq!((entry.policy, entry.nice), (Some((sched::FIFO, 7)), Some(-5)));
        assert_eq!((entry.pad_bytes, entry.heap_offset_bytes), (40, Some(64)));
        assert_eq!((entry.stdin, entry.stdout), (Stdin::File("/in".into()), Stdout::File("/out".into())));
        assert_eq!((entry.cwd.as_deref(), entry.timeout_ns), (Some("/tmp"), Some(2_000_000_000)));
        assert_eq!((entry.stack_limit_bytes, entry.without_huge_pages), (Some(8 << 20), true));
        assert_eq!(entry.memory_policy, Some((mempolicy::INTERLEAVE, "0-1".parse().unwrap())));
        assert_eq!(entry.threads, Some(ThreadCpus { cpus: vec![Cpu(3), Cpu(2)], once: true }));
    }

    #[test]
    fn what_is_drawn_for_a_block_is_left_to_the_request() {
        for cpu in ["auto", "free", "one-of:0-3", "one-of:sibling-of:1"] {
            let condition =
                Condition { cpu: cpu.parse().unwrap(), heap: Heap::Random, ..Condition::default() };
            let entry = entry(condition);
            assert_eq!((entry.cpus, entry.heap_offset_bytes, entry.pad_bytes), (None, None, 0), "{cpu}");
        }
        assert_eq!(
            entry(Condition { cpu: "idle-of:1,3".parse().unwrap(), ..Condition::default() }).cpus,
            "1,3".parse().ok()
        );
        let unlimited = Condition { stack_limit: "unlimited".parse().unwrap(), ..Condition::default() };
        assert_eq!(entry(unlimited).stack_limit_bytes, Some(u64::MAX));
        let round_robin = Condition {
            policy: Some(Policy::RoundRobin(1)),
            output: Output::Inherit,
            ..Condition::default()
        };
        assert_eq!(entry(round_robin.clone()).policy, Some((sched::ROUND_ROBIN, 1)));
        let ordinary = Condition { policy: Some(Policy::Other), ..Condition::default() };
        assert_eq!(entry(ordinary).policy, Some((sched::OTHER, 0)), "an inherited real-time policy goes");
        assert_eq!(entry(round_robin).stdout, Stdout::Inherit);
    }

    #[test]
    fn pages_of_malloc_are_asked_for_by_the_environment() {
        let asked = |env_set: &[&str]| {
            let env_set = env_set.iter().map(|&setting| setting.to_owned()).collect();
            entry(Condition { huge_pages: HugePages::Malloc, env_set, ..Condition::default() }).env
        };
        assert_eq!(asked(&["A=1"]), ["A=1", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"]);
        let others = asked(&["GLIBC_TUNABLES=glibc.malloc.hugetlb=2:glibc.malloc.check=3", "A=1"]);
        assert_eq!(others, ["A=1", "GLIBC_TUNABLES=glibc.malloc.check=3:glibc.malloc.hugetlb=1"]);
    }

    #[test]
    fn a_value_may_hold_anything_behind_its_first_sign() {
        let settings = ["A=1=2", "EMPTY=", "A=b c", "é=ü"].map(str::to_owned).to_vec();
        let condition = Condition { env: EnvBase::Clean, env_set: settings, ..Condition::default() };
        assert_eq!(environment(&condition), ["EMPTY=", "A=b c", "é=ü"]);
        let inherited = environment(&Condition::default());
        let path = std::env::var("PATH").unwrap_or_default();
        assert!(inherited.contains(&format!("PATH={path}")));
        let changed = environment(&Condition { env_set: vec!["PATH=/x".into()], ..Condition::default() });
        assert_eq!(changed.len(), inherited.len(), "a setting takes the place of the one before");
    }

    /// The table is sent to the spawner as JSON, so decoding must give the same table.
    #[test]
    fn a_table_crosses_whole() {
        let entry =
            entry(Condition { nice: Some(3), env_set: vec!["A=\n\"\u{1b}".into()], ..Condition::default() });
        let entries = vec![entry, Entry::default()];
        let table = Table { entries, metrics: vec![Metric::WALL], ..Table::default() };
        let text = serde_json::to_string(&table).unwrap();
        let arrived: Table = serde_json::from_str(&text).unwrap();
        assert_eq!(arrived, table);
        assert_eq!(arrived.metrics().len(), 1);
        let bare: Table = serde_json::from_str("{\"entries\":[]}").unwrap();
        assert_eq!(
            bare.metrics().len(),
            Metric::BUILT_IN.len(),
            "without a list all built-in ones are meant"
        );
    }
}
