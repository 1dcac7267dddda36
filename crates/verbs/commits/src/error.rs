//! Errors of a search for a commit.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};

#[derive(Debug, thiserror::Error)]
pub enum BisectError {
    #[error(
        "the same search is under way in another process: wait for it, or take other ends, another command or another metric"
    )]
    Twice,
    /// The user asked for something that `bisect` does not support.
    #[error("bisect {what}")]
    Unfit {
        /// The rest of the message, after the word `bisect`.
        what: String,
    },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
}

impl From<BisectError> for Failure {
    fn from(error: BisectError) -> Self {
        let kind = match error {
            BisectError::Unfit { .. } => Kind::Usage,
            BisectError::Twice | BisectError::File { .. } => Kind::Machine,
        };
        Failure::new(kind, error)
    }
}

pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> BisectError {
    let path = path.into();
    move |source| BisectError::File { path, source }
}
