//! States of an experiment.

use crate::owner;

/// The state of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The process of the experiment is still writing.
    Running,
    /// The experiment came to its end.
    Finished,
    /// The user ended the experiment; the samples until then have been analysed.
    Stopped,
    /// The experiment ended with an error, which its warnings tell.
    Failed,
    /// The process of the experiment is gone without finishing it: it was killed, or the machine went down.
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

    /// The state by its stored word and owner: *running* holds only as long as the owner lives.
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
