//! Tests of the parsers on captured machines, on generated files in the kernel's format, and on arbitrary bytes.

mod body;
mod captured;
mod printed;
mod replay;
