//! Every task of the machine: where it may run, and what tells it apart from a later one of the same number.

use fauxplat_units::CpuSet;

use crate::Root;

/// A task that cannot be given an affinity, see `PF_NO_SETAFFINITY` in the kernel's `sched.h`.
const NO_SETAFFINITY: u64 = 0x0400_0000;
/// A thread of the kernel's own, `PF_KTHREAD`.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// A thread of any process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) tid: i32,
    /// Its process.
    pub(crate) process: i32,
    /// The process that made its process, or that adopted it.
    pub(crate) parent: i32,
    /// When it began, in clock ticks since the boot.
    pub(crate) start_ticks: u64,
    /// Whether the kernel keeps it where it is.
    pub(crate) fixed: bool,
    /// Whether it is the kernel's own.
    pub(crate) kernel: bool,
    pub(crate) mask: CpuSet,
    pub(crate) cpuset: String,
}

/// Every task, by number. Tasks that end meanwhile are left out. Below a root that is not the machine there are none:
/// the numbers in a captured tree are somebody else's tasks here.
pub(crate) fn scan(root: &Root) -> Vec<Task> {
    if !root.is_real() {
        return Vec::new();
    }
    let number = |name: &String| name.parse::<i32>().ok();
    let processes = root.names("proc").iter().filter_map(number).collect::<Vec<_>>();
    let threads = |process: i32| {
        let names = root.names(&format!("proc/{process}/task"));
        names.iter().filter_map(number).filter_map(|tid| task(root, process, tid)).collect::<Vec<_>>()
    };
    processes.into_iter().flat_map(threads).collect()
}

/// The masks come from `status` and not from `sched_getaffinity(2)`, which leaves out CPUs that are off at the moment.
fn task(root: &Root, process: i32, tid: i32) -> Option<Task> {
    let folder = format!("proc/{process}/task/{tid}");
    let stat = root.read_list(&format!("{folder}/stat"));
    let status = root.read_list(&format!("{folder}/status"));
    let (parent, flags, start_ticks) = stat_fields(&stat)?;
    let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(Task {
        tid,
        process,
        parent,
        start_ticks,
        fixed: flags & NO_SETAFFINITY != 0,
        kernel: flags & KERNEL_THREAD != 0,
        mask: mask.parse().ok()?,
        cpuset: root.value(&format!("{folder}/cpuset")).unwrap_or_default(),
    })
}

/// Parent, flags and start time: fields 4, 9 and 22 of `proc_pid_stat(5)`. The name in parentheses may hold anything,
/// so fields are counted from the last one.
fn stat_fields(stat: &str) -> Option<(i32, u64, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3);
    Some((field(4)?.parse().ok()?, field(9)?.parse().ok()?, field(22)?.parse().ok()?))
}

/// Clock ticks since the boot, as start times are counted.
pub(crate) fn now_ticks(root: &Root) -> u64 {
    let uptime = root.value("proc/uptime").unwrap_or_default();
    let seconds: f64 = uptime.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    (seconds * fauxplat_sys::process::ticks_per_second() as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn fields_are_counted_behind_the_name() {
        let stat = "12 (a) b (c) S 7 1 1 0 -1 4194560 5 6 7 8 9 10 11 12 20 0 1 0 12345 13 14";
        assert_eq!(stat_fields(stat), Some((7, 4_194_560, 12345)));
        assert_eq!(stat_fields("12 (a) S 7"), None);
        assert_eq!(stat_fields(""), None);
    }

    #[test]
    fn this_very_thread_is_found_with_its_mask() {
        let root = Root::new(Path::new("/"));
        let tasks = scan(&root);
        let own = std::process::id() as i32;
        let us: Vec<&Task> = tasks.iter().filter(|task| task.process == own).collect();
        assert!(!us.is_empty() && us.iter().all(|task| !task.mask.is_empty() && !task.kernel));
        assert!(us[0].start_ticks <= now_ticks(&root) + 1);
        assert_eq!(scan(&Root::new(Path::new("/proc"))), []);
    }
}
