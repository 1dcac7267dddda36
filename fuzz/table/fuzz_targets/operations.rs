//! Operations against a `BTreeMap`; the body is shared with the replay on stable.
#![no_main]

#[path = "../../../lib/table/tests/replay/body.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::operations(bytes));
