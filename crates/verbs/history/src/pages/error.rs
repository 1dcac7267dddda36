//! Errors of making pages.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};

/// Why pages could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PagesError {
    /// The folder belongs to something else.
    #[error(
        "{folder}: the folder holds {what} and no pages of fauxplat, and is left as it is; name another folder or an empty one"
    )]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// A file in it.
        what: String,
    },
    /// A file of the pages cannot be read or written.
    #[error("{path}: {reason}; the other pages are whole, and the same call goes on")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system call.
        reason: String,
    },
}

impl From<PagesError> for Failure {
    fn from(error: PagesError) -> Self {
        let kind = if matches!(error, PagesError::NotOurs { .. }) { Kind::Usage } else { Kind::Machine };
        Failure::new(kind, error)
    }
}
