//! Findings of `tune`: changes of settings of the machine, and their restoration.

use serde::{Deserialize, Serialize};

/// Scope of a change of a setting: the programs that it affects, and what ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobScope {
    /// Every program of the machine. The change lasts until it is restored, so it is written to a journal.
    #[default]
    Machine,
    /// The command and its children. The change ends with them.
    Process,
    /// The machine, while a descriptor of fauxplat is open. The change ends with the fauxplat process, even if that is
    /// killed.
    Held,
}

/// Outcome of one change, or of its restoration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobOutcome {
    /// The requested value is in effect.
    Changed,
    /// The requested value was already in effect, and nothing was written.
    #[default]
    Already,
    /// The kernel accepted the value, but another one is in effect.
    Clamped,
    /// The kernel, or a rule of fauxplat, refused the value.
    Refused,
    Denied,
    Absent,
    /// In a dry run: the value would be changed, but nothing was written.
    Planned,
    /// The value from before the change is in effect again.
    Restored,
    /// Another program changed the value in between, so it was not restored.
    Left,
}

/// A setting of the machine, or of the command's process, and its change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnobChange {
    /// Name of the setting, as in `--set`.
    pub knob: String,
    /// The file or system call by which the setting is changed.
    pub target: String,
    pub scope: KnobScope,
    /// Value before the change; `None` if no value could be read.
    pub before: Option<String>,
    pub wanted: String,
    /// Value after the change, read back from the kernel; `None` if no value could be read.
    pub after: Option<String>,
    pub outcome: KnobOutcome,
    /// Reason for the outcome; `None` if the outcome explains itself.
    pub reason: Option<String>,
}

/// Repairs of tasks, control groups and interrupts that lost CPUs because CPUs were taken offline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repairs {
    /// Number of tasks whose affinity was restored.
    pub tasks: usize,
    /// Number of tasks that were created in between and received the affinity of their parent.
    pub children: usize,
    /// Number of tasks that were moved back into their cpuset.
    pub memberships: usize,
    /// Number of cpusets whose CPUs were restored.
    pub cpusets: usize,
    /// Number of interrupts whose affinity was restored.
    pub interrupts: usize,
    /// Tasks, cpusets and interrupts that another program had changed or that could not be repaired, each with its
    /// present and former state.
    pub left: Vec<String>,
}

/// Restoration of the changes in a journal. After a reboot there is nothing to restore, and the changes are dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restoration {
    /// Command line of the fauxplat process that made the changes.
    pub tuned_by: Vec<String>,
    /// Start of that process, in RFC 3339 form, UTC.
    pub tuned_at: String,
    /// Changes in the journal, with the outcome of their restoration.
    pub changes: Vec<KnobChange>,
    pub repairs: Repairs,
    /// Whether the machine was rebooted since the changes, so that there was nothing to restore.
    pub rebooted: bool,
    /// Whether every change in the journal was restored or dropped, so that the journal was removed.
    pub complete: bool,
    /// Why the journal could not be written or removed; `None` if it could.
    pub journal_error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneAction {
    /// Changes settings, which last until `restore`.
    Applied,
    /// Changes settings while one command runs.
    Held,
    /// Lists the changes that would be made.
    DryRun,
    /// Lists the changes that are in effect.
    Status,
}

/// The process that holds the lock for changes of the machine's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuner {
    pub pid: u32,
    pub uid: u32,
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneFindings {
    pub action: TuneAction,
    /// Tuning profiles and settings that the command line names.
    pub asked: Vec<String>,
    /// Changes, one per setting.
    pub changes: Vec<KnobChange>,
    /// Changes of an earlier fauxplat process that were restored first; `None` if there were none.
    pub recovered: Option<Restoration>,
    /// Restoration at the end of the command for which settings were changed; `None` otherwise.
    pub restored: Option<Restoration>,
    pub journal: String,
    /// Whether settings of the machine are changed at present, so that `restore` has something to do.
    pub tuned: bool,
    /// The process that holds the lock at present; only for `--status`.
    pub tuner: Option<Tuner>,
    /// Exit status of the command, as a shell shows it; `None` if no command ran.
    pub exit_status: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreFindings {
    /// Restoration of the changes in the journal; `None` without a journal.
    pub restored: Option<Restoration>,
    pub journal: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEntry {
    pub name: String,
    pub purpose: String,
    pub set: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnobEntry {
    pub name: String,
    pub values: String,
    pub purpose: String,
    /// Present value of the setting on this machine; `None` if there is none.
    pub current: Option<String>,
    /// The option that makes the setting for one command alone; `None` if there is no such option.
    pub process: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneCatalog {
    pub profiles: Vec<ProfileEntry>,
    pub knobs: Vec<KnobEntry>,
}
