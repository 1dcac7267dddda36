//! Suites: all benchmarks of two builds, compared with one error level.
//!
//! [`harness`] knows the benchmark harnesses, [`file`] reads benchmarks that are plain commands, [`measure`] runs the
//! processes in turns, [`analysis`] judges the pairs, [`findings`] are the result, and [`report`] shows them.

pub mod analysis;
pub mod args;
mod carried;
pub mod definition;
pub mod error;
pub mod file;
pub mod findings;
pub mod harness;
mod intervals;
pub mod measure;
pub mod report;
mod verb;

pub use verb::Suite;
