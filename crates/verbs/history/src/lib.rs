//! Earlier measurements: lists and reports of experiments, what carries them between stores, and series over sessions.
//!
//! [`summing`] makes points of series from experiments, once for each; [`series`] puts them together, [`analysis`] finds
//! where levels change and holds the newest session against its past, [`findings`] are what comes of it, [`report`] shows
//! them, and [`pages`] makes a folder of pages from all of it.

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
