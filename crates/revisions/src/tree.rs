//! A work tree of fauxplat: a repository that borrows the objects of the user's repository.
//!
//! The alternatives have faults: `git checkout` and `git stash` change the user's work tree, `git worktree add` leaves
//! an entry in the user's repository when fauxplat is killed, `git archive` obeys attributes that leave files out, and
//! `git clone --shared` refuses shallow clones and runs a server in the user's repository. A repository with the user's
//! objects as alternates only reads the user's repository, and a build that asks git for a version gets a correct
//! answer.

use std::fs;
use std::path::Path;

use crate::error::at;
use crate::git::Git;
use crate::{Repository, Revision, RevisionError};

/// Settings of the user's repository that influence how git writes the files of a work tree.
const SETTINGS: [&str; 4] = ["core.autocrlf", "core.eol", "core.symlinks", "core.safecrlf"];

/// Makes the work tree of a revision in an existing folder.
///
/// # Errors
/// Fails if git fails or a file cannot be written.
pub(crate) fn make(repository: &Repository, revision: &Revision, folder: &Path) -> Result<(), RevisionError> {
    let own = folder.join(".git");
    let git = Git::in_folder(folder)?
        .with("GIT_DIR", &own)
        .with("GIT_WORK_TREE", folder)
        .with("GIT_OBJECT_DIRECTORY", &own.join("objects"))
        .with("GIT_INDEX_FILE", &own.join("index"));
    let format = repository.git().ask(&["rev-parse", "--show-object-format"])?;
    git.ask(&["init", "--quiet", "--template=", &format!("--object-format={format}")])?;
    borrow(repository, revision, &own)?;
    for setting in SETTINGS {
        if let Some(value) = repository.git().try_ask(&["config", "--get", setting])? {
            git.ask(&["config", setting, &value])?;
        }
    }
    let tags = repository.git().ask(&["for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"])?;
    // Git rejects an empty line in `packed-refs`.
    if !tags.is_empty() {
        write(&own.join("packed-refs"), &format!("{tags}\n"))?;
    }
    write(&own.join("HEAD"), &format!("{}\n", revision.commit))?;
    git.ask(&["read-tree", &revision.tree])?;
    git.ask(&["checkout-index", "--all", "--force", "--index"])?;
    Ok(())
}

/// Makes the user's objects available in the new repository, and copies the files that describe shallow history and
/// attributes.
fn borrow(repository: &Repository, revision: &Revision, own: &Path) -> Result<(), RevisionError> {
    let common = repository.common();
    let alternates = own.join("objects/info");
    fs::create_dir_all(&alternates).map_err(at(&alternates))?;
    write(&alternates.join("alternates"), &format!("{}\n", common.join("objects").display()))?;
    for name in ["shallow", "info/attributes"] {
        let (from, to) = (common.join(name), own.join(name));
        if from.exists() {
            to.parent().map_or(Ok(()), fs::create_dir_all).map_err(at(&to))?;
            fs::copy(&from, &to).map_err(at(from))?;
        }
    }
    // The objects of local changes are copied, since their folder may be removed before the work tree.
    revision.own_objects.as_deref().map_or(Ok(()), |objects| copy_objects(objects, &own.join("objects")))
}

/// Copies loose objects, which lie in subfolders named by two characters.
fn copy_objects(from: &Path, to: &Path) -> Result<(), RevisionError> {
    for folder in fs::read_dir(from).map_err(at(from))?.flatten() {
        let place = to.join(folder.file_name());
        fs::create_dir_all(&place).map_err(at(&place))?;
        for object in fs::read_dir(folder.path()).map_err(at(folder.path()))?.flatten() {
            let copy = place.join(object.file_name());
            fs::copy(object.path(), &copy).map_err(at(copy))?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), RevisionError> {
    fs::write(path, text).map_err(at(path))
}
