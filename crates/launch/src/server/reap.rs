//! What a command leaves behind.

use fauxplat_sys::process::{self, Usage, Waited};
use fauxplat_sys::signal;

use crate::procfs;

/// Descendants that outlived the command, now our children because we are their subreaper.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// How many were still alive and were ended.
    pub(crate) killed: u16,
    /// What all of them used.
    pub(crate) usage: Usage,
    /// Those of earlier runs that ended meanwhile, and have no part in this one.
    pub(crate) late: Vec<i32>,
}

/// Ends what commands leave behind, and knows whom it could not end.
#[derive(Debug, Default)]
pub(crate) struct Reaper {
    /// Children that are another user's by now. Their numbers stay theirs until they are reaped here.
    out_of_reach: Vec<i32>,
}

impl Reaper {
    /// Ends and reaps everything that is left, but what is another user's by now: that is out of reach, and to wait for it
    /// would be without end. Usually one call says that there is nothing.
    pub(crate) fn rest(&mut self) -> Rest {
        let mut rest = Rest::default();
        // One list of children may name several, and those that are dead already when the next is waited for count too.
        let mut ended: Vec<i32> = Vec::new();
        loop {
            match process::wait(-1, false) {
                Waited::Ended { pid, usage, .. } => self.reaped(pid, &usage, &mut rest),
                Waited::Running => {
                    // Each kill may orphan grandchildren, which then become our children: hence the loop.
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

    /// Books what somebody used who ended, unless it was left by a run that is over.
    fn reaped(&mut self, pid: i32, usage: &Usage, rest: &mut Rest) {
        match self.out_of_reach.iter().position(|&known| known == pid) {
            Some(place) => rest.late.push(self.out_of_reach.swap_remove(place)),
            None => rest.usage.absorb(usage),
        }
    }
}
