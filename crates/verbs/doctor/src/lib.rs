//! `fauxplat doctor`: which settings and activities of this machine will spoil a measurement, and what helps.
//!
//! `fauxplat-hazards` knows the hazards and examines a machine. This crate has the options, the gate, the document and
//! the report.

mod args;
mod document;
mod error;
mod gate;
mod report;
mod verb;

pub use document::Document;
pub use report::DoctorReport;
pub use verb::Doctor;
