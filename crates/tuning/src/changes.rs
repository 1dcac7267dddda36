//! A change of the machine as recorded in the journal, with everything that is needed to undo it.

use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

use crate::knob::Form;
use crate::{cpusets, knobs};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Action {
    /// A value in a file of the kernel.
    Write {
        /// The file, below the root.
        file: String,
        form: Form,
        /// Whole text of the file before the change, white space included.
        old: String,
        /// The value that is written.
        want: String,
    },
    /// A control group of fauxplat, which is removed with its folder, settings included.
    Folder {
        /// The folder, below the root.
        path: String,
        /// Names of files in the folder, and the values written to them.
        settings: Vec<(String, String)>,
    },
    /// Tasks that change their control group. Both paths are files that list the tasks of a group; a task id written to
    /// such a file moves the task.
    Move {
        /// List of tasks of the old group, to which they return.
        from: String,
        /// List of tasks of the new group.
        to: String,
        /// Process id of the only process to move; `None` moves every task that can be moved.
        only: Option<u32>,
    },
    /// Affinities before CPUs are taken away from tasks, control groups and interrupts; changes nothing itself.
    Snapshot(Snapshot),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// CPUs that are about to be taken away.
    pub(crate) removed: CpuSet,
    /// CPUs that could ever be online.
    pub(crate) possible: CpuSet,
    /// Time of the snapshot in clock ticks since boot, the unit of task start times.
    pub(crate) taken_ticks: u64,
    /// Sequence number of the newest kernel log record at that time; `None` where the log cannot be read.
    #[serde(default)]
    pub(crate) log_record: Option<u64>,
    /// All tasks whose affinity can be changed, grouped by cpuset and affinity.
    pub(crate) tasks: Vec<SavedTasks>,
    /// Cpusets of cgroup v1, parents first: folder below the root, and `cpuset.cpus`.
    pub(crate) cpusets: Vec<(String, String)>,
    /// Interrupts: number, and `smp_affinity_list`.
    pub(crate) interrupts: Vec<(u32, String)>,
}

/// Returns the path of an interrupt's affinity file, below the root.
pub(crate) fn interrupt(number: &str) -> String {
    format!("proc/irq/{number}/smp_affinity_list")
}

/// Tasks of one cpuset with one affinity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedTasks {
    pub(crate) mask: CpuSet,
    /// Name of the cpuset as in `/proc/PID/cpuset`.
    pub(crate) cpuset: String,
    /// Task id and start time, which together identify a task as long as the machine is up.
    pub(crate) tasks: Vec<(i32, u64)>,
}

impl Action {
    /// Returns whether every path in the change is a path that a knob of fauxplat writes; a journal with other paths is
    /// refused.
    pub(crate) fn is_plausible(&self) -> bool {
        match self {
            Action::Write { file, form, .. } => knobs::leads_to(file, *form),
            Action::Folder { path, .. } => cpusets::is_ours(path),
            Action::Move { from, to, .. } => {
                let tasks = |file: &str, is_place: fn(&str) -> bool| match file.rsplit_once('/') {
                    Some((folder, "tasks" | "cgroup.procs")) => is_place(folder),
                    _ => false,
                };
                tasks(from, cpusets::is_group) && tasks(to, cpusets::is_ours)
            }
            Action::Snapshot(snapshot) => {
                let named = |saved: &SavedTasks| cpusets::is_name(&saved.cpuset);
                snapshot.cpusets.iter().all(|(folder, _)| cpusets::is_group(folder))
                    && snapshot.tasks.iter().all(named)
            }
        }
    }

    /// Removes an interrupt from the snapshot once its affinity has been restored: the snapshot contains the value that
    /// the tuner wrote, and the machine now has the original value.
    pub(crate) fn forget(&mut self, back: &Action) {
        if let (Action::Snapshot(snapshot), Action::Write { file, .. }) = (self, back) {
            snapshot.interrupts.retain(|(number, _)| interrupt(&number.to_string()) != *file);
        }
    }

    /// Returns the path of the change, for reports.
    pub(crate) fn target(&self) -> String {
        let place = match self {
            Action::Write { file: place, .. }
            | Action::Folder { path: place, .. }
            | Action::Move { to: place, .. } => place,
            Action::Snapshot(_) => "proc",
        };
        format!("/{place}")
    }

    /// Returns the requested value of the change, for reports.
    pub(crate) fn wanted(&self) -> String {
        match self {
            Action::Write { want, .. } => want.clone(),
            Action::Folder { settings, .. } => {
                let words: Vec<String> =
                    settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
                words.join(" ")
            }
            Action::Move { only: Some(pid), .. } => format!("process {pid}"),
            Action::Move { .. } => "all tasks that may be moved".to_owned(),
            Action::Snapshot(snapshot) => format!("without CPUs {}", snapshot.removed),
        }
    }
}
