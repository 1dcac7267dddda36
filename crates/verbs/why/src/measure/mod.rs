//! The plan: the comparison, and after it the experiments that ask for its cause, the cheapest first, within the time.

mod addresses;
mod aside;
mod copies;
mod files;
mod follower;
mod held;
mod instructions;
mod kinds;
mod plan;
mod sampled;
mod simulated;
mod start;
mod timed;
mod traced;

pub(crate) use plan::{Measured, NO_CAUSE, measure};
