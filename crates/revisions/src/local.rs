//! Local changes as a tree of git, written beside the repository and not into it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::RevisionError;
use crate::error::at;
use crate::git::Git;

/// The tree of the local changes.
pub(crate) struct LocalTree {
    /// Hash of the tree.
    pub(crate) tree: String,
    /// Folder of the objects that the repository does not have.
    pub(crate) objects: PathBuf,
}

/// Writes everything in the user's work tree that git does not ignore as a tree. The index and the objects are files of
/// their own below `place`: the user's index is neither read nor locked.
pub(crate) fn write(git: &Git, top: &Path, common: &Path, place: &Path) -> Result<LocalTree, RevisionError> {
    let (objects, index) = (place.join("objects"), place.join("index"));
    fs::create_dir_all(&objects).map_err(at(&objects))?;
    let git = git
        .at(top)
        .with("GIT_INDEX_FILE", &index)
        .with("GIT_OBJECT_DIRECTORY", &objects)
        .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", &common.join("objects"));
    git.ask(&["read-tree", "HEAD"])?;
    git.ask(&["add", "--all", "--", "."])?;
    Ok(LocalTree { tree: git.ask(&["write-tree"])?, objects })
}
