//! The loops for architectures without assembly: those in Rust.

pub(super) use super::portable::{fauxplat, float_ports, integer_latency, integer_ports};

pub(super) const FAUXPLAT_INSTRUCTIONS: Option<u64> = None;
