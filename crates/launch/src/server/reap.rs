//! Ends and reaps the processes that a command leaves behind.

use fauxplat_sys::process::{self, Usage, Waited};
use fauxplat_sys::signal;

use crate::Keeps;
use crate::procfs;

/// Summary of the processes that outlived a command and were reaped after it; the spawner, their subreaper, had adopted
/// them.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    pub(crate) killed: u16,
    /// Resources that the processes left behind by this run's command used together.
    pub(crate) usage: Usage,
    /// Process ids of processes that programs of earlier runs left behind and that ended during this run, so that they
    /// are no part of it.
    pub(crate) late: Vec<i32>,
}

/// Ends the processes that commands leave behind, and remembers the processes that could not or should not be ended.
#[derive(Debug, Default)]
pub(crate) struct Reaper {
    /// Process ids of children that now belong to another user and so cannot be signalled. These ids are not reused
    /// until the spawner reaps the children.
    out_of_reach: Vec<i32>,
    /// Process ids of children that are left running because the command's options ask for that (`Keeps`), and of the
    /// descendants that they had at the latest check.
    kept: Vec<i32>,
}

impl Reaper {
    /// Ends and reaps all remaining children, except kept ones and processes that now belong to another user: those
    /// cannot be signalled, and waiting for them might never end. Returns a summary of the reaped ones. Usually a
    /// single system call reports that no child is left.
    pub(crate) fn rest(&mut self, keeps: Keeps) -> Rest {
        let mut rest = Rest::default();
        // Children that were signalled are remembered, so that each counts once: a later list of children may name them
        // again.
        let mut ended: Vec<i32> = Vec::new();
        loop {
            match process::wait(-1, false) {
                Waited::Ended { pid, usage, .. } => self.reaped(pid, &usage, &mut rest),
                Waited::Running => {
                    // Each kill may orphan grandchildren, which the spawner then adopts, so the list is read again
                    // until no child is left.
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

    /// Process ids of the children to end now. Children to leave running are added to `kept` first.
    fn unwanted(&mut self, keeps: Keeps) -> Vec<i32> {
        let mut children = procfs::children();
        if keeps.own {
            let fresh = children.iter().filter(|child| !self.kept.contains(child)).copied();
            self.kept.extend(fresh.collect::<Vec<i32>>());
        }
        match keeps.earlier || keeps.own {
            true => children.retain(|child| !self.kept.contains(child)),
            // Processes that earlier commands kept are ended now. The spawner then adopts their children, which are no
            // part of the present command either, so that all descendants are listed.
            false => self.kept = procfs::with_descendants(&self.kept),
        }
        children
    }

    /// Adds the resource usage of an ended child to `rest`, or only the child's process id if a program of an earlier
    /// run left it.
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
