//! Earlier measurements: lists and reports of experiments, copies between stores, and series over sessions.
//!
//! [`summing`] makes the points of series from experiments, once for each experiment. [`series`] puts the points
//! together, [`analysis`] finds changes of level and compares the newest session with earlier ones, [`findings`] holds
//! the results, [`report`] shows them, and [`pages`] makes a folder of pages about all series.

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
