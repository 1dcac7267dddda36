//! Judgements of simulated fleets.

mod common;
#[path = "../../examples/sim/fleets.rs"]
mod fleets;
mod hidden;
mod programs;
mod suspects;
mod watched;
