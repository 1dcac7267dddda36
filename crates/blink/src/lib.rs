//! A light that blinks, and buttons that change how fast.
//!
//! The modules `period` and `controller` define what a press means and when the light changes, without a clock or a
//! file. `blinker` is the loop around them: light, buttons, timer and signals in one set of files that is waited for,
//! or a loop that never sleeps, since the published experiment compares the two.

mod blinker;
mod controller;
mod period;

pub use blinker::{Blinker, Button, Ending, Happening, How, Style};
pub use controller::{Change, Controller, Edge, Rules, Said, Why};
pub use period::{Limits, Period, Press};

/// Errors of the blinking light.
#[derive(Debug, thiserror::Error)]
pub enum BlinkError {
    /// Limits that no period can satisfy.
    #[error(
        "the shortest period ({shortest_ns} ns) must be 2 ns or more and not above the longest ({longest_ns} ns)"
    )]
    Limits {
        /// Requested lower limit.
        shortest_ns: u64,
        /// Requested upper limit.
        longest_ns: u64,
    },
    /// A period outside its limits.
    #[error("the period ({period_ns} ns) is outside its limits, {shortest_ns} to {longest_ns} ns")]
    Period {
        /// Requested period.
        period_ns: u64,
        /// Lower limit.
        shortest_ns: u64,
        /// Upper limit.
        longest_ns: u64,
    },
    /// Error of a line.
    #[error(transparent)]
    Line(#[from] fauxplat_gpio::GpioError),
    /// Error of waiting.
    #[error(transparent)]
    Wait(#[from] fauxplat_sys::SysError),
}
