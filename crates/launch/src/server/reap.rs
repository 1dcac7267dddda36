//! Ends and reaps the processes that a command leaves behind.

use fauxplat_sys::process::{self, Usage, Waited};
use fauxplat_sys::signal;

use crate::Keeps;
use crate::procfs;

/// Descendants that outlived the command; the spawner, their subreaper, has adopted them.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// Number of processes that were still alive and were ended.
    pub(crate) killed: u16,
    /// Resources that all of them used.
    pub(crate) usage: Usage,
    /// Process ids of earlier programs that ended meanwhile and are no part of this run.
    pub(crate) late: Vec<i32>,
}

/// Ends what commands leave behind, and knows whom it could not or should not end.
#[derive(Debug, Default)]
pub(crate) struct Reaper {
    /// Children that now belong to another user. Their process ids are not reused until they are reaped here.
    out_of_reach: Vec<i32>,
    /// Children that go on, since somebody said so, and those that they were seen to have.
    kept: Vec<i32>,
}

impl Reaper {
    /// Ends and reaps everything that is left, but what is kept and what is another user's by now: that is out of reach, and
    /// to wait for it would be without end. Usually one call says that there is nothing.
    pub(crate) fn rest(&mut self, keeps: Keeps) -> Rest {
        let mut rest = Rest::default();
        // A list of children may name several, and those that are dead already when the next one is waited for count
        // too.
        let mut ended: Vec<i32> = Vec::new();
        loop {
            match process::wait(-1, false) {
                Waited::Ended { pid, usage, .. } => self.reaped(pid, &usage, &mut rest),
                Waited::Running => {
                    // Each kill may orphan grandchildren, which the spawner then adopts: hence the loop.
                    let (dying, out_of_reach): (Vec<i32>, Vec<i32>) = self
                        .unwanted(keeps)
                        .into_iter()
                        .partition(|&child| signal::send_if_permitted(child, signal::SIGKILL));
                    let fresh = dying.iter().copied();
                    let fresh: Vec<i32> =
                        fresh.filter(|child| !ended.contains(child) && !self.kept.contains(child)).collect();
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
                Waited::NoChild | Waited::Refused(_) => {
                    self.kept.clear();
                    break;
                }
            }
        }
        rest.killed = u16::try_from(ended.len()).unwrap_or(u16::MAX);
        rest
    }

    /// The children that are to end now; those that are kept are noted.
    fn unwanted(&mut self, keeps: Keeps) -> Vec<i32> {
        let mut children = procfs::children();
        if keeps.own {
            let fresh = children.iter().filter(|child| !self.kept.contains(child)).copied();
            self.kept.extend(fresh.collect::<Vec<i32>>());
        }
        match keeps.earlier || keeps.own {
            true => children.retain(|child| !self.kept.contains(child)),
            // Children of kept processes are adopted when those end, and do not belong to the command.
            false => self.kept = procfs::with_descendants(&self.kept),
        }
        children
    }

    /// Books what somebody used who ended, unless it was left by a program that is over.
    fn reaped(&mut self, pid: i32, usage: &Usage, rest: &mut Rest) {
        for earlier in [&mut self.out_of_reach, &mut self.kept] {
            if let Some(place) = earlier.iter().position(|&known| known == pid) {
                rest.late.push(earlier.swap_remove(place));
                return;
            }
        }
        rest.usage.absorb(usage);
    }
}
