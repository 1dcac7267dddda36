//! `fauxplat why`: looks for the causes of a difference between two programs.
//!
//! The two programs are first compared in the usual way. If they differ, cheap experiments follow, each of which
//! answers one question about the difference: traced runs, counts in a simulator, samples, the start alone, runs on one
//! CPU. Their results are the [`evidence`], from which the [`analysis`] computes the account of the difference and its
//! causes, without any further measurement.

mod amount;
pub mod analysis;
mod args;
mod definition;
pub mod evidence;
pub mod findings;
mod measure;
pub mod question;
mod report;
mod verb;

pub use verb::Why;
