//! Errors of revisions, work trees and builds; most messages name the remedy.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::LaunchError;
use fauxplat_variants::VariantError;

#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    #[error("git is not installed, or not in PATH: revisions are read by it")]
    NoGit,
    #[error("{} is in no git repository: call this in the repository whose commits are meant", folder.display())]
    NoRepository { folder: PathBuf },
    #[error(
        "the repository {} belongs to another user, and git reads it only if you say that you trust it: `git config --global \
         --add safe.directory {}`", folder.display(), folder.display()
    )]
    Owner { folder: PathBuf },
    #[error("there is no revision `{revision}` in {}{hint}", repository.display())]
    NoRevision {
        revision: String,
        repository: PathBuf,
        /// The probable cause, and the remedy.
        hint: &'static str,
    },
    #[error("`{revision}` names a {kind}, and not a commit: only commits have a work tree that can be built")]
    NoCommit {
        revision: String,
        /// Type of the object, such as `tree`.
        kind: String,
    },
    /// The word is an abbreviated hash that fits several commits.
    #[error("`{revision}` is the beginning of several hashes: give more characters of it")]
    Ambiguous { revision: String },
    #[error("`{a}` and `{b}` have no merge base{hint}")]
    NoMergeBase { a: String, b: String, hint: &'static str },
    #[error(
        "`{good}` is no ancestor of `{bad}`{hint}: a search needs a line of commits from the one to the other; `git merge-base \
         {good} {bad}` names a commit that precedes both"
    )]
    NotALine {
        /// The earlier end of the line of commits.
        good: String,
        /// The later end of the line of commits.
        bad: String,
        /// Another possible cause, such as a shallow clone; may be empty.
        hint: &'static str,
    },
    #[error(
        "there are {commits} commits from `{good}` to `{bad}`, and at most {most} are searched: name a nearer --good, or take \
         --first-parent, which counts a merge as one commit"
    )]
    TooMany {
        good: String,
        bad: String,
        /// Number of the commits between the ends.
        commits: usize,
        /// Maximum number of commits of a search.
        most: usize,
    },
    #[error("WORKTREE means the local changes, and {} is a bare repository, which has none", repository.display())]
    Bare { repository: PathBuf },
    #[error(
        "{commit} has no folder `{folder}`, in which its command would run: call this in a folder that every commit has"
    )]
    NoFolder {
        commit: String,
        /// Path of the folder relative to the top of the repository.
        folder: String,
    },
    #[error("git {call}: {said}")]
    Git {
        /// Arguments of the call of git.
        call: String,
        /// Last line that git wrote.
        said: String,
    },
    #[error("{commit} does not build: `{line}` {how}; its output is above")]
    Build { commit: String, line: String, how: String, output: String },
    /// The build command succeeded, changed nothing in its work tree, and a variable of the environment directs its
    /// output elsewhere.
    #[error(
        "{commit}: the build `{line}` left nothing in its work tree, so what it made lies elsewhere, where the next commit \
         would replace it{hint}"
    )]
    BuiltElsewhere {
        commit: String,
        line: String,
        /// Advice to unset the variable that directs the output elsewhere.
        hint: String,
    },
    /// A command names a program outside of its work tree, so that every commit would run the same program.
    #[error(
        "`{command}` names {}, a file of your own work tree: write it relative to the folder, so that each commit runs its own",
        program.display()
    )]
    NotOfTheTree { command: String, program: PathBuf },
    #[error("interrupted while {commit} was built")]
    Interrupted { commit: String },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Cache(#[from] VariantError),
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl From<RevisionError> for Failure {
    fn from(error: RevisionError) -> Self {
        let kind = match error {
            RevisionError::Cache(error) => return error.into(),
            RevisionError::Launch(error) => return error.into(),
            RevisionError::Build { .. } => Kind::Command,
            RevisionError::Interrupted { .. } => Kind::Interrupted,
            RevisionError::NoGit
            | RevisionError::Owner { .. }
            | RevisionError::Git { .. }
            | RevisionError::File { .. } => Kind::Machine,
            _ => Kind::Usage,
        };
        let output = match &error {
            RevisionError::Build { output, .. } => output.clone(),
            _ => String::new(),
        };
        Failure::new(kind, error).quoting(&output)
    }
}

pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> RevisionError {
    let path = path.into();
    move |source| RevisionError::File { path, source }
}
