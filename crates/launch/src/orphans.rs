//! What a spawner leaves that is killed: its children become ours, also those that have left its process group.

use std::fs;

use fauxplat_sys::process::{self, Seen};
use fauxplat_sys::signal;

use crate::{LaunchError, procfs};

/// The children of this process by which those are known that it adopts.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// Who was there before the spawner, hence is none of its.
    older: Vec<i32>,
}

impl Orphans {
    /// Has them come to this process, and to nobody beyond it, when the spawner that is about to be started dies.
    pub(crate) fn of_the_next() -> Result<Self, LaunchError> {
        process::become_subreaper()?;
        Ok(Orphans { older: procfs::children() })
    }

    /// Ends them all and waits for that. What has become another user's is out of reach.
    pub(crate) fn end(&self) {
        let mut seen_off = self.older.clone();
        loop {
            let mut fresh = procfs::children();
            fresh.retain(|pid| !seen_off.contains(pid));
            if fresh.is_empty() {
                return;
            }
            // Each may have had children, which are ours when it has ended: hence the loop.
            fresh.iter().for_each(|&pid| see_off(pid));
            seen_off.extend(fresh);
        }
    }
}

/// Ends one and waits for that, unless it is a helper of our own: those are of our binary.
fn see_off(pid: i32) {
    let binary = |of: &str| fs::read_link(format!("/proc/{of}/exe")).ok();
    let its = binary(&pid.to_string());
    if its.is_some() && its == binary("self") || !signal::send_if_permitted(pid, signal::SIGKILL) {
        return;
    }
    while process::wait_unreaped(pid) != Seen::Ended {}
    // The dying and the dead have none, and may be a helper that somebody else here reaps.
    if its.is_some() {
        process::wait(pid, false);
    }
}
