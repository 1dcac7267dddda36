//! Readings from `/proc` and `/sys`, see `proc(5)`.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use fauxplat_procfs::stat::{self, Kind};
use fauxplat_procfs::task::{self, TaskStat};
use fauxplat_procfs::{status, whole_lines};
use fauxplat_sys::signal;
use fauxplat_units::CpuSet;

/// Readings of the first thread of a process that has ended and is not reaped yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FirstThread {
    /// Run-queue wait (`schedstat`, second field).
    pub(crate) run_delay_ns: Option<u64>,
    /// Number of migrations between CPUs (`sched`, `se.nr_migrations`).
    pub(crate) migrations: Option<u64>,
    /// CPU on which the thread ended (`stat`, field 39).
    pub(crate) cpu: Option<u16>,
}

pub(crate) fn first_thread(pid: i32) -> FirstThread {
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let cpu = TaskStat::parse(&read("stat")).and_then(|task| task.last_cpu());
    FirstThread {
        run_delay_ns: task::run_delay_ns(&read("schedstat")),
        migrations: task::migrations(&read("sched")),
        cpu: cpu.and_then(|cpu| u16::try_from(cpu).ok()),
    }
}

pub fn children() -> Vec<i32> {
    let me = std::process::id();
    let list = fs::read_to_string(format!("/proc/self/task/{me}/children"));
    match list {
        Ok(list) => task::children(&list).collect(),
        Err(_) => children_by_search(me),
    }
}

pub(crate) fn with_descendants(ancestors: &[i32]) -> Vec<i32> {
    let mut all = ancestors.to_vec();
    if all.is_empty() {
        return all;
    }
    let parents: Vec<(i32, i32)> = processes().filter_map(|pid| Some((pid, parent_of(pid)?))).collect();
    loop {
        let fresh = parents.iter().filter(|(pid, parent)| all.contains(parent) && !all.contains(pid));
        let fresh: Vec<i32> = fresh.map(|(pid, _)| *pid).collect();
        if fresh.is_empty() {
            return all;
        }
        all.extend(fresh);
    }
}

fn parent_of(pid: i32) -> Option<i32> {
    TaskStat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?.parent()
}

/// Process ids of the children of a process, by a search of `/proc`, where the kernel lacks `CONFIG_PROC_CHILDREN`.
fn children_by_search(parent: u32) -> Vec<i32> {
    let parent = i32::try_from(parent).ok();
    processes().filter(|&pid| stat_of(pid, |task| task.parent() == parent)).collect()
}

/// Whether a process group has a member that has not ended. `kill(2)` also counts zombies, which may never be reaped:
/// the first process of a container, which adopts orphans, often does not reap them.
pub(crate) fn group_lives(group: i32) -> bool {
    signal::group_exists(group)
        && processes().any(|pid| stat_of(pid, |task| task.group() == Some(group) && task.process_lives()))
}

/// Whether a signal has stopped the process. A process that a debugger has stopped does not count.
pub(crate) fn is_stopped(pid: i32) -> bool {
    stat_of(pid, |task| task.state() == Some('T'))
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
}

fn stat_of(pid: i32, holds: impl FnOnce(&TaskStat) -> bool) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    TaskStat::parse(&stat).is_some_and(|task| holds(&task))
}

pub(crate) fn online() -> Option<CpuSet> {
    fs::read_to_string("/sys/devices/system/cpu/online").ok()?.parse().ok()
}

/// Resets the peak memory of this process to its present resident set, by writing 5 to `clear_refs` (see `proc(5)`).
///
/// The kernel passes a parent's peak on to each child at exec, so the spawner's peak is the least that `getrusage(2)`
/// can report for a program.
pub(crate) fn reset_own_peak_memory() {
    // If the kernel refuses, the peak remains the maximum since the start of the process.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

pub(crate) fn own_peak_memory() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status::peak_memory_bytes(&text).unwrap_or(0)
}

/// Reads the steal time of all CPUs together. The kernel advances this time in ticks of 10 ms and takes 10 µs to print
/// it, so a reading is reused for a few milliseconds.
#[derive(Debug)]
pub(crate) struct StealClock {
    stat: Option<File>,
    read_at_ns: u64,
    steal_ns: Option<u64>,
    last_end_ns: u64,
}

/// Age in nanoseconds up to which a reading is reused; the steal time hardly changes within it.
const STEAL_FRESH_NS: u64 = 5_000_000;

impl StealClock {
    pub(crate) fn open() -> Self {
        StealClock { stat: File::open("/proc/stat").ok(), read_at_ns: 0, steal_ns: None, last_end_ns: 0 }
    }

    /// Steal time since boot, in nanoseconds, before a run. Directly after another run, the last reading of that run is
    /// used, so that a tick between two readings is charged to a run and not lost.
    pub(crate) fn before(&mut self, now_ns: u64) -> Option<u64> {
        if now_ns.saturating_sub(self.last_end_ns) > STEAL_FRESH_NS {
            self.read(now_ns)
        } else {
            self.steal_ns
        }
    }

    /// Steal time since boot, in nanoseconds, now or up to `STEAL_FRESH_NS` ago.
    pub(crate) fn read(&mut self, now_ns: u64) -> Option<u64> {
        self.last_end_ns = now_ns;
        if now_ns.saturating_sub(self.read_at_ns) > STEAL_FRESH_NS {
            self.read_at_ns = now_ns;
            let mut buffer = [0u8; 256];
            let got = self.stat.as_ref()?.read_at(&mut buffer, 0).ok()?;
            // The line with the sums of all CPUs comes first in `/proc/stat` and fits into the buffer, so the rest of
            // the file is not read.
            self.steal_ns = stat::machine(whole_lines(&buffer, got)).and_then(|all| all.ns_of(Kind::Steal));
        }
        self.steal_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The children of the parent process are searched for: those of this process could not be counted, since other
    /// tests start some at the same time from threads whose lists [`children`] need not include.
    #[test]
    fn finds_children_by_search() {
        let found = children_by_search(std::os::unix::process::parent_id());
        assert!(found.contains(&(std::process::id() as i32)), "{found:?}");
    }
}
