//! What a spawner leaves that is killed: its children become ours, also those that have left its process group.

use std::fs;

use fauxplat_sys::{process, signal};

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
        loop {
            let ended: Vec<i32> = procfs::children()
                .into_iter()
                .filter(|pid| !self.older.contains(pid) && is_foreign(*pid))
                .filter(|&pid| signal::send_if_permitted(pid, signal::SIGKILL))
                .collect();
            if ended.is_empty() {
                return;
            }
            // Each may have had children, which are ours now: hence the loop.
            ended.into_iter().for_each(reap);
        }
    }
}

fn reap(pid: i32) {
    while process::wait(pid, true) == process::Waited::Interrupted {}
}

/// Whether it lives and is no helper of our own, which are of our binary. The dead have none.
fn is_foreign(pid: i32) -> bool {
    let binary = |of: &str| fs::read_link(format!("/proc/{of}/exe")).ok();
    binary(&pid.to_string()).is_some_and(|its| Some(its) != binary("self"))
}
