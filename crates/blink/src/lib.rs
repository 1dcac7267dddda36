//! A blinking light, and buttons that change its speed.
//!
//! The modules `period` and `controller` define the meaning of a press and the times at which the light changes,
//! without a clock or a file. `blinker` is the loop around them. The loop either waits for timer, buttons and signals
//! together, or polls without sleeping, since the published experiment compares the two.

mod blinker;
mod controller;
mod period;

pub use blinker::{Blinker, Button, Ending, Happening, How, Style};
pub use controller::{Change, Controller, Edge, Rules, Said, Why};
pub use period::{Limits, Period, Press};

#[derive(Debug, thiserror::Error)]
pub enum BlinkError {
    /// Limits that no period can satisfy.
    #[error(
        "the shortest period ({shortest_ns} ns) must be 2 ns or more and not above the longest ({longest_ns} ns)"
    )]
    Limits { shortest_ns: u64, longest_ns: u64 },
    #[error("the period ({period_ns} ns) is outside its limits, {shortest_ns} to {longest_ns} ns")]
    Period { period_ns: u64, shortest_ns: u64, longest_ns: u64 },
    #[error(transparent)]
    Line(#[from] fauxplat_gpio::GpioError),
    /// A call for the timer or for waiting failed.
    #[error(transparent)]
    Wait(#[from] fauxplat_sys::SysError),
}
