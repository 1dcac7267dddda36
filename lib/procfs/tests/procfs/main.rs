//! The parsers on captured machines, on what the tests print in the kernel's manner, and on bytes that mean nothing.

mod body;
mod captured;
mod printed;
mod replay;
