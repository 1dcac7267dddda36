//! Errors of revisions, work trees and builds; each says what to do.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::LaunchError;
use fauxplat_variants::VariantError;

/// Why revisions could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// The program `git` is missing.
    #[error("git is not installed, or not in PATH: revisions are read by it")]
    NoGit,
    /// The working directory is in no repository.
    #[error("{} is in no git repository: call this in the repository whose commits are meant", folder.display())]
    NoRepository {
        /// The working directory.
        folder: PathBuf,
    },
    /// The repository belongs to another user, so git does not read it.
    #[error(
        "the repository {} belongs to another user, and git reads it only if you say that you trust it: `git config --global \
         --add safe.directory {}`", folder.display(), folder.display()
    )]
    Owner {
        /// The repository.
        folder: PathBuf,
    },
    /// A word names no revision of the repository.
    #[error("there is no revision `{revision}` in {}{hint}", repository.display())]
    NoRevision {
        /// The word.
        revision: String,
        /// The repository.
        repository: PathBuf,
        /// The probable cause, and the remedy.
        hint: &'static str,
    },
    /// A revision is no commit.
    #[error("`{revision}` names a {kind}, and not a commit: only commits have a work tree that can be built")]
    NoCommit {
        /// The word.
        revision: String,
        /// The kind of object.
        kind: String,
    },
    /// A beginning of a hash that several commits have.
    #[error("`{revision}` is the beginning of several hashes: give more characters of it")]
    Ambiguous {
        /// The word.
        revision: String,
    },
    /// Two commits have no common ancestor.
    #[error("`{a}` and `{b}` have no merge base{hint}")]
    NoMergeBase {
        /// The revision that is named first.
        a: String,
        /// The revision that is named second.
        b: String,
        /// The remedy.
        hint: &'static str,
    },
    /// The good commit does not precede the bad one.
    #[error(
        "`{good}` is no ancestor of `{bad}`{hint}: a search needs a line of commits from the one to the other; `git merge-base \
         {good} {bad}` names a commit that precedes both"
    )]
    NotALine {
        /// The earlier end.
        good: String,
        /// The later end.
        bad: String,
        /// Another possible cause.
        hint: &'static str,
    },
    /// The local changes were asked for where there can be none.
    #[error("WORKTREE means the local changes, and {} is a bare repository, which has none", repository.display())]
    Bare {
        /// The repository.
        repository: PathBuf,
    },
    /// The working directory does not exist in a commit.
    #[error(
        "{commit} has no folder `{folder}`, in which its command would run: call this in a folder that every commit has"
    )]
    NoFolder {
        /// The commit.
        commit: String,
        /// The folder below the repository.
        folder: String,
    },
    /// A call of git failed.
    #[error("git {call}: {said}")]
    Git {
        /// Words of the call.
        call: String,
        /// Last line that git wrote.
        said: String,
    },
    /// The build command failed.
    #[error("{commit} does not build: `{line}` {how}; its output is above")]
    Build {
        /// The commit.
        commit: String,
        /// The build command.
        line: String,
        /// How the command ended.
        how: String,
        /// Output of the build.
        output: String,
    },
    /// The build command succeeded and changed nothing in its work tree.
    #[error(
        "{commit}: the build `{line}` left nothing in its work tree, so what it made lies elsewhere, where the next commit \
         would replace it{hint}"
    )]
    BuiltElsewhere {
        /// The commit.
        commit: String,
        /// The build command.
        line: String,
        /// A variable of the environment that leads builds elsewhere.
        hint: String,
    },
    /// A command names a program outside of its work tree, which is the same whatever commit is measured.
    #[error(
        "`{command}` names {}, a file of your own work tree: write it relative to the folder, so that each commit runs its own",
        program.display()
    )]
    NotOfTheTree {
        /// The command.
        command: String,
        /// The program.
        program: PathBuf,
    },
    /// The user interrupted a build.
    #[error("interrupted while {commit} was built")]
    Interrupted {
        /// The commit.
        commit: String,
    },
    /// A file or folder cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] VariantError),
    /// A command could not be started.
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

/// Adds the path to an error of the file system.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> RevisionError {
    let path = path.into();
    move |source| RevisionError::File { path, source }
}
