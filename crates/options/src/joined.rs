//! Verbs that are crates of their own: they join the command line before it is read.

use std::sync::OnceLock;

use clap::Command;

/// A question of the overview, to which verbs belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Verbs about whether something is faster.
    Faster,
    /// Verbs about what moved a figure.
    Moved,
    /// Verbs about the machine.
    Machine,
    /// Verbs about results.
    Results,
}

impl Group {
    /// The heading of the group.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Group::Faster => "Is it faster?",
            Group::Moved => "What moved it?",
            Group::Machine => "The machine:",
            Group::Results => "Results:",
        }
    }
}

/// A verb of a crate of its own, as the command line knows it.
pub struct JoinedVerb {
    /// The question to which the verb belongs in the overview.
    pub group: Group,
    /// Whether the verb measures commands, with the options about them that other tools spell differently.
    pub takes_commands: bool,
    /// The name, the question, the options, examples and exit codes.
    pub command: Box<dyn Fn() -> Command + Send + Sync>,
}

static JOINED: OnceLock<Vec<JoinedVerb>> = OnceLock::new();

/// Adds verbs to the command line, once, before it is read. A later call changes nothing.
pub fn join(verbs: Vec<JoinedVerb>) {
    let _joined_already = JOINED.set(verbs);
}

/// The verbs that have joined.
pub(crate) fn joined() -> &'static [JoinedVerb] {
    JOINED.get().map_or(&[], Vec::as_slice)
}
