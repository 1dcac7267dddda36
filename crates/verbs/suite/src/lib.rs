//! Suites: every benchmark that a project has, two builds, one answer.
//!
//! [`harness`] knows the benchmark harnesses, [`file`] reads benchmarks that are plain commands, [`measure`] runs their processes in turns, [`analysis`] judges the pairs under
//! one budget of error, [`findings`] are what comes of it, and [`report`] shows them.

pub mod analysis;
pub mod args;
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
