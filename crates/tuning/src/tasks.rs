//! All tasks of the machine with their affinities, and with their start times, which distinguish each from a later task
//! with the same id.

use fauxplat_procfs::task::TaskStat;
use fauxplat_procfs::{stat, status};
use fauxplat_units::CpuSet;

use crate::{Root, cpusets};

/// A task: a thread of any process, or of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) tid: i32,
    pub(crate) process: i32,
    /// Id of the parent of the thread's process, or of the subreaper that adopted it.
    pub(crate) parent: i32,
    /// Start time in clock ticks since boot.
    pub(crate) start_ticks: u64,
    /// Whether the kernel forbids changing the task's affinity.
    pub(crate) fixed: bool,
    pub(crate) kernel: bool,
    pub(crate) mask: CpuSet,
    /// Name of the cpuset; empty if it is unknown or outside the control group namespace (`/..`).
    pub(crate) cpuset: String,
}

/// Returns all tasks, by id; tasks that end meanwhile are omitted. Empty below a root that is not this machine, since
/// the ids in a captured tree belong to other tasks here.
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

/// Reads one task; `None` if it has ended. The mask comes from `status` and not from `sched_getaffinity(2)`, which
/// omits CPUs that are offline at the moment.
fn task(root: &Root, process: i32, tid: i32) -> Option<Task> {
    let folder = format!("proc/{process}/task/{tid}");
    let stat = root.read_list(&format!("{folder}/stat"));
    let status = root.read_list(&format!("{folder}/status"));
    let stat = TaskStat::parse(&stat)?;
    Some(Task {
        tid,
        process,
        parent: stat.parent()?,
        start_ticks: stat.start_ticks()?,
        fixed: stat.is_fixed()?,
        kernel: stat.is_kernel()?,
        mask: status::cpus_allowed_list(&status)?.parse().ok()?,
        cpuset: root
            .value(&format!("{folder}/cpuset"))
            .filter(|name| cpusets::is_name(name))
            .unwrap_or_default(),
    })
}

/// Returns the present time in clock ticks since boot, the unit of the start times of tasks.
pub(crate) fn now_ticks(root: &Root) -> u64 {
    let uptime = root.value("proc/uptime").unwrap_or_default();
    let seconds: f64 = uptime.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    (seconds * stat::TICKS_PER_S as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_cpuset_that_is_out_of_sight_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let (root, task_1) = (Root::new(folder.path()), folder.path().join("proc/1/task/1"));
        std::fs::create_dir_all(&task_1).unwrap();
        std::fs::write(task_1.join("status"), "Name:\tx\nCpus_allowed_list:\t0-3\n").unwrap();
        std::fs::copy("/proc/self/stat", task_1.join("stat")).unwrap();
        for (named, known) in [("/a/b\n", "/a/b"), ("/\n", "/"), ("/..\n", ""), ("/../../x\n", "")] {
            std::fs::write(task_1.join("cpuset"), named).unwrap();
            assert_eq!(task(&root, 1, 1).unwrap().cpuset, known, "{named}");
        }
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
