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
    loop {
        match process::wait(-1, false) {
            Waited::Ended { usage, .. } => rest.usage.absorb(&usage),
            Waited::Running => {
                // Each kill may orphan grandchildren, which then become our children: hence the loop.
                for child in procfs::children() {
                    signal::send(child, signal::SIGKILL);
                }
                if let Waited::Ended { usage, .. } = process::wait(-1, true) {
                    rest.killed = rest.killed.saturating_add(1);
                    rest.usage.absorb(&usage);
                }
            }
            Waited::Interrupted => {}
            Waited::NoChild => return rest,
        }
    }
}
