//! A violation of a rule of the workspace: place, description and cure.

use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// Path of the file, from the root of the workspace.
    pub(crate) path: PathBuf,
    /// Line number, from 1; `None` if the file as a whole violates the rule.
    line: Option<usize>,
    what: String,
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
