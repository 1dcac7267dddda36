//! Local changes as a git tree, whose objects are stored outside of the user's repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::RevisionError;
use crate::error::at;
use crate::git::Git;

pub(crate) struct LocalTree {
    pub(crate) tree: String,
    /// Folder with the objects of the tree that the user's repository lacks.
    pub(crate) objects: PathBuf,
}

/// Writes a git tree of all files in the user's work tree that git does not ignore. Index and objects are new files
/// below `place`; the user's index is neither read nor locked.
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
