//! Units of measurements: CPU sets, durations and sizes, with their arithmetic, parsing and display.
#![warn(missing_docs)]

mod bytes;
mod cpu;
mod nanos;

pub use bytes::{Bytes, ParseBytesError};
pub use cpu::{Cpu, CpuSet, ParseCpuSetError};
pub use nanos::{Nanos, ParseNanosError};
