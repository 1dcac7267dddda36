//! The labs are part of the binary, and cargo would not notice one that is new or another.

fn main() {
    println!("cargo::rerun-if-changed=../../labs");
}
