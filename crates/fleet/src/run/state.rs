//! A task of a run with its progress and results.

use fauxplat_model::{Delivery, DeliveryState};

use crate::engine::{Task, TaskState};
use crate::record::Entry;
use crate::wire::Assembly;

#[derive(Debug)]
pub(super) struct State {
    pub(super) task: Task,
    pub(super) status: Status,
    /// Time of the submission in nanoseconds of UTC, by which the clock of the node is checked.
    pub(super) handed_utc_ns: i64,
    /// Monotonic time in nanoseconds from which on the time limit of the node runs.
    pub(super) handed_ns: u64,
    pub(super) assembly: Assembly,
    /// Last printed line that is no part of an answer.
    pub(super) said: Option<String>,
    /// Monotonic time in nanoseconds at which the task was found to have ended; `None` while it has not. Its files may
    /// become visible only later.
    pub(super) over_since_ns: Option<u64>,
    /// Whether a problem that does not prevent the answer was recorded: an answer for another task, or a second answer.
    pub(super) is_told_twice: bool,
    /// Whether the task was submitted again after the engine had lost it.
    pub(super) is_retried: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Waiting,
    /// Submitted, under this handle of the engine.
    Open(String),
    Answered,
    GivenUp,
}

impl State {
    /// Returns whether the task has printed anything. The file with its output appears complete, so a task that has
    /// printed will print nothing more.
    pub(super) fn has_spoken(&self) -> bool {
        self.said.is_some() || self.is_told_twice || self.assembly.counts().0 > 0
    }

    pub(super) fn new(task: Task) -> Self {
        State {
            task,
            status: Status::Waiting,
            handed_utc_ns: 0,
            handed_ns: 0,
            assembly: Assembly::default(),
            said: None,
            over_since_ns: None,
            is_told_twice: false,
            is_retried: false,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.status, Status::Answered | Status::GivenUp)
    }

    pub(super) fn delivery(&self, state: DeliveryState, reason: Option<String>) -> Delivery {
        let Task { node, round, attempt, .. } = &self.task;
        Delivery { node: node.clone(), round: *round, attempt: *attempt, state, reason }
    }
}

/// Returns the state and reason of the failed delivery of a task that has ended without a complete answer.
pub(super) fn nothing_came(state: &State, standing: &TaskState) -> (DeliveryState, Option<String>) {
    let (garbage, missing) = (DeliveryState::Garbage, DeliveryState::Missing);
    match (state.assembly.counts(), &state.said, standing) {
        ((have, of), _, _) if have > 0 => (garbage, Some(format!("{have} of {of} parts of its answer came"))),
        (_, Some(said), _) => (garbage, Some(format!("the machine said {said:?}"))),
        (_, None, TaskState::Unknown) => (missing, Some("the engine no longer knows its task".to_owned())),
        (_, None, _) => (missing, None),
    }
}

/// Applies an entry of the journal to the tasks, in order to restore their states.
pub(super) fn replay(states: &mut Vec<State>, entry: Entry) {
    match entry {
        Entry::Task(task) if task.number as usize == states.len() => states.push(State::new(task)),
        Entry::Task(_) => {}
        Entry::Handed { task, handle, at_utc_ns } => {
            if let Some(state) = states.get_mut(task as usize) {
                state.status = Status::Open(handle);
                state.handed_utc_ns = at_utc_ns;
            }
        }
        Entry::Answer { task, .. } => {
            if let Some(state) = states.get_mut(task as usize) {
                state.status = Status::Answered;
            }
        }
        Entry::Trouble { task, is_last, delivery } => {
            if let Some(state) = states.get_mut(task as usize) {
                // Trouble with the cancellation of a task is recorded in the same way, but does not mean that the task
                // has printed anything.
                state.is_told_twice |=
                    matches!(delivery.state, DeliveryState::ForAnother | DeliveryState::Twice);
                if is_last {
                    state.status = Status::GivenUp;
                }
            }
        }
        Entry::Again(_) => {}
    }
}
