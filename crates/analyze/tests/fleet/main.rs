//! Tests of the analysis of fleets, with simulated machines.

mod common;
#[path = "../../examples/sim/fleets.rs"]
mod fleets;
mod hidden;
mod programs;
mod suspects;
mod watched;
