//! Threads of our own, for the crates that measure with them: how one comes to stand at its place or above another,
//! and how two take turns. What they do there is not this crate's business.

mod above;
mod place;
mod turn;

pub use above::start_above;
pub use place::{Place, REAL_TIME_NEEDS, real_time_or_ordinary};
pub use turn::{Side, Turn};
