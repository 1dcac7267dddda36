//! The state of a machine: everything that a tuner can change, read without the tuner's own code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_procfs::status;
use fauxplat_procfs::task::TaskStat;

/// Values of settings and tasks, by the name of the place from which each was read, such as a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State(BTreeMap<String, String>);

/// Parts of the names of kernel files that change by themselves, and are not read. Reading `stat_refresh` would also
/// make every CPU update its counters, and wait until the busiest CPU has had time for that.
const RESTLESS: [&str; 12] = [
    "stat_refresh",
    "random/",
    "ns_last_pid",
    "pages_",
    "full_scans",
    "pty/nr",
    "general_profit",
    "/stats/",
    "sched_domain",
    "cpuset.memory_pressure",
    "_cur_freq",
    "_avg_freq",
];

impl State {
    /// The state of the machine on which this program runs.
    pub(crate) fn of_this_machine() -> Self {
        let mut state = State::default();
        for folder in
            ["/proc/sys/vm", "/proc/sys/kernel", "/sys/kernel/mm", "/sys/devices/system/cpu/cpufreq"]
        {
            state.add_tree(Path::new(folder), 6);
        }
        for file in ["online", "smt/control", "intel_pstate/no_turbo"] {
            state.add_file(&Path::new("/sys/devices/system/cpu").join(file));
        }
        state.add_file(Path::new("/sys/kernel/rcu_expedited"));
        state.add_tree(Path::new("/sys/fs/cgroup/cpuset"), 6);
        state.add_file(Path::new("/sys/fs/cgroup/cgroup.subtree_control"));
        state.add_interrupts();
        state.add_tasks();
        state
    }

    /// The state of a made-up machine: the content of every file.
    pub(crate) fn of_tree(root: &Path) -> Self {
        let mut state = State::default();
        state.add_tree(root, 20);
        state
    }

    fn add_tree(&mut self, folder: &Path, depth: usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => self.add_tree(&path, depth - 1),
                Ok(kind) if kind.is_file() => self.add_file(&path),
                _ => {}
            }
        }
    }

    fn add_file(&mut self, path: &Path) {
        let name = path.display().to_string();
        let is_list_of_tasks = name.ends_with("/tasks") || name.ends_with("cgroup.procs");
        if RESTLESS.iter().any(|part| name.contains(part)) || is_list_of_tasks {
            return;
        }
        if let Ok(text) = fs::read_to_string(path) {
            self.0.insert(name, text);
        }
    }

    fn add_interrupts(&mut self) {
        for entry in fs::read_dir("/proc/irq").into_iter().flatten().flatten() {
            self.add_file(&entry.path().join("smp_affinity_list"));
        }
    }

    /// Adds affinity and cpuset of every task, by task id and start time.
    fn add_tasks(&mut self) {
        for process in numbered("/proc".as_ref()) {
            for task in numbered(&process.join("task")) {
                self.add_task(&task);
            }
        }
    }

    fn add_task(&mut self, task: &Path) -> Option<()> {
        let read = |name: &str| fs::read_to_string(task.join(name)).ok();
        let (stat, status) = (read("stat")?, read("status")?);
        let stat = TaskStat::parse(&stat)?;
        // Tasks of the kernel with a fixed affinity are left out: only the kernel changes it, and before Linux 6.2 it
        // widens some by itself when there is an isolated partition.
        if stat.is_fixed()? {
            return None;
        }
        let mask = status::cpus_allowed_list(&status)?;
        let place = format!("task {} {}", stat.start_ticks()?, task.file_name()?.display());
        let cpuset = read("cpuset").unwrap_or_default();
        self.0.insert(place, format!("{} in {}", mask, cpuset.trim()));
        Some(())
    }

    /// Descriptions of the differences between two states. Tasks that ended or began in between are left out.
    pub(crate) fn differences(&self, after: &State) -> Vec<String> {
        let differs = |(place, before): (&String, &String)| match after.0.get(place) {
            Some(now) if now == before => None,
            None if place.starts_with("task ") => None,
            now => Some(format!("{place}: {before:?} became {now:?}")),
        };
        self.0.iter().filter_map(differs).collect()
    }

    /// Number of values in the state.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

fn numbered(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_number =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().parse::<u32>().is_ok());
    entries.map(|entry| entry.path()).filter(is_number).collect()
}
