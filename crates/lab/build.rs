//! The labs are part of the binary, and cargo would not notice one that is new or another.
#![expect(clippy::disallowed_macros, reason = "cargo reads what is printed")]

fn main() {
    println!("cargo::rerun-if-changed=../../labs");
}
