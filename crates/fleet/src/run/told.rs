//! What is told of a run while it goes on, and what limits it.

use std::time::Duration;

/// What is told while a run goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A node answered, or is given up with the reason.
    Node {
        /// Its name.
        node: String,
        /// Why it gave nothing; absent where it answered.
        trouble: Option<String>,
    },
    /// How many tasks of a round were answered or given up, run, wait, and are there in all.
    Counts(Counts),
    /// The engine does not answer, and is asked again.
    Engine(String),
    /// What was handed over could not be taken back, and may go on.
    NotCancelled(String),
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The round.
    pub round: u32,
    /// Tasks that were answered.
    pub answered: usize,
    /// Tasks that are given up.
    pub given_up: usize,
    /// Tasks that were handed over.
    pub open: usize,
    /// All.
    pub of: usize,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The whole of it.
    pub max_time: Option<Duration>,
    /// A node that runs and does not answer for this long is given up.
    pub patience: Option<Duration>,
}
