//! The state of the repository around a folder, for the record of a measurement. No function here returns an error,
//! since a measurement outside of a repository is valid too.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_model::{Checkout, Outcome};
use fauxplat_sys::files::read_bounded;

use crate::git::Git;
use crate::remote;

/// Time limit for each of two calls of git. Git takes longer for a tree of a million files, for which a measurement
/// must not wait: local changes and the time of the commit are then unknown.
const PATIENCE: Duration = Duration::from_secs(2);

/// Largest file of git that is read, in bytes: a list of a hundred thousand packed references.
const BYTES_MAX: u64 = 16 << 20;

/// Longest chain of symbolic references that is followed.
const LINKS_MAX: usize = 5;

/// The state of the repository around a folder; `None` outside of a repository, and before its first commit.
///
/// Commit, branch and remote are read from git's files, so that they are known where git is not installed or refuses the
/// repository of another user. Local changes and the time of the commit are read by calling git, with a time limit.
pub fn checkout(folder: &Path) -> Option<Checkout> {
    let (top, own) = around(&fs::canonicalize(folder).ok()?)?;
    let shared = text(&own.join("commondir")).map_or_else(|| own.clone(), |path| own.join(path.trim()));
    let head = text(&own.join("HEAD"))?;
    let branch = head.strip_prefix("ref: ").map(|name| name.trim().to_owned());
    let commit = match &branch {
        Some(name) => followed(&[&own, &shared], name)?,
        None => hash(&head)?,
    };
    let git = Git::in_folder(&top).ok();
    let ask = |words: &[&str]| git.as_ref().and_then(|git| asked(git, words));
    let changes = ask(&["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"]);
    let committed = ask(&["log", "-1", "--no-show-signature", "--format=%ct", &commit]);
    // Work trees of `git worktree` share the folder of git, and so the name.
    let shared = fs::canonicalize(&shared).unwrap_or(shared);
    let config = text(&shared.join("config")).unwrap_or_default();
    Some(Checkout {
        commit,
        branch: branch.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned()),
        dirty: changes.map(|changes| !changes.trim().is_empty()),
        committed_s: committed.and_then(|seconds| seconds.trim().parse().ok()),
        repository: remote::by_config(&config).or_else(|| remote::by_folder(&shared)),
        top: top.to_str().map(str::to_owned),
    })
}

/// The top of the work tree around a folder, and its git folder. In work trees of `git worktree` and in submodules,
/// `.git` is a file with the path of that folder.
fn around(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    folder.ancestors().find_map(|top| {
        let place = top.join(".git");
        let facts = fs::metadata(&place).ok()?;
        let own = match facts.is_dir() {
            true => place,
            false => top.join(text(&place)?.strip_prefix("gitdir: ")?.trim()),
        };
        own.join("HEAD").is_file().then(|| (top.to_owned(), own))
    })
}

/// The commit to which a git reference leads. Each reference is looked up in its own file first, then in git's list of
/// packed references.
fn followed(folders: &[&PathBuf], name: &str) -> Option<String> {
    let mut name = name.to_owned();
    for _ in 0..LINKS_MAX {
        if name.split('/').any(|part| part == "..") || name.starts_with('/') {
            return None;
        }
        match folders.iter().find_map(|folder| text(&folder.join(&name))) {
            Some(found) => match found.strip_prefix("ref: ") {
                Some(next) => name = next.trim().to_owned(),
                None => return hash(&found),
            },
            None => {
                let packed = folders.iter().find_map(|folder| text(&folder.join("packed-refs")))?;
                let of =
                    |line: &str| line.split_once(' ').filter(|(_, of)| *of == name).and_then(|it| hash(it.0));
                return packed.lines().find_map(of);
            }
        }
    }
    None
}

/// Returns the text, without white space around it, if it is a complete commit hash, SHA-1 or SHA-256.
fn hash(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

fn text(path: &Path) -> Option<String> {
    String::from_utf8(read_bounded(path, BYTES_MAX).ok()?).ok()
}

fn asked(git: &Git, words: &[&str]) -> Option<String> {
    let done = git.clone().within(PATIENCE).call(words).ok()?;
    (done.outcome == Outcome::Exited(0)).then(|| done.output.text().into_owned())
}
