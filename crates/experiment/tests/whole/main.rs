//! Whole experiments on simulated machines, from the beginning to the report: findings, store and events. No test
//! starts a process.

mod calibration;
mod comparison;
mod endings;
mod explanation;
mod extremes;
mod held;
mod runs;
mod sessions;
mod support;
mod sweeping;
mod trouble;
