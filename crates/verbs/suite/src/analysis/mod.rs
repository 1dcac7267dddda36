//! Judges pairs of processes at any number of looks, with one error level over all benchmarks of a suite.

mod evidence;
mod judge;
mod race;
mod report;
mod stored;
mod together;

pub use judge::{Judge, Rule};
pub use race::chosen;
pub use report::{Named, benchmarks, not_measured};
pub use stored::stored;
pub use together::{Together, group_of};
