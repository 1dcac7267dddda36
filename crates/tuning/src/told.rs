//! Reports about changes that were made, or could not be made.

use std::io;

use fauxplat_model::{KnobChange, KnobOutcome};
use fauxplat_sys::process;

use crate::changes::Action;
use crate::knob::Group;
use crate::plan::Step;
use crate::undo::why;
use crate::{Root, knobs};

/// Returns the outcome of a write that failed with this error.
pub(crate) fn outcome_of(error: &io::Error) -> KnobOutcome {
    match error.kind() {
        io::ErrorKind::NotFound => KnobOutcome::Absent,
        io::ErrorKind::PermissionDenied if error.raw_os_error() == Some(13) => KnobOutcome::Denied,
        _ => KnobOutcome::Refused,
    }
}

/// State of a planned step before it is carried out.
#[derive(Debug)]
pub(crate) enum StepState {
    /// The file already holds the requested value.
    Already(String),
    /// The step cannot be tried: value of the file if it can be read, outcome, and reason.
    Barred(Option<String>, (KnobOutcome, String)),
    /// The step has to be carried out; holds the whole text of the file if the step writes one.
    ToDo(Option<String>),
}

impl StepState {
    /// Determines the state. The value is compared first, since a file that already has the requested value needs no
    /// permission.
    pub(crate) fn of(root: &Root, step: &Step) -> Self {
        let text = match &step.action {
            Action::Write { file, .. } => match root.read(file) {
                Ok(text) => Some(text),
                Err(error) => return StepState::Barred(None, (outcome_of(&error), why(&error))),
            },
            _ => None,
        };
        let value = match (&step.action, &text) {
            (Action::Write { form, .. }, Some(text)) => Some(form.value(text)),
            _ => None,
        };
        match value {
            Some(value) if value == step.action.wanted() => StepState::Already(value),
            value => match barred(root, step) {
                Some(why) => StepState::Barred(value, why),
                None => StepState::ToDo(text),
            },
        }
    }

    /// Returns the report of a step that is not carried out; `None` for a step that is still to be carried out.
    pub(crate) fn told(self, step: &Step) -> Option<KnobChange> {
        match self {
            StepState::Already(value) => {
                Some(value_change(step, value.clone(), Some(value), KnobOutcome::Already, None))
            }
            StepState::Barred(before, why) => Some(KnobChange { before, ..told(step, why) }),
            StepState::ToDo(_) => None,
        }
    }
}

/// Returns outcome and reason for a change that cannot be tried; `None` if it can be tried.
fn barred(root: &Root, step: &Step) -> Option<(KnobOutcome, String)> {
    let needs_root = || Some((KnobOutcome::Denied, "needs root".to_owned()));
    match &step.action {
        Action::Write { file, .. } => {
            let error = root.check_writable(file).err()?;
            Some((outcome_of(&error), why(&error)))
        }
        Action::Folder { .. } | Action::Move { .. } if root.is_real() && !process::is_root() => needs_root(),
        // Recording affinities needs no permission.
        Action::Folder { .. } | Action::Move { .. } | Action::Snapshot(_) => None,
    }
}

/// Returns the first change for which `fails` returns true. An interrupt that the kernel does not move (such as the
/// timer's, or one that the kernel manages by itself) is no failure if another interrupt could be moved, since
/// practically every machine has such an interrupt.
pub fn first_failure(changes: &[KnobChange], fails: impl Fn(&KnobChange) -> bool) -> Option<&KnobChange> {
    let moves = |change: &KnobChange| matches!(change.outcome, KnobOutcome::Changed | KnobOutcome::Clamped);
    let stays = |change: &KnobChange| {
        let is_of_many = knobs::find(&change.knob).is_some_and(|(knob, _)| knob.group == Group::Interrupts);
        is_of_many
            && change.outcome == KnobOutcome::Refused
            && change.before.is_some()
            && change.after == change.before
            && changes.iter().any(|other| other.knob == change.knob && moves(other))
    };
    changes.iter().find(|change| fails(change) && !stays(change))
}

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
