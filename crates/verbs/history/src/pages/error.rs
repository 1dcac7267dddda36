//! Errors of making pages.

use std::fs::FileType;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

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
    /// The file of the manifest was not written by fauxplat.
    #[error(
        "{path}: the file is no list of pages by fauxplat, and the folder is left as it is; remove that file if pages may \
         be made there, or name another folder"
    )]
    ForeignList { path: PathBuf },
    /// A file of another kind is in the place of a folder or file, such as a symbolic link, which is never followed.
    #[error(
        "{path}: it is {what} where pages need {needed}, and nothing was written; remove it, or name another folder"
    )]
    Obstacle { path: PathBuf, what: &'static str, needed: &'static str },
    /// The folder cannot be used before anything was written to it.
    #[error(
        "{path}: {reason}; nothing was written there: give this user the right to write there, make room, or name \
         another folder"
    )]
    Folder { path: PathBuf, reason: String },
    #[error(
        "{path}: {reason}; every page is whole, as before or new, and the same call makes the rest once that is \
         mended"
    )]
    File { path: PathBuf, reason: String },
}

impl PagesError {
    pub(super) fn obstacle(path: &Path, found: FileType, needed: &'static str) -> Self {
        let what = match found {
            it if it.is_symlink() => "a symbolic link",
            it if it.is_dir() => "a folder",
            it if it.is_file() => "a regular file",
            it if it.is_fifo() => "a named pipe",
            it if it.is_socket() => "a socket",
            _ => "a device",
        };
        PagesError::Obstacle { path: path.to_owned(), what, needed }
    }

    pub(super) fn folder(path: &Path, error: &io::Error) -> Self {
        PagesError::Folder { path: path.to_owned(), reason: reason(error) }
    }

    pub(super) fn file(path: &Path, error: &io::Error) -> Self {
        PagesError::File { path: path.to_owned(), reason: reason(error) }
    }
}

/// The kernel's reason, without the random names of temporary folders.
fn reason(error: &io::Error) -> String {
    match (error.raw_os_error(), error.kind()) {
        (Some(_), _) | (None, ErrorKind::Other) => error.to_string(),
        (None, kind) => kind.to_string(),
    }
}

impl From<PagesError> for Failure {
    fn from(error: PagesError) -> Self {
        let kind = match error {
            PagesError::NotOurs { .. } | PagesError::ForeignList { .. } | PagesError::Obstacle { .. } => {
                Kind::Usage
            }
            PagesError::Folder { .. } | PagesError::File { .. } => Kind::Machine,
        };
        Failure::new(kind, error)
    }
}
