//! Judges pairs of processes: one budget of error over all benchmarks of a suite, at every look.

mod judge;
mod report;
mod stored;
mod together;

pub use judge::{Judge, Rule, Side};
pub use report::{Named, benchmarks};
pub use stored::stored;
pub use together::{Mean, common, geometric_mean, group_of, groups};
