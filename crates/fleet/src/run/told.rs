//! Progress reports of a run, and its limits.

use std::time::Duration;

/// A progress report of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A node has answered, or is given up for this reason.
    Node {
        /// Name of the node.
        node: String,
        /// Why there is no answer; `None` if the node answered.
        trouble: Option<String>,
    },
    /// Numbers of tasks of a round.
    Counts(Counts),
    /// The engine does not answer, and will be tried again.
    Engine(String),
    /// Tasks could not be cancelled, and may go on.
    NotCancelled(String),
}

/// Progress of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of the round.
    pub round: u32,
    /// Number of tasks that were answered.
    pub answered: usize,
    /// Number of tasks that were given up.
    pub given_up: usize,
    /// Number of tasks that were handed over and are open.
    pub open: usize,
    /// Total number of tasks.
    pub of: usize,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Time limit of the whole run.
    pub max_time: Option<Duration>,
    /// Time without an answer after which a running node is given up.
    pub patience: Option<Duration>,
}
