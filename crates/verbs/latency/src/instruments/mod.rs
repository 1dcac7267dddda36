//! The tests themselves: each makes activations on its own threads, and records how late every single one is.

mod edge;
mod line;
mod message;
mod noise;
mod recording;
mod signals;
mod stage;
mod timer;
mod watchdog;

pub use edge::edge;
pub use line::{Drive, Lines, line};
pub use message::{Channel, message};
pub use noise::noise;
pub use recording::Recording;
pub use signals::signals;
pub use stage::calm;
pub use timer::timer;
