//! Lines that a program drives or whose edges it waits for, through any of the kernel's interfaces.
//!
//! A *chip* provides lines. An input has a file descriptor for epoll and reports events with their times; an output is
//! driven, and left in a given state at the end. The lines of the simulated chip are sockets, so that programs run
//! without hardware by the same code.

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

pub type Result<T> = std::result::Result<T, GpioError>;
