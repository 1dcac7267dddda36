//! Sweeps: turns a factor into the commands that are visited.

mod builds;
mod levels;
mod offer;

pub use levels::{Prepared, prepare};
