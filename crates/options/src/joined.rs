//! Verbs from other crates, which join the command line before it is parsed.

use std::sync::OnceLock;

use clap::Command;

/// A group of verbs in the overview, under the question that they answer.
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

/// A verb from another crate.
pub struct JoinedVerb {
    /// The group under which the overview lists the verb.
    pub group: Group,
    /// Whether the verb measures commands and has the options about commands, for which the options of other tools are
    /// recognised.
    pub takes_commands: bool,
    /// Options of other tools that the verb does not have, with advice: lines of the form of `foreign.txt`.
    pub foreign: &'static str,
    /// Returns the verb's definition: name, question, options, examples and exit codes.
    pub command: Box<dyn Fn() -> Command + Send + Sync>,
}

static JOINED: OnceLock<Vec<JoinedVerb>> = OnceLock::new();

/// Adds verbs to the command line. Has to be called once, before parsing; later calls have no effect.
pub fn join(verbs: Vec<JoinedVerb>) {
    let _joined_already = JOINED.set(verbs);
}

pub(crate) fn joined() -> &'static [JoinedVerb] {
    JOINED.get().map_or(&[], Vec::as_slice)
}
