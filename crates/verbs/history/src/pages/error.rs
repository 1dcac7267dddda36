//! Errors of making pages.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};

#[derive(Debug, thiserror::Error)]
pub enum PagesError {
    /// The folder contains files that are no pages of fauxplat.
    #[error(
        "{folder}: the folder holds {what} and no pages of fauxplat, and is left as it is; name another folder or an empty one"
    )]
    NotOurs {
        folder: PathBuf,
        /// Name of a file that is no page.
        what: String,
    },
    #[error("{path}: {reason}; the other pages are whole, and the same call goes on")]
    File { path: PathBuf, reason: String },
}

impl From<PagesError> for Failure {
    fn from(error: PagesError) -> Self {
        let kind = if matches!(error, PagesError::NotOurs { .. }) { Kind::Usage } else { Kind::Machine };
        Failure::new(kind, error)
    }
}
