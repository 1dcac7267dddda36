//! Profiles: samples of running programs are turned into functions and their callers.
//!
//! [`Profiler::follow`] reads the kernel's samples while a program runs, finds the callers of each sample at once, and
//! keeps only how often each stack was seen. Names are looked up at the end ([`Profiler::tables`]).

mod demangle;
mod elf;
mod follow;
mod foreign;
mod import;
mod jit;
mod kernel;
mod mappings;
mod names;
mod objects;
mod process;
mod stacks;
mod stubs;
mod symbol;
mod tables;
#[cfg(test)]
mod tests;
mod unwind;
mod unwound;
mod waits;

pub use demangle::demangle;
pub use elf::build_id;
pub use follow::{Followed, FollowedProcess, Profiler};
pub use import::{ImportError, Imported};
pub use jit::PerfMap;
pub use mappings::mappings;
pub use tables::Tables;
pub use waits::Waiting;
