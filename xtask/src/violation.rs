//! What breaks a rule: where, what, and what to do.

use std::fmt;
use std::path::PathBuf;

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// Where, from the root of the workspace.
    pub(crate) path: PathBuf,
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
