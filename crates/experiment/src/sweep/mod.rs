//! From a factor to commands: what a sweep visits.

mod builds;
mod levels;
mod offer;

pub use levels::{Prepared, prepare};
