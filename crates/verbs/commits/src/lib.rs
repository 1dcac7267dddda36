//! The search for the commit that changed a program: `fauxplat bisect`.
//!
//! The search itself (`search.rs`, `decision.rs`, `hunt.rs`) does not depend on a machine: a [`hunt::Laboratory`]
//! compares commits on this machine (`laboratory.rs`) or on a simulated one (`examples/simulated.rs`).

pub mod decision;
mod error;
pub mod findings;
pub mod hunt;
mod laboratory;
mod options;
mod report;
pub mod search;
pub mod state;
mod verb;

pub use error::BisectError;
pub use verb::Bisect;
