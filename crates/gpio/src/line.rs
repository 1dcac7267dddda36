//! Interface of lines, independent of the chip.

use std::fmt;
use std::os::fd::BorrowedFd;

use fauxplat_sys::poll::Interest;

use crate::Result;

/// A provider of lines, such as a GPIO chip, the folder of LEDs, or an input device with keys.
pub trait Chip: fmt::Debug {
    /// Opens a line whose edges, both rising and falling, are events.
    ///
    /// # Errors
    /// Fails where the line does not exist, is in use, or is no input.
    fn input(&self, line: &str, wish: &InputWish) -> Result<Box<dyn Input>>;

    /// Opens a line to drive.
    ///
    /// # Errors
    /// Fails where the line does not exist, is in use, or is no output.
    fn output(&self, line: &str, wish: &OutputWish) -> Result<Box<dyn Output>>;
}

/// A line whose edges are events.
pub trait Input: fmt::Debug + Send {
    /// File descriptor that a poller waits for.
    fn fd(&self) -> BorrowedFd<'_>;

    /// Condition of the file descriptor under which there are events to read.
    fn interest(&self) -> Interest {
        Interest::Readable
    }

    /// Reads available events, without waiting for any.
    ///
    /// # Errors
    /// Fails where the line has vanished, or cannot be read.
    fn take(&mut self, into: &mut Vec<LineEvent>) -> Result<()>;

    /// Number of events that were lost because a buffer was full, as far as the interface reports them.
    fn lost(&self) -> u64;

    fn name(&self) -> &str;
}

/// A line that is driven.
pub trait Output: fmt::Debug + Send {
    /// Sets the level. Returns the `CLOCK_MONOTONIC` time of the edge, measured as close to the edge as the interface
    /// permits.
    ///
    /// # Errors
    /// Fails where the line has vanished, or another program has changed the line so that it cannot be driven.
    fn set(&mut self, is_active: bool) -> Result<u64>;

    /// Leaves the line in a given state at the end.
    ///
    /// # Errors
    /// Fails as [`Output::set`] does.
    fn leave(&mut self, way: Leave) -> Result<()>;

    fn name(&self) -> &str;
}

/// An edge of a line, or an equivalent such as a key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEvent {
    /// Time of the edge by `CLOCK_MONOTONIC`, in nanoseconds.
    pub at_ns: u64,
    pub stamp: Stamp,
    /// Whether the line became active.
    pub is_active: bool,
}

/// Origin of an event's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// The kernel, in the interrupt of the edge, or the simulated chip, at the edge.
    Source,
    /// The reader of the event, after the delay until it ran.
    Reader,
}

/// Requested configuration of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputWish {
    /// Label of this user of the line, which other programs see.
    pub consumer: String,
    /// Whether a low level means active.
    pub is_active_low: bool,
    /// Bias of the line while it is not driven.
    pub bias: Bias,
    /// Debounce period in microseconds, where the kernel supports it; 0 for none.
    pub debounce_us: u32,
}

/// Bias of an input while it is not driven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// The bias that the line already has.
    #[default]
    AsItIs,
    PullUp,
    PullDown,
}

/// Requested configuration of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputWish {
    /// Label of this user of the line, which other programs see.
    pub consumer: String,
    /// Whether a low level means active.
    pub is_active_low: bool,
    /// Initial level.
    pub is_active: bool,
}

/// State in which an output is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Inactive: a light is off.
    Inactive,
    /// Active: a light is on.
    Active,
    /// The state before the line was opened. An LED gets its trigger back, with the settings of the trigger that could
    /// be read.
    AsItWas,
}
