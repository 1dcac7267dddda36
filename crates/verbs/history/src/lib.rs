//! Earlier measurements: lists and reports of experiments, copies between stores, and series over sessions.
//!
//! [`summing`] computes the points of series from experiments, once for each experiment. [`series`] combines points
//! into series, [`analysis`] finds changes of level and compares the newest session with earlier ones, [`findings`]
//! holds the results, `report` shows them, and [`pages`] writes a folder of web pages about all series.

pub mod analysis;
pub mod args;
mod exchange;
pub mod findings;
pub mod found;
pub mod pages;
mod report;
pub mod series;
mod shown;
pub mod summing;
mod verb;

pub use verb::History;
