//! The kernel's small formats and relations; the body is shared with the replay on stable.
#![no_main]

#[path = "../../../crates/topology/tests/replay/body.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::formats(bytes));
