//! Ends and reaps the processes that a command leaves behind.

use fauxplat_sys::process::{self, Usage, Waited};
use fauxplat_sys::signal;

use crate::Keeps;
use crate::procfs;

/// Descendants that outlived the command; the spawner, their subreaper, has adopted them.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    pub(crate) killed: u16,
    /// Resources that all the processes left behind used together.
    pub(crate) usage: Usage,
    /// Process ids of processes that earlier programs left, that ended during this run and are no part of it.
    pub(crate) late: Vec<i32>,
}

/// Ends the processes that commands leave behind, and remembers those that it could not or should not end.
#[derive(Debug, Default)]
pub(crate) struct Reaper {
    /// Children that now belong to another user. Their process ids are not reused until they are reaped here.
    out_of_reach: Vec<i32>,
    /// Children that continue because the command's options keep them (`Keeps`), with their descendants as last seen.
    kept: Vec<i32>,
}

impl Reaper {
    /// Ends and reaps all remaining children, except kept ones and processes that now belong to another user: those
    /// cannot be signalled, and waiting for them might never end. Usually a single call reports that no child is left.
    pub(crate) fn rest(&mut self, keeps: Keeps) -> Rest {
        let mut rest = Rest::default();
        // Ended children are remembered, because a later list of children may name them again, and because a child that
        // is already dead when the next one is waited for counts too.
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

    /// Children to end now. Children to keep are added to `kept`.
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

    /// Adds the usage of an ended child, unless the child was left by a program of an earlier run.
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
