//! Reports about the progress of a run, and limits of a run.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A node has answered or is given up.
    Node {
        node: String,
        /// Why there is no answer; `None` if the node answered.
        trouble: Option<String>,
    },
    Counts(Counts),
    /// The engine does not answer, and will be tried again.
    Engine(String),
    /// Tasks could not be cancelled, and may continue.
    NotCancelled(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub round: u32,
    pub answered: usize,
    pub given_up: usize,
    /// Number of tasks of the round that were submitted and have not ended.
    pub open: usize,
    /// Total number of tasks of the round.
    pub of: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Time limit of the whole run.
    pub max_time: Option<Duration>,
    /// Time that a running node has for its answer, after which it is given up.
    pub patience: Option<Duration>,
}
