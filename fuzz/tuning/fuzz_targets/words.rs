//! Words for profiles, knobs and values; the body is shared with the replay on stable.
#![no_main]

#[path = "../../../crates/tuning/tests/replay/body.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::words(bytes));
