//! Changes of the machine, and their restoration.

use serde::{Deserialize, Serialize};

/// Scope of a change, which also decides what ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobScope {
    /// Every program of the machine. The change lasts until it is put back, so it is written to the journal.
    #[default]
    Machine,
    /// The command and its children: the change ends with them.
    Process,
    /// The machine, while a descriptor of fauxplat is open: the change ends with fauxplat, however that ends.
    Held,
}

/// Outcome of one change, or of its restoration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobOutcome {
    /// The requested value is in effect.
    Changed,
    /// The requested value was in effect already, and nothing was written.
    #[default]
    Already,
    /// The kernel accepted the value and has another in effect.
    Clamped,
    /// The kernel, or a rule of fauxplat, refused the value.
    Refused,
    /// A permission is missing.
    Denied,
    /// No such knob on this machine.
    Absent,
    /// Dry run: the value would be changed, and nothing was written.
    Planned,
    /// The value from before the change is in effect again.
    Restored,
    /// Another program changed the value meanwhile, so it was left as it is.
    Left,
}

/// A setting of the machine, or of the command's process, and its change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnobChange {
    /// The knob, as `--set` names it.
    pub knob: String,
    /// The file, or the system call, that sets it.
    pub target: String,
    /// Scope of the change.
    pub scope: KnobScope,
    /// Value before the change; `None` where there was none to be read.
    pub before: Option<String>,
    /// The requested value.
    pub wanted: String,
    /// Value after the change, read back.
    pub after: Option<String>,
    /// Outcome of the change.
    pub outcome: KnobOutcome,
    /// Reason, where the outcome does not explain itself.
    pub reason: Option<String>,
}

/// Repairs of tasks, control groups and interrupts that lost their CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repairs {
    /// Tasks whose affinity was put back.
    pub tasks: usize,
    /// Tasks that were created meanwhile and got the affinity of their parent.
    pub children: usize,
    /// Tasks that were moved back into their cpuset.
    pub memberships: usize,
    /// Cpusets that got their CPUs back.
    pub cpusets: usize,
    /// Interrupts whose affinity was put back.
    pub interrupts: usize,
    /// Tasks, cpusets and interrupts that another program had changed or that could not be repaired: each with its
    /// present and its former state.
    pub left: Vec<String>,
}

/// The processing of a journal: values put back, or dropped because the machine was rebooted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restoration {
    /// Command line of the fauxplat that made the changes.
    pub tuned_by: Vec<String>,
    /// Start of that fauxplat, in RFC 3339 form, UTC.
    pub tuned_at: String,
    /// An entry per change of the journal.
    pub changes: Vec<KnobChange>,
    /// Repairs that were made in addition.
    pub repairs: Repairs,
    /// Whether the machine was rebooted since, so that there was nothing to put back.
    pub rebooted: bool,
    /// Whether the journal was removed, because nothing of it is left to do.
    pub complete: bool,
    /// Why the journal does not record the restoration: it could not be written to or removed.
    pub journal_error: Option<String>,
}

/// Action of `tune`.
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
    /// Process id.
    pub pid: u32,
    /// User id.
    pub uid: u32,
    /// Command line.
    pub command: String,
}

/// Findings of `tune`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneFindings {
    /// The action.
    pub action: TuneAction,
    /// Profiles and settings of the command line.
    pub asked: Vec<String>,
    /// An entry per value.
    pub changes: Vec<KnobChange>,
    /// Changes of an earlier fauxplat that were put back first.
    pub recovered: Option<Restoration>,
    /// Changes that were put back at the end, when the machine was changed for one command.
    pub restored: Option<Restoration>,
    /// Path of the journal.
    pub journal: String,
    /// Whether the machine is tuned at present, so that `restore` has something to do.
    pub tuned: bool,
    /// The holder of the lock at present, for `--status`.
    pub tuner: Option<Tuner>,
    /// Exit status of the command, as a shell shows it.
    pub exit_status: Option<i32>,
}

/// Findings of `restore`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreFindings {
    /// Values that were put back; `None` when there was no journal.
    pub restored: Option<Restoration>,
    /// Path of the journal.
    pub journal: String,
}

/// A profile in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEntry {
    /// Name of the profile.
    pub name: String,
    /// Purpose of the profile.
    pub purpose: String,
    /// Settings of the profile.
    pub set: Vec<String>,
}

/// A knob in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnobEntry {
    /// Name of the knob.
    pub name: String,
    /// Values that the knob accepts.
    pub values: String,
    /// Reason for changing the knob.
    pub purpose: String,
    /// Value on this machine; `None` where it has none.
    pub current: Option<String>,
    /// The option that sets it for one command alone.
    pub process: Option<String>,
}

/// Findings of `tune --list`: all profiles and knobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneCatalog {
    /// Profiles.
    pub profiles: Vec<ProfileEntry>,
    /// Knobs.
    pub knobs: Vec<KnobEntry>,
}
