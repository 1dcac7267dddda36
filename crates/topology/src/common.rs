//! Files that both the machine's facts and its parts depend on. Some of them take the kernel longer to generate than
//! all small files together, so each is read once.

use std::path::Path;

use crate::read;

pub(crate) struct Common<'r> {
    pub(crate) root: &'r Path,
    pub(crate) cpuinfo: String,
    /// Contents of `/proc/self/status`.
    pub(crate) status: String,
    pub(crate) architecture: String,
}

impl<'r> Common<'r> {
    pub(crate) fn read(root: &'r Path) -> Self {
        let text = |path: &str| read::text(root, path);
        Common {
            root,
            cpuinfo: read::table(root, "proc/cpuinfo").unwrap_or_default(),
            status: text("proc/self/status").unwrap_or_default(),
            // The file exists since Linux 6.1; on older kernels this program's own architecture is the best guess.
            architecture: text("proc/sys/kernel/arch").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        }
    }
}
