//! States of an experiment.

use crate::owner;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The process of the experiment is still writing.
    Running,
    /// The experiment ran to its end.
    Finished,
    /// The user ended the experiment; the samples until then have been analysed.
    Stopped,
    /// The experiment ended with an error, which is among its warnings.
    Failed,
    /// The process ended without finishing the experiment: it was killed, or the machine went down.
    Interrupted,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Finished => "finished",
            State::Stopped => "stopped",
            State::Failed => "failed",
            State::Interrupted => "interrupted",
        }
    }

    /// Returns the state for the stored word and the stored owner: *running* holds only as long as the owner lives.
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
