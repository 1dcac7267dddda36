//! Lines that a program drives or whose edges it waits for, by whatever interface the kernel has for them.
//!
//! A *chip* gives out lines; an input is a file that joins an epoll set and tells events with the time of each; an output is
//! driven and left in a stated way. The simulated chip does the same with sockets, so that the same loop runs everywhere.

mod character_device;
mod chips;
mod error;
mod events;
mod keys;
mod leds;
mod line;
mod name;
mod patience;
mod simulated;
mod sysfs;

pub use character_device::CharacterDevice;
pub use chips::Chips;
pub use error::GpioError;
pub use keys::Keys;
pub use leds::Leds;
pub use line::{Bias, Chip, Input, InputWish, Leave, LineEvent, Output, OutputWish, Stamp};
pub use name::{ChipName, LineName, ParseLineNameError};
pub use simulated::SimulatedChip;
pub use sysfs::Sysfs;

/// Result of what is done with a line.
pub type Result<T> = std::result::Result<T, GpioError>;
