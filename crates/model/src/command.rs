//! A command that is ready to be executed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Condition;

/// Name of the parameter in which a record stores the commit of a command (`--commits`).
pub const COMMIT: &str = "commit";

/// A command that is ready to be executed: its line is split into words, its program is located, and its condition is
/// known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Command {
    pub name: String,
    /// The command as the user wrote it, with the values of parameters filled in.
    pub command: String,
    /// Path of the executable that was found for the first word of the command.
    pub program: PathBuf,
    /// SHA-256 of the executable, in hexadecimal; absent when it may be executed but not read.
    pub program_sha256: Option<String>,
    /// The argument vector, argument 0 included.
    pub argv: Vec<String>,
    /// Values of parameters that were filled in, in the order of the definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, String)>,
    /// Argument vector of the command that runs, unmeasured, before each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<Vec<String>>,
    /// Argument vector of the command that runs, unmeasured, after each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclude: Option<Vec<String>>,
    pub condition: Condition,
}

impl Command {
    /// Commit whose work tree the command runs in; `None` unless the command is one of `--commits`.
    pub fn commit(&self) -> Option<&str> {
        self.parameters.iter().find(|(name, _)| name == COMMIT).map(|(_, hash)| hash.as_str())
    }
}
