//! What follows from the samples: a file per verb.

mod aa;
mod compare;
mod contend;
mod counters;
mod derived;
mod doctor;
mod explain;
mod index;
mod lab;
mod latency;
mod load;
mod profile;
mod replay;
mod run;
mod sweep;
mod table;
mod topo;
mod tune;

pub use aa::*;
pub use compare::*;
pub use contend::*;
pub use counters::*;
pub use derived::*;
pub use doctor::*;
pub use explain::*;
pub use index::*;
pub use lab::*;
pub use latency::*;
pub use load::*;
pub use profile::*;
pub use replay::*;
pub use run::*;
pub use sweep::*;
pub use table::*;
pub use topo::*;
pub use tune::*;
