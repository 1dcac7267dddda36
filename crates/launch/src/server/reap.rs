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
}

/// Ends and reaps everything that is left, but what is another user's by now: that is out of reach, and to wait for it
/// would be without end. Usually one call says that there is nothing.
pub(crate) fn rest() -> Rest {
    let mut rest = Rest::default();
    // One list of children may name several, and those that are dead already when the next is waited for count too.
    let mut ended: Vec<i32> = Vec::new();
    loop {
        match process::wait(-1, false) {
            Waited::Ended { usage, .. } => rest.usage.absorb(&usage),
            Waited::Running => {
                // Each kill may orphan grandchildren, which then become our children: hence the loop.
                let mut dying = false;
                for child in procfs::children() {
                    if !signal::send_if_permitted(child, signal::SIGKILL) {
                        continue;
                    }
                    dying = true;
                    if !ended.contains(&child) {
                        ended.push(child);
                    }
                }
                if !dying {
                    rest.killed = count(&ended);
                    return rest;
                }
                if let Waited::Ended { usage, .. } = process::wait(-1, true) {
                    rest.usage.absorb(&usage);
                }
            }
            Waited::Interrupted => {}
            Waited::NoChild => {
                rest.killed = count(&ended);
                return rest;
            }
        }
    }
}

fn count(ended: &[i32]) -> u16 {
    u16::try_from(ended.len()).unwrap_or(u16::MAX)
}
