//! `fauxplat init`: writes the files by which a project measures its changes.
//!
//! The `Wishes` come from options, or from answers at a terminal, with suggestions from the files of
//! the project. The `files` follow from these wishes: benchmarks and defaults in `fauxplat.toml`, and for CI a job
//! with the script that it calls.

mod args;
mod ask;
mod error;
mod files;
mod project;
mod verb;
mod wishes;
mod words;

pub use verb::Init;
