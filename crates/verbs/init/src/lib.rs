//! `fauxplat init`: from a project without measurements to one whose changes are measured.
//!
//! The [`Wishes`](wishes::Wishes) come from options, or from answers at a terminal with what the folder's files suggest.
//! The [`files`] follow from them: benchmarks and defaults in `fauxplat.toml`, and for CI a job with the script that it calls.

mod args;
mod ask;
mod error;
mod files;
mod project;
mod verb;
mod wishes;
mod words;

pub use verb::Init;
