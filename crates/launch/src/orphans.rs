//! Ends the children of a spawner that was killed. The kernel makes them children of fauxplat, including those that
//! left the spawner's process group.

use std::fs;

use fauxplat_sys::process::{self, Seen};
use fauxplat_sys::signal;

use crate::{LaunchError, procfs};

/// The children that this process had before it started a spawner. After the death of the spawner, every other child is
/// one that the spawner had and that this process has adopted.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// Process ids of the children that existed before the spawner was started.
    older: Vec<i32>,
}

impl Orphans {
    /// Makes this process a subreaper, so that it adopts the spawner's children if the next spawner dies.
    pub(crate) fn of_the_next() -> Result<Self, LaunchError> {
        process::become_subreaper()?;
        Ok(Orphans { older: procfs::children() })
    }

    /// Ends all adopted children and waits for their end. Processes that now belong to another user cannot be ended.
    pub(crate) fn end(&self) {
        let mut seen_off = self.older.clone();
        loop {
            let mut fresh = procfs::children();
            fresh.retain(|pid| !seen_off.contains(pid));
            if fresh.is_empty() {
                return;
            }
            // An ended child may have had children of its own, which this process then adopts, so the list is read
            // again until nothing new is in it.
            fresh.iter().for_each(|&pid| see_off(pid));
            seen_off.extend(fresh);
        }
    }
}

/// Ends one child and waits for its end, unless it is a helper process of fauxplat, which runs the same binary.
fn see_off(pid: i32) {
    let binary = |of: &str| fs::read_link(format!("/proc/{of}/exe")).ok();
    let its = binary(&pid.to_string());
    if its.is_some() && its == binary("self") || !signal::send_if_permitted(pid, signal::SIGKILL) {
        return;
    }
    loop {
        match process::wait_unreaped(pid) {
            Seen::Ended => break,
            // The process is dying, and `wait4` here would take its exit status from the part of fauxplat that started
            // it.
            Seen::Refused if process::has_ended(pid) => break,
            Seen::Refused => std::thread::yield_now(),
            Seen::Stopped(_) | Seen::Interrupted => {}
        }
    }
    // A dying or dead process has no executable, and may be a helper that another part of this process reaps.
    if its.is_some() {
        process::wait(pid, false);
    }
}
