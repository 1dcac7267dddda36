//! Changes of the machine, and their restoration.

use serde::{Deserialize, Serialize};

/// Scope of a change, which also decides what ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobScope {
    /// Every program of the machine. The change lasts until it is restored, so it is written to the journal.
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
    /// The kernel accepted the value but a different one is in effect.
    Clamped,
    /// The kernel, or a rule of fauxplat, refused the value.
    Refused,
    Denied,
    Absent,
    /// Dry run. The value would be changed, but nothing was written.
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
    /// The knob, as `--set` names it.
    pub knob: String,
    /// The file or system call that sets the knob.
    pub target: String,
    pub scope: KnobScope,
    /// Value before the change; `None` if no value could be read.
    pub before: Option<String>,
    pub wanted: String,
    /// Value after the change, read back from the kernel.
    pub after: Option<String>,
    pub outcome: KnobOutcome,
    /// Reason, if the outcome is not self-explanatory.
    pub reason: Option<String>,
}

/// Repairs of tasks, control groups and interrupts that lost their CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repairs {
    /// Tasks whose affinity was restored.
    pub tasks: usize,
    /// Tasks that were created in between and received the affinity of their parent.
    pub children: usize,
    /// Tasks that were moved back into their cpuset.
    pub memberships: usize,
    /// Cpusets whose CPUs were restored.
    pub cpusets: usize,
    /// Interrupts whose affinity was restored.
    pub interrupts: usize,
    /// Tasks, cpusets and interrupts that another program had changed or that could not be repaired, each with its
    /// present and former state.
    pub left: Vec<String>,
}

/// The processing of a journal: values are restored, or dropped because the machine was rebooted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restoration {
    /// Command line of the fauxplat that made the changes.
    pub tuned_by: Vec<String>,
    /// Start of that fauxplat, in RFC 3339 form, UTC.
    pub tuned_at: String,
    /// Entries: one per change in the journal.
    pub changes: Vec<KnobChange>,
    pub repairs: Repairs,
    /// Whether the machine was rebooted since, so that there was nothing to restore.
    pub rebooted: bool,
    /// Whether the journal was removed because every change in it is dealt with.
    pub complete: bool,
    /// Why the restoration is missing from the journal: the file could not be written or removed.
    pub journal_error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneAction {
    /// Changes the machine until `restore`.
    Applied,
    /// Changes the machine for one command.
    Held,
    /// Lists the changes that would be made.
    DryRun,
    /// Lists the changes that are in effect.
    Status,
}

/// The process that holds the lock for changes of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuner {
    pub pid: u32,
    pub uid: u32,
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneFindings {
    pub action: TuneAction,
    /// Profiles and settings of the command line.
    pub asked: Vec<String>,
    /// Entries: one per value.
    pub changes: Vec<KnobChange>,
    /// Changes of an earlier fauxplat that were restored first.
    pub recovered: Option<Restoration>,
    /// Changes that were restored at the end, if the machine was changed for one command.
    pub restored: Option<Restoration>,
    pub journal: String,
    /// Whether the machine is tuned at present, so that `restore` has work to do.
    pub tuned: bool,
    /// The present holder of the lock, for `--status`.
    pub tuner: Option<Tuner>,
    /// Exit status of the command, as a shell shows it.
    pub exit_status: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreFindings {
    /// The restored values; `None` without a journal.
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
    /// Present value on this machine; `None` if the knob has none.
    pub current: Option<String>,
    /// The option that sets the knob for one command alone.
    pub process: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneCatalog {
    pub profiles: Vec<ProfileEntry>,
    pub knobs: Vec<KnobEntry>,
}
