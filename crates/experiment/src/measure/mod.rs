//! Experiments of the verbs: each uses a driver whose experiment has begun, and returns findings.

pub mod aa;
pub mod baseline;
pub mod capacity;
pub mod compare;
pub mod contend;
pub mod counters;
pub mod explain;
pub mod index;
pub mod layouts;
pub mod limit;
pub mod load;
pub mod node;
pub mod profile;
pub mod replay;
pub mod run;
mod session;
mod sessions;
pub mod sweep;
mod threads;
mod workers;

pub use threads::CountedThreads;
pub use workers::{cells_plan, counted, cpus_of, cpus_or_first};
