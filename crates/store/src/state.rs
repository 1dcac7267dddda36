//! How experiments stand.

use crate::owner;

/// How an experiment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its process is still writing.
    Running,
    /// It came to its end.
    Finished,
    /// The user ended it; what was measured until then has been analysed.
    Stopped,
    /// It ended with an error that its warnings tell.
    Failed,
    /// Its process is gone, and nobody ended it: it was killed, or the machine went down.
    Interrupted,
}

impl State {
    /// The word for lists and documents.
    pub fn name(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Finished => "finished",
            State::Stopped => "stopped",
            State::Failed => "failed",
            State::Interrupted => "interrupted",
        }
    }

    /// What a stored word means now: *running* holds only as long as the owner lives.
    pub(crate) fn read(word: &str, owner: &str) -> State {
        match word {
            "finished" => State::Finished,
            "stopped" => State::Stopped,
            "failed" => State::Failed,
            "running" if owner::is_alive(owner) => State::Running,
            _ => State::Interrupted,
        }
    }
}
