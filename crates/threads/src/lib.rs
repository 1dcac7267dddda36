//! Building blocks for threads that measure: placement, a priority above another thread, and taking turns. The
//! measurements themselves are in other crates.

mod above;
mod place;
mod turn;

pub use above::start_above;
pub use place::{REAL_TIME_NEEDS, ThreadPlacement, real_time_or_ordinary};
pub use turn::{Side, Turn};
