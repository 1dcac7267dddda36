//! What every line is, whoever gives it out.

use std::fmt;
use std::os::fd::BorrowedFd;

use fauxplat_sys::poll::Interest;

use crate::Result;

/// Whoever gives out lines.
pub trait Chip: fmt::Debug {
    /// A line whose edges, both of them, are events.
    ///
    /// # Errors
    /// It is not there, taken, or no input.
    fn input(&self, line: &str, wish: &InputWish) -> Result<Box<dyn Input>>;

    /// A line that is driven.
    ///
    /// # Errors
    /// It is not there, taken, or no output.
    fn output(&self, line: &str, wish: &OutputWish) -> Result<Box<dyn Output>>;
}

/// A line whose edges are events.
pub trait Input: fmt::Debug + Send {
    /// What joins the set of files that are waited for.
    fn fd(&self) -> BorrowedFd<'_>;

    /// What it is watched for.
    fn interest(&self) -> Interest {
        Interest::Readable
    }

    /// Adds the events that came, without waiting for any.
    ///
    /// # Errors
    /// The line has vanished, or cannot be read.
    fn take(&mut self, into: &mut Vec<LineEvent>) -> Result<()>;

    /// How many events there was no room for, as far as the interface tells.
    fn lost(&self) -> u64;

    /// Its name, for messages.
    fn name(&self) -> &str;
}

/// A line that is driven.
pub trait Output: fmt::Debug + Send {
    /// Drives it. The moment of the edge by `CLOCK_MONOTONIC`, as close as the interface knows it.
    ///
    /// # Errors
    /// The line has vanished, or somebody else has made it something that cannot be driven.
    fn set(&mut self, is_active: bool) -> Result<u64>;

    /// Leaves it in a stated way.
    ///
    /// # Errors
    /// As for [`Output::set`].
    fn leave(&mut self, way: Leave) -> Result<()>;

    /// Its name, for messages.
    fn name(&self) -> &str;
}

/// An edge, or whatever stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEvent {
    /// When, by `CLOCK_MONOTONIC`.
    pub at_ns: u64,
    /// Who looked at the clock.
    pub stamp: Stamp,
    /// Whether the line became active.
    pub is_active: bool,
}

/// Who looked at the clock for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// The kernel, in its interrupt; the simulated chip, at the edge.
    Source,
    /// Whoever read the event, some time later.
    Reader,
}

/// How an input is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputWish {
    /// What others are told about who has the line.
    pub consumer: String,
    /// Low is active.
    pub is_active_low: bool,
    /// What pulls it where nobody drives it.
    pub bias: Bias,
    /// For how long the kernel waits until a level counts, where it can; not at all when zero.
    pub debounce_us: u32,
}

/// What pulls an input where nobody drives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// Whatever does so already.
    #[default]
    AsItIs,
    /// Up.
    PullUp,
    /// Down.
    PullDown,
}

/// How an output is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputWish {
    /// What others are told about who has the line.
    pub consumer: String,
    /// Low is active.
    pub is_active_low: bool,
    /// The level that it begins with.
    pub is_active: bool,
}

/// How an output is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Inactive: a light is off.
    Inactive,
    /// Active: a light is on.
    Active,
    /// As it was found. An LED has its trigger again, with what was set of that as far as it can be read.
    AsItWas,
}
