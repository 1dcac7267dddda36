//! Revisions of a repository: work trees of their own, and builds that are cached.
//!
//! The user's repository is only read. Each work tree is a repository of its own that borrows the objects of the user's
//! repository (`tree.rs`), so that no checkout, stash, lock or entry of `git worktree` can be left behind in the user's
//! repository.

mod build;
mod cache;
mod changes;
mod checkout;
mod commands;
mod compared;
mod error;
mod git;
mod local;
mod remote;
mod repository;
mod snapshot;
mod tree;
mod words;
mod workshop;

pub use build::Build;
pub use changes::Changes;
pub use checkout::checkout;
pub use commands::{alike, commands_in, placed_in};
pub use compared::Compared;
pub use error::RevisionError;
pub use repository::{LineCommit, Repository, Revision, WORKTREE};
pub use workshop::{Tree, Workshop};
