//! Ends and reaps the processes that a command leaves behind.

use fauxplat_sys::process::{self, Usage, Waited};
use fauxplat_sys::signal;

use crate::procfs;

/// Descendants that outlived the command; the spawner, their subreaper, has adopted them.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// Number of processes that were still alive and were ended.
    pub(crate) killed: u16,
    /// Resources that all of them used.
    pub(crate) usage: Usage,
    /// Process ids left by earlier runs that ended meanwhile, and do not belong to this run.
    pub(crate) late: Vec<i32>,
}

/// Ends leftover processes, and keeps track of those that it could not end.
#[derive(Debug, Default)]
pub(crate) struct Reaper {
    /// Children that now belong to another user. Their process ids are not reused until they are reaped here.
    out_of_reach: Vec<i32>,
}

impl Reaper {
    /// Ends and reaps all leftover processes, except those that belong to another user by now, which cannot be
    /// signalled and might never end. Usually a single call finds that there are none.
    pub(crate) fn rest(&mut self) -> Rest {
        let mut rest = Rest::default();
        // A list of children may name several, and those that are dead already when the next one is waited for count
        // too.
        let mut ended: Vec<i32> = Vec::new();
        loop {
            match process::wait(-1, false) {
                Waited::Ended { pid, usage, .. } => self.reaped(pid, &usage, &mut rest),
                Waited::Running => {
                    // Each kill may orphan grandchildren, which the spawner then adopts: hence the loop.
                    let (dying, out_of_reach): (Vec<i32>, Vec<i32>) = procfs::children()
                        .into_iter()
                        .partition(|&child| signal::send_if_permitted(child, signal::SIGKILL));
                    let fresh: Vec<i32> =
                        dying.iter().copied().filter(|child| !ended.contains(child)).collect();
                    ended.extend(fresh);
                    if dying.is_empty() {
                        self.out_of_reach = out_of_reach;
                        break;
                    }
                    if let Waited::Ended { pid, usage, .. } = process::wait(-1, true) {
                        self.reaped(pid, &usage, &mut rest);
                    }
                }
                Waited::Interrupted => {}
                Waited::NoChild => break,
            }
        }
        rest.killed = u16::try_from(ended.len()).unwrap_or(u16::MAX);
        rest
    }

    /// Adds the usage of a process that ended, unless an earlier run had left it.
    fn reaped(&mut self, pid: i32, usage: &Usage, rest: &mut Rest) {
        match self.out_of_reach.iter().position(|&known| known == pid) {
            Some(place) => rest.late.push(self.out_of_reach.swap_remove(place)),
            None => rest.usage.absorb(usage),
        }
    }
}
