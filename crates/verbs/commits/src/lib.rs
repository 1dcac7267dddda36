//! Revisions of a repository, measured beside each other: work trees of their own, builds that are kept, and the search
//! for the commit that changed a program's time.
//!
//! The user's repository is only read. A work tree is a repository of its own that borrows the objects of the user's
//! (`tree.rs`), so that no checkout, stash, lock or entry of `git worktree` can be left behind in the user's.

mod build;
mod cache;
mod error;
mod git;
mod local;
mod repository;
mod snapshot;
mod tree;
mod words;
mod workshop;

pub use build::Build;
pub use error::CommitsError;
pub use repository::{Repository, Revision, WORKTREE};
pub use workshop::{Tree, Workshop};
