//! Processes that are created and end at once.

use std::io;

use fauxplat_sys::{clock, process};

use super::{Labour, plain};

pub(super) struct Forks;

impl Labour for Forks {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        (0..units).try_for_each(|_| process::fork_and_reap().map_err(plain))
    }

    /// CPU time of this thread and of its children.
    fn busy_ns(&self) -> u64 {
        clock::thread_cpu_ns() + process::children_cpu_ns()
    }
}
