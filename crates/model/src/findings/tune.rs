//! What was changed on the machine, and what was put back.

use serde::{Deserialize, Serialize};

/// Whom a change reaches, and so what ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobScope {
    /// Every program of the machine; it lasts until it is put back, and so it is in the journal.
    #[default]
    Machine,
    /// The command and what it starts: it ends with them.
    Process,
    /// The machine, for as long as a descriptor of fauxplat is open: it ends with fauxplat, however that ends.
    Held,
}

/// What became of one change, or of putting it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobOutcome {
    /// The machine holds what was asked for.
    Changed,
    /// It held that already, and nothing was written.
    #[default]
    Already,
    /// The kernel took the value and holds another.
    Clamped,
    /// The kernel, or a rule of fauxplat's own, refused.
    Refused,
    /// A permission is missing.
    Denied,
    /// This machine has no such thing.
    Absent,
    /// It would be changed: nothing was written, as asked.
    Planned,
    /// The value of before the change is back.
    Restored,
    /// Somebody else changed it meanwhile, so it was left as it is.
    Left,
}

/// One value of the machine, or of the command's own process, and what was done to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnobChange {
    /// The knob, as `--set` names it.
    pub knob: String,
    /// Where it is: a file, or the call that sets it.
    pub target: String,
    /// Whom it reaches.
    pub scope: KnobScope,
    /// The value before; absent where there was none to be read.
    pub before: Option<String>,
    /// The value that was asked for.
    pub wanted: String,
    /// The value afterwards, read back.
    pub after: Option<String>,
    /// What became of it.
    pub outcome: KnobOutcome,
    /// Why, where the outcome does not say it all.
    pub reason: Option<String>,
}

/// What was repaired of the tasks, control groups and interrupts that lost their CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repairs {
    /// Tasks whose affinity was put back.
    pub tasks: usize,
    /// Tasks that were born meanwhile and got the affinity of their parent.
    pub children: usize,
    /// Tasks that were moved back into their cpuset.
    pub memberships: usize,
    /// Cpusets that got their CPUs back.
    pub cpusets: usize,
    /// Interrupts whose affinity was put back.
    pub interrupts: usize,
    /// Tasks, cpusets and interrupts that somebody else had changed or that could not be repaired: which, what they are
    /// now, and what they were.
    pub left: Vec<String>,
}

/// What was done with a journal: values put back, or dropped because the machine was started anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restoration {
    /// The command line of the fauxplat that had made the changes.
    pub tuned_by: Vec<String>,
    /// When it began, in RFC 3339 form, UTC.
    pub tuned_at: String,
    /// One entry per change of the journal.
    pub changes: Vec<KnobChange>,
    /// What was repaired beside them.
    pub repairs: Repairs,
    /// Whether the machine was started anew since, so that there was nothing to put back.
    pub rebooted: bool,
    /// Whether the journal is gone, because nothing of it is left to do.
    pub complete: bool,
    /// Why the journal does not say what was put back: it could not be written to or removed.
    pub journal_error: Option<String>,
}

/// What `tune` was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneAction {
    /// Change the machine until `restore`.
    Applied,
    /// Change it for one command.
    Held,
    /// Say what would be changed.
    DryRun,
    /// Say what is changed.
    Status,
}

/// Who changes the machine at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuner {
    /// Its process id.
    pub pid: u32,
    /// Its user id.
    pub uid: u32,
    /// Its command line.
    pub command: String,
}

/// Findings of `tune`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneFindings {
    /// What was asked.
    pub action: TuneAction,
    /// Profiles and settings, as they were given.
    pub asked: Vec<String>,
    /// One entry per value.
    pub changes: Vec<KnobChange>,
    /// What an earlier fauxplat had left behind and was put back first.
    pub recovered: Option<Restoration>,
    /// What was put back at the end, when the machine was changed for one command.
    pub restored: Option<Restoration>,
    /// The journal.
    pub journal: String,
    /// Whether the machine is tuned now: `restore` has something to do.
    pub tuned: bool,
    /// Who holds the lock at this moment, for `--status`.
    pub tuner: Option<Tuner>,
    /// Exit status of the command, as a shell shows it.
    pub exit_status: Option<i32>,
}

/// Findings of `restore`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreFindings {
    /// What was put back; absent when there was no journal.
    pub restored: Option<Restoration>,
    /// The journal.
    pub journal: String,
}

/// A profile of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEntry {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// Its settings.
    pub set: Vec<String>,
}

/// A knob of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnobEntry {
    /// Its name.
    pub name: String,
    /// Values that it takes.
    pub values: String,
    /// Why one would turn it.
    pub purpose: String,
    /// Its value on this machine, where it has one.
    pub current: Option<String>,
    /// What sets it for one command alone.
    pub process: Option<String>,
}

/// What `tune` can do: findings of `tune --list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneCatalog {
    /// Profiles.
    pub profiles: Vec<ProfileEntry>,
    /// Knobs.
    pub knobs: Vec<KnobEntry>,
}
