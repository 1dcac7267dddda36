//! A light that blinks, and buttons that change how fast.
//!
//! What a press means, what is none, and when the light is due stand in `period` and `controller`, which know no clock and
//! no file. `blinker` is the loop around them: light, buttons, timer and signals in one set of files that is waited for, or a
//! loop that never sleeps, as the published experiment holds one against the other.

mod blinker;
mod controller;
mod period;

pub use blinker::{Blinker, Button, Ending, Happening, How, Style};
pub use controller::{Change, Controller, Edge, Rules, Said, Why};
pub use period::{Limits, Period, Press};

/// Why nothing blinks, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum BlinkError {
    /// Limits that no period can keep.
    #[error(
        "the shortest period ({shortest_ns} ns) must be 2 ns or more and not above the longest ({longest_ns} ns)"
    )]
    Limits {
        /// As asked.
        shortest_ns: u64,
        /// As asked.
        longest_ns: u64,
    },
    /// A period outside its limits.
    #[error("the period ({period_ns} ns) is outside its limits, {shortest_ns} to {longest_ns} ns")]
    Period {
        /// As asked.
        period_ns: u64,
        /// The shortest that is allowed.
        shortest_ns: u64,
        /// The longest that is allowed.
        longest_ns: u64,
    },
    /// A line.
    #[error(transparent)]
    Line(#[from] fauxplat_gpio::GpioError),
    /// A call that waits.
    #[error(transparent)]
    Wait(#[from] fauxplat_sys::SysError),
}
