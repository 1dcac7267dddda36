//! What is told of a change that was made, or that could not be.

use std::io;

use fauxplat_model::{KnobChange, KnobOutcome};
use fauxplat_sys::process;

use crate::Root;
use crate::changes::Action;
use crate::plan::Step;
use crate::undo::why;

/// What a failed write says about itself.
pub(crate) fn outcome_of(error: &io::Error) -> KnobOutcome {
    match error.kind() {
        io::ErrorKind::NotFound => KnobOutcome::Absent,
        io::ErrorKind::PermissionDenied if error.raw_os_error() == Some(13) => KnobOutcome::Denied,
        _ => KnobOutcome::Refused,
    }
}

/// Why a change cannot even be tried.
pub(crate) fn barred(root: &Root, step: &Step) -> Option<(KnobOutcome, String)> {
    let needs_root = || Some((KnobOutcome::Denied, "needs root".to_owned()));
    match &step.action {
        Action::Write { file, .. } => {
            let error = root.check_writable(file).err()?;
            Some((outcome_of(&error), why(&error)))
        }
        Action::Folder { .. } | Action::Move { .. } if root.is_real() && !process::is_root() => needs_root(),
        Action::Snapshot(_) if root.is_real() && !process::is_root() => needs_root(),
        _ => None,
    }
}

/// A change that was not made.
pub(crate) fn told(step: &Step, (outcome, reason): (KnobOutcome, String)) -> KnobChange {
    KnobChange {
        knob: step.knob.clone(),
        target: step.action.target(),
        wanted: step.action.wanted(),
        outcome,
        reason: Some(reason),
        ..KnobChange::default()
    }
}

pub(crate) fn made(step: &Step, done: io::Result<()>) -> KnobChange {
    match done {
        Ok(()) => KnobChange {
            after: Some(step.action.wanted()),
            reason: None,
            ..told(step, (KnobOutcome::Changed, String::new()))
        },
        Err(error) => told(step, (outcome_of(&error), why(&error))),
    }
}

pub(crate) fn value_change(
    step: &Step,
    before: String,
    after: Option<String>,
    outcome: KnobOutcome,
    reason: Option<String>,
) -> KnobChange {
    KnobChange { before: Some(before), after, reason, ..told(step, (outcome, String::new())) }
}
