//! Rebuilds the crate when a lab changes: the labs are embedded in the binary, and cargo does not track them by itself.
#![expect(clippy::disallowed_macros, reason = "cargo reads what is printed")]

fn main() {
    println!("cargo::rerun-if-changed=../../labs");
}
