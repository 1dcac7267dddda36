//! Sweeps: turns a factor into the commands of its levels.

mod builds;
mod levels;
mod offer;

pub use levels::{Prepared, prepare};
