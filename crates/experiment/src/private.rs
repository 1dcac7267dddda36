//! Folders for what is made beside an experiment, below folders in which anybody may make files.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

/// A folder that did not exist, under a name that is drawn, which nobody else may enter whatever the umask: programs that are
/// executed lie in one, and others could put theirs in their place. It is gone when this is dropped.
///
/// # Errors
/// Those of `mkdir(2)`.
pub(crate) fn private_folder(purpose: &str, place: &Path) -> io::Result<TempDir> {
    let prefix = format!("fauxplat-{purpose}-");
    tempfile::Builder::new().prefix(&prefix).permissions(Permissions::from_mode(0o700)).tempdir_in(place)
}
