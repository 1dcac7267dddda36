//! Whole experiments on simulated machines: findings, store and events, from the beginning to the report, without a
//! process.

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
