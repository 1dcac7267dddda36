//! `fauxplat topo`: the parts of a machine, and CPUs by their relation to each other.
//!
//! `fauxplat-topology` reads a machine and evaluates relations. This crate has the options, the findings, their JSON
//! document and the report.

mod args;
mod error;
mod findings;
mod json;
mod report;
mod verb;

pub use findings::{Pick, TopoFindings};
pub use report::TopoReport;
pub use verb::Topo;
