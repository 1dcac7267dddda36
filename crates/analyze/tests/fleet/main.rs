//! Fleets that do not exist, judged.

mod common;
#[path = "../../examples/sim/fleets.rs"]
mod fleets;
mod hidden;
mod programs;
mod suspects;
mod watched;
