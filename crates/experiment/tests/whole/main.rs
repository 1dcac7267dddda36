//! Whole experiments on machines that exist as descriptions: what is found, stored and told, from the beginning to the
//! report, without a process.

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
