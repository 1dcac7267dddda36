//! Starts child processes under a stated condition.
//!
//! Measured programs are not children of fauxplat but of a *spawner*: a second, tiny process of the same binary that
//! does nothing else. A large parent would pass its memory peak on to each child (`getrusage(2)` carries it over exec)
//! and would have its page tables copied at each fork. Requests and replies cross in shared memory, so that no wake-ups
//! of a pipe precede and follow a run of a tenth of a millisecond.
//!
//! The condition is applied between `vfork` and `exec`, in the child ([`fauxplat_sys::spawn`]), so that it holds before
//! the first instruction of the program.

mod as_held;
mod capture;
mod client;
mod descriptors;
mod errand;
mod error;
mod heard;
mod held;
mod launcher;
mod orphans;
pub mod plain;
mod procfs;
mod ring;
mod server;
pub mod simulated;
mod table;
pub mod words;

pub use capture::{Capture, Captured, Written, left_behind};
pub use client::Spawner;
pub use errand::{Errand, Sent, Trace};
pub use error::{LaunchError, SPAWNER_REFUSED};
pub use fauxplat_sys::program::Program;
pub use heard::Heard;
pub use held::{Gatekeeper, Held};
pub use launcher::Launcher;
pub use procfs::children;
pub use ring::{Pad, Reply, Request, RunCpu, RunEnd};
pub use server::serve_inherited as serve;
pub use table::{
    ControlEntry, CounterEntry, Entry, Keeps, Stdin, Stdout, Table, ThreadCpus, entry_of, environment,
};
