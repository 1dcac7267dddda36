//! The name of a tuner or of a guardian that stays, by which it is found again.

use fauxplat_sys::{process, signal};
use serde::{Deserialize, Serialize};

/// A process of ours: the tuner, or a guardian that stays when the tuner has ended, until its limit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keeper {
    pub(crate) pid: i32,
    /// Start time, which tells it from a later process of the same number.
    pub(crate) start_ticks: u64,
}

impl Keeper {
    /// The process of this number, if it is there.
    pub(crate) fn of(pid: i32) -> Option<Keeper> {
        Some(Keeper { pid, start_ticks: process::start_ticks(pid as u32)? })
    }

    /// Ends it: a guardian that has nothing left to guard, which holds no state and asleep would be no more than a puzzle;
    /// a tuner that hangs. A later process of the same number is left alone.
    pub(crate) fn end(self) {
        if Keeper::of(self.pid) == Some(self) && self.pid != std::process::id() as i32 {
            signal::send(self.pid, signal::SIGKILL);
        }
    }
}
