//! The rules of the house that neither the compiler nor clippy knows.

mod layers;
mod sources;

use std::fmt;
use std::path::PathBuf;

use crate::cargo;
use crate::error::ChoreError;

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// Where, from the root of the workspace.
    path: PathBuf,
    /// Which line, from 1.
    line: Option<usize>,
    /// What is wrong.
    what: String,
    /// What to do.
    cure: String,
}

impl Violation {
    pub(crate) fn new(
        path: impl Into<PathBuf>,
        line: Option<usize>,
        what: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Violation { path: path.into(), line, what: what.into(), cure: cure.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}; {}", self.what, self.cure)
    }
}

/// Checks the whole workspace.
pub(crate) fn check_workspace() -> Result<(), ChoreError> {
    let mut violations = layers::check(&cargo::metadata()?)?;
    violations.extend(sources::check(&cargo::root())?);
    violations.sort();
    if violations.is_empty() { Ok(()) } else { Err(ChoreError::Untidy(violations)) }
}
