//! One change of the machine, as it stands in the journal: everything that is needed to take it back.

use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

use crate::knob::Form;
use crate::{cpusets, knobs};

/// A change and what it replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Action {
    /// A value in a file of the kernel.
    Write {
        /// The file, below the root.
        file: String,
        /// How it shows its value.
        form: Form,
        /// Its whole text before, white space included.
        old: String,
        /// The value that is written.
        want: String,
    },
    /// A control group of our own. It ends with its folder, and so do its settings.
    Folder {
        /// The folder, below the root.
        path: String,
        /// Files in it, and what is written to them.
        settings: Vec<(String, String)>,
    },
    /// Tasks that change their control group. Both are files that list tasks, and move those written to them.
    Move {
        /// Where they come from, and go back to.
        from: String,
        /// Where they go.
        to: String,
        /// Only this process; all that may be moved when absent.
        only: Option<u32>,
    },
    /// Nothing is changed, but what follows takes CPUs away from tasks, control groups and interrupts.
    Snapshot(Snapshot),
}

/// Who may use which CPUs, before some of them go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The CPUs that go.
    pub(crate) removed: CpuSet,
    /// All that could ever be online.
    pub(crate) possible: CpuSet,
    /// When it was taken, in clock ticks since the boot, as start times of tasks are counted.
    pub(crate) taken_ticks: u64,
    /// The newest record of the kernel's log then, where it can be read.
    #[serde(default)]
    pub(crate) log_record: Option<u64>,
    /// Tasks that may run on one of them.
    pub(crate) tasks: Vec<SavedTasks>,
    /// Cpusets of cgroup v1, parents first: folder below the root, and `cpuset.cpus`.
    pub(crate) cpusets: Vec<(String, String)>,
    /// Interrupts: number, and `smp_affinity_list`.
    pub(crate) interrupts: Vec<(u32, String)>,
}

/// Where an interrupt of this number says which CPUs it may go to, below the root.
pub(crate) fn interrupt(number: &str) -> String {
    format!("proc/irq/{number}/smp_affinity_list")
}

/// Tasks of one cpuset with one affinity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedTasks {
    /// Where they may run.
    pub(crate) mask: CpuSet,
    /// Their cpuset, as `/proc/PID/cpuset` names it.
    pub(crate) cpuset: String,
    /// Task id and start time, which together name a task for as long as the machine is up.
    pub(crate) tasks: Vec<(i32, u64)>,
}

impl Action {
    /// Whether every place that it names is one to which the knobs lead, as in everything that fauxplat writes.
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

    /// Leaves out of a snapshot what was put back since it was taken: the snapshot has the tuner's own value of that, and
    /// the machine the one from before.
    pub(crate) fn forget(&mut self, back: &Action) {
        if let (Action::Snapshot(snapshot), Action::Write { file, .. }) = (self, back) {
            snapshot.interrupts.retain(|(number, _)| interrupt(&number.to_string()) != *file);
        }
    }

    /// What reports call the place.
    pub(crate) fn target(&self) -> String {
        let place = match self {
            Action::Write { file: place, .. }
            | Action::Folder { path: place, .. }
            | Action::Move { to: place, .. } => place,
            Action::Snapshot(_) => "proc",
        };
        format!("/{place}")
    }

    /// What reports say was asked for.
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
