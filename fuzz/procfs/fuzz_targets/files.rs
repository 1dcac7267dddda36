//! Every parser of the kernel's files; the body is shared with the replay on stable.
#![no_main]

#[path = "../../../lib/procfs/tests/procfs/body.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::files(bytes));
