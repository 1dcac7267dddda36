//! `fauxplat why`: from a verdict to a cause.
//!
//! Two programs are compared first, by the judge of every comparison. If they differ, cheap experiments follow, each of
//! which asks one question about the difference: traced runs, counts in a simulator, samples, the start alone, one CPU.
//! Their results are the [`evidence`], from which the [`analysis`] makes an account of the difference and its causes, without
//! asking a machine.

mod amount;
pub mod analysis;
mod args;
mod definition;
pub mod evidence;
pub mod findings;
mod measure;
mod report;
mod verb;

pub use verb::Why;
