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

/// Ends and reaps everything that is left. Usually one call says that there is nothing.
pub(crate) fn rest() -> Rest {
    let mut rest = Rest::default();
    // One list of children may name several, and those that are dead already when the next is waited for count too.
    let mut ended: Vec<i32> = Vec::new();
    loop {
        match process::wait(-1, false) {
            Waited::Ended { usage, .. } => rest.usage.absorb(&usage),
            Waited::Running => {
                // Each kill may orphan grandchildren, which then become our children: hence the loop.
                for child in procfs::children() {
                    signal::send(child, signal::SIGKILL);
                    if !ended.contains(&child) {
                        ended.push(child);
                    }
                }
                if let Waited::Ended { usage, .. } = process::wait(-1, true) {
                    rest.usage.absorb(&usage);
                }
            }
            Waited::Interrupted => {}
            Waited::NoChild => {
                rest.killed = u16::try_from(ended.len()).unwrap_or(u16::MAX);
                return rest;
            }
        }
    }
}
