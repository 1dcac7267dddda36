//! Processes and their threads.

use std::collections::BTreeMap;

use fauxplat_procfs::status;
use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::clock;
use fauxplat_units::{Cpu, CpuSet};

use crate::tree::{Missing, Tree};

/// A process or a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// Whether the task is a kernel thread: kernel threads are bound to CPUs by design.
    pub(crate) is_kernel: bool,
    /// User and system CPU time, in ticks.
    pub(crate) cpu_ticks: u64,
    /// Number of the threads of the process.
    pub(crate) threads: u64,
    pub(crate) nice: i8,
    /// Scheduling policy, numbered as in `sched(7)`.
    pub(crate) policy: u32,
}

impl Task {
    /// Returns whether the task has one of the policies SCHED_FIFO, SCHED_RR and SCHED_DEADLINE, whose tasks run before
    /// all others.
    pub(crate) fn is_real_time(&self) -> bool {
        matches!(self.policy, 1 | 2 | 6)
    }
}

/// The processes that were read: all of them, unless the time limit was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processes {
    pub(crate) tasks: BTreeMap<u32, Task>,
    /// Whether the time limit was reached before all processes were read.
    pub(crate) is_cut: bool,
}

/// Number of processes that are read whatever time that takes. On a busy machine the reader itself may have to wait for a
/// CPU for longer than the time limit.
const READ_ANYWAY: usize = 64;

/// Reads `/proc/PID/stat` of each process, until the time limit.
pub(crate) fn processes(tree: &Tree, limit_ns: u64) -> Result<Processes, Missing> {
    let until = clock::monotonic_ns().saturating_add(limit_ns);
    let mut found = Processes::default();
    for (read, pid) in numbers(tree, "proc")?.into_iter().enumerate() {
        if read >= READ_ANYWAY && clock::monotonic_ns() > until {
            found.is_cut = true;
            break;
        }
        // A process that has ended in the meantime is no hazard any more.
        let task = tree.long(&format!("proc/{pid}/stat")).ok().and_then(|line| parse(&line));
        found.tasks.extend(task.map(|task| (pid, task)));
    }
    if found.tasks.is_empty() { Err(Missing::Absent("proc/PID/stat".to_owned())) } else { Ok(found) }
}

/// A thread that may use only a part of the CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pinned {
    pub(crate) name: String,
    pub(crate) cpus: CpuSet,
}

/// Returns the user threads that are bound to a part of the online CPUs, and whether all threads were read within the
/// time limit.
pub(crate) fn pinned(
    tree: &Tree,
    processes: &Processes,
    online: &CpuSet,
    limit_ns: u64,
) -> (Vec<Pinned>, bool) {
    let until = clock::monotonic_ns().saturating_add(limit_ns);
    let (mut pinned, own, mut read) = (Vec::new(), std::process::id(), 0);
    for (pid, task) in processes.tasks.iter().filter(|(pid, task)| !task.is_kernel && **pid != own) {
        let mut files = vec![format!("proc/{pid}/status")];
        if task.threads > 1 {
            let threads = numbers(tree, &format!("proc/{pid}/task")).unwrap_or_default();
            files = threads.iter().map(|tid| format!("proc/{pid}/task/{tid}/status")).collect();
        }
        for file in files {
            if read >= READ_ANYWAY && clock::monotonic_ns() > until {
                return (pinned, false);
            }
            read += 1;
            let text = tree.long(&file).unwrap_or_default();
            let mask = status::cpus_allowed_list(&text).and_then(|list| list.parse::<CpuSet>().ok());
            let part =
                mask.map(|mask| mask.intersection(online)).filter(|mask| mask != online && !mask.is_empty());
            pinned.extend(part.map(|cpus| Pinned { name: task.name.clone(), cpus }));
        }
    }
    (pinned, !processes.is_cut)
}

fn numbers(tree: &Tree, folder: &str) -> Result<Vec<u32>, Missing> {
    Ok(tree.names(folder)?.iter().filter_map(|name| name.parse().ok()).collect())
}

/// Parses the line of `/proc/PID/stat`; `None` if it is incomplete or no such line.
pub(crate) fn parse(line: &str) -> Option<Task> {
    let task = TaskStat::parse(line)?;
    Some(Task {
        id: task.id.unsigned_abs(),
        name: task.name.to_owned(),
        is_kernel: task.is_kernel()?,
        cpu_ticks: task.cpu_ticks()?,
        threads: task.threads()?,
        nice: task.nice()?,
        policy: task.policy().unwrap_or(0),
    })
}

/// Returns for each of these CPUs how many of the bound threads may run on it.
pub(crate) fn by_cpu(pinned: &[Pinned], cpus: &CpuSet) -> Vec<(Cpu, usize)> {
    let count = |cpu: Cpu| pinned.iter().filter(|task| task.cpus.contains(cpu)).count();
    cpus.iter().map(|cpu| (cpu, count(cpu))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "42 (a) b (c) S 1 42 42 0 -1 4194560 9 9 0 0 53 47 1 1 20 0 3 0 24 5 5 18 1 1 0 0 0 0 0 0 0 0 0 0 17 1 50 1 0";

    #[test]
    fn a_name_may_hold_brackets() {
        let task = parse(LINE).unwrap();
        assert_eq!((task.id, task.name.as_str(), task.threads), (42, "a) b (c", 3));
        assert_eq!((task.cpu_ticks, task.policy, task.is_kernel), (100, 1, false));
        assert!(task.is_real_time());
        assert!(parse("42 (a").is_none() && parse("42 (a) S 1").is_none() && parse("").is_none());
    }

    #[test]
    fn threads_are_counted_on_each_cpu() {
        let task = |list: &str| Pinned { name: "x".into(), cpus: list.parse().unwrap() };
        let counts = by_cpu(&[task("0-1"), task("1")], &"0-2".parse().unwrap());
        assert_eq!(counts, [(Cpu(0), 1), (Cpu(1), 2), (Cpu(2), 0)]);
    }
}
