//! Errors of a search.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};

/// Why a search could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BisectError {
    /// Another process makes the same search.
    #[error(
        "the same search is under way in another process: wait for it, or take other ends, another command or another metric"
    )]
    Twice,
    /// Something that a search does not do was asked for.
    #[error("bisect {what}")]
    Unfit {
        /// The rest of the sentence.
        what: String,
    },
    /// A file cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
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

/// Adds the path to an error of the file system.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> BisectError {
    let path = path.into();
    move |source| BisectError::File { path, source }
}
