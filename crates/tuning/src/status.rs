//! Status of the tuning: present changes of the machine, and the process that makes them.

use std::path::Path;

use fauxplat_model::{KnobChange, KnobOutcome, Tuner};

use crate::changes::Action;
use crate::journal::{self, Entry};
use crate::{Root, TuneError, lock};

/// State of the machine as the journal and the lock show it.
#[derive(Clone, Debug)]
pub struct Status {
    pub tuner: Option<Tuner>,
    pub changes: Vec<KnobChange>,
    /// Command line that made the changes, and when; `None` without a journal.
    pub tuned_by: Option<(Vec<String>, String)>,
    /// Whether the machine is meant to stay tuned.
    pub kept: bool,
    /// Whether the guardian that was to restore the machine at a time limit has ended without doing so.
    pub guardian_gone: bool,
    /// Whether the changes were made before the last reboot.
    pub rebooted: bool,
}

/// Reads the journal and the lock, and changes nothing.
///
/// # Errors
/// Fails where the journal is damaged, is of a newer version, or could have been written by another user than root; or
/// where the boot in which it was written is unknown.
pub fn status(root: &Root, journal: &Path) -> Result<Status, TuneError> {
    let tuner = lock::holder(root, journal);
    let Some(story) = journal::read(journal)? else {
        return Ok(Status {
            tuner,
            changes: Vec::new(),
            tuned_by: None,
            kept: false,
            guardian_gone: false,
            rebooted: false,
        });
    };
    // In another PID namespace the process id of the guardian means another process, so its end cannot be seen.
    let tells = story.opening.pid_namespace == journal::pid_namespace(root);
    Ok(Status {
        tuner,
        changes: story.entries.iter().filter_map(|entry| now(root, entry)).collect(),
        kept: story.kept,
        guardian_gone: tells && story.keeper.is_some_and(|keeper| !keeper.is_there()),
        rebooted: journal::boot_id(journal, root)? != story.opening.boot_id,
        tuned_by: Some((story.opening.argv, story.opening.time)),
    })
}

/// Returns the report of a change in the journal with the present value; `None` for changes without a value.
fn now(root: &Root, entry: &Entry) -> Option<KnobChange> {
    let (knob, target, wanted) = (entry.knob.clone(), entry.action.target(), entry.action.wanted());
    let told = KnobChange { knob, target, wanted, ..KnobChange::default() };
    match &entry.action {
        Action::Snapshot(_) => None,
        Action::Write { .. } if entry.is_untouched() => None,
        Action::Write { file, form, old, .. } => {
            let after = root.read(file).ok().map(|text| form.value(&text));
            let got = entry.got.clone().flatten();
            let outcome = if got == after { KnobOutcome::Changed } else { KnobOutcome::Left };
            let reason = (got != after).then(|| "somebody else changed it meanwhile".to_owned());
            Some(KnobChange { before: Some(form.value(old)), after, outcome, reason, ..told })
        }
        Action::Folder { path, .. } | Action::Move { to: path, .. } => {
            let there = root.has(path);
            let outcome = if there { KnobOutcome::Changed } else { KnobOutcome::Absent };
            Some(KnobChange { after: there.then(|| told.wanted.clone()), outcome, ..told })
        }
    }
}
