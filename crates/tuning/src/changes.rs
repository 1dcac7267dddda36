//! A change of the machine as the journal records it, with everything that is needed to undo it.

use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

use crate::knob::Form;
use crate::{cpusets, knobs};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Action {
    /// A value that is written to a file of the kernel.
    Write {
        /// Path of the file, below the root.
        file: String,
        form: Form,
        /// Whole text of the file before the change, white space included.
        old: String,
        /// The value that is written.
        want: String,
    },
    /// A control group that fauxplat makes; undone by removing its folder, settings included.
    Folder {
        /// Path of the folder, below the root.
        path: String,
        /// Names of files in the folder, and the values written to them.
        settings: Vec<(String, String)>,
    },
    /// Moves tasks to another control group. Both paths are files that list the tasks of a group; writing the id of a
    /// task to such a file moves the task.
    Move {
        /// File that lists the tasks of the old group, to which the tasks return.
        from: String,
        /// File that lists the tasks of the new group.
        to: String,
        /// Id of the only process to move; `None` moves every task that can be moved.
        only: Option<u32>,
    },
    /// Records affinities before CPUs are taken away from tasks, control groups and interrupts; changes nothing itself.
    Snapshot(Snapshot),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// CPUs that are about to be taken away.
    pub(crate) removed: CpuSet,
    /// CPUs that may ever be online on this machine.
    pub(crate) possible: CpuSet,
    /// Time of the snapshot in clock ticks since boot, the unit of task start times.
    pub(crate) taken_ticks: u64,
    /// Sequence number of the newest record in the kernel's log at that time; `None` where the log cannot be read.
    #[serde(default)]
    pub(crate) log_record: Option<u64>,
    /// All tasks whose affinity can be changed, grouped by cpuset and affinity.
    pub(crate) tasks: Vec<SavedTasks>,
    /// Cpusets of control groups of version 1, parents first: folder below the root, and content of `cpuset.cpus`.
    pub(crate) cpusets: Vec<(String, String)>,
    /// Interrupts: number, and content of `smp_affinity_list`.
    pub(crate) interrupts: Vec<(u32, String)>,
}

/// Returns the path of the file with an interrupt's affinity, below the root.
pub(crate) fn interrupt(number: &str) -> String {
    format!("proc/irq/{number}/smp_affinity_list")
}

/// Tasks of one cpuset that have the same affinity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedTasks {
    pub(crate) mask: CpuSet,
    /// Name of the cpuset, as `/proc/PID/cpuset` gives it.
    pub(crate) cpuset: String,
    /// Id and start time of each task in clock ticks, which together identify a task as long as the machine is up.
    pub(crate) tasks: Vec<(i32, u64)>,
}

impl Action {
    /// Returns whether every path in the change is one that a knob of fauxplat may write; a journal with other paths is
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

    /// Removes an interrupt from this snapshot once `back`, an earlier change of the interrupt's affinity, is undone.
    /// The snapshot was taken after that change and holds the value that fauxplat wrote, which must not be restored.
    pub(crate) fn forget(&mut self, back: &Action) {
        if let (Action::Snapshot(snapshot), Action::Write { file, .. }) = (self, back) {
            snapshot.interrupts.retain(|(number, _)| interrupt(&number.to_string()) != *file);
        }
    }

    /// Returns the path that the change concerns, for reports.
    pub(crate) fn target(&self) -> String {
        let place = match self {
            Action::Write { file: place, .. }
            | Action::Folder { path: place, .. }
            | Action::Move { to: place, .. } => place,
            Action::Snapshot(_) => "proc",
        };
        format!("/{place}")
    }

    /// Returns the value that the change requests, for reports.
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
