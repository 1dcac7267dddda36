//! The whole binary, run as a user runs it: what it prints, what it stores, and how it ends.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests start the binary and the tools around it by themselves"
)]

mod bad_input;
mod bad_store;
mod calibrate;
mod common;
mod compare;
mod condition;
mod history;
mod index;
mod interrupt;
mod misbehaviour;
mod placement;
mod reports;
mod run;
mod store;
mod table;
mod usage;
