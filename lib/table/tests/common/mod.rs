//! A file in memory for each test, removed with it.

use std::path::{Path, PathBuf};

/// Path of a file in memory that no other test uses.
pub(crate) struct UniqueName(PathBuf);

impl UniqueName {
    /// Returns a path at which no file exists.
    pub(crate) fn new(name: &str) -> Self {
        let path = PathBuf::from(format!("/dev/shm/fauxplat-table-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for UniqueName {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
