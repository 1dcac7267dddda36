//! The plan: the comparison, and after it, within the time limit, the experiments that look for causes, the cheapest
//! first.

mod addresses;
mod aside;
mod copies;
mod files;
mod follower;
mod held;
mod instructions;
mod kinds;
mod overlap;
mod plan;
mod sampled;
mod simulated;
mod since;
mod start;
mod timed;
mod traced;

pub(crate) use plan::{INTERRUPTED, Measured, NO_CAUSE, measure, until_failure};
pub(crate) use since::{Session, since};
