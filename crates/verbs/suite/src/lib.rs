//! Suites: every benchmark that a project has, two builds, one answer.
//!
//! [`harness`] knows the benchmark harnesses, [`analysis`] judges pairs of processes under one budget of error, [`measure`]
//! runs the processes in turns, and [`findings`] are what comes of it.

pub mod analysis;
pub mod error;
pub mod findings;
pub mod harness;
