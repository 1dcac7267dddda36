//! Suites: all benchmarks of two builds, compared with one error level.
//!
//! [`harness`] calls benchmark programs and parses their output, [`mod@file`] reads benchmarks that are plain commands,
//! [`measure`] runs the processes of A and B in turns, [`analysis`] judges pairs of readings, [`findings`] holds the
//! results, and [`report`] shows them.

pub mod analysis;
pub mod args;
mod carried;
pub mod definition;
pub mod error;
pub mod file;
pub mod findings;
pub mod harness;
mod intervals;
mod lost;
pub mod measure;
mod names;
mod one_sided;
mod open;
pub mod processes;
pub mod report;
mod verb;

pub use verb::Suite;
