//! Event counters: names of events, their availability on this machine, sets that can be counted at the same time, and
//! counts of a simulator.

mod asked;
mod availability;
pub mod cachegrind;
mod catalog;
mod error;
mod fit;
mod format;
#[cfg(test)]
mod machines;
mod parse;
mod resolve;
mod spelling;
pub mod vocabulary;

pub use asked::{Asked, Form, Modifiers, Term, list};
pub use availability::{
    Availability, Circumstances, Reason, Refusal, available, available_by, reason, refusal,
};
pub use catalog::{Catalog, Device, NamedEvent, Scale};
pub use error::CounterError;
pub use fit::{Counters, Kernel, Misfit, Ran, Rotation, rotation, rotation_of};
pub use format::Format;
pub use parse::{EVENTS_MAX, parse};
pub use resolve::{Resolved, metric};
pub use vocabulary::Source;
