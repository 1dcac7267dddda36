//! The messages of the kernel's log.

use fauxplat_sys::klog;

use crate::tree::{Missing, Tree};

/// Returns the messages that the kernel still holds, oldest first, without level and time.
pub(crate) fn messages(tree: &Tree) -> Result<Vec<String>, Missing> {
    let mut log = tree.open_any(klog::PATH)?;
    Ok(klog::records(&mut log).into_iter().map(|record| record.message).collect())
}
