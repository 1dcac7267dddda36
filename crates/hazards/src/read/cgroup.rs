//! The control groups of this process, version 1 and 2.

use fauxplat_procfs::cgroup::{Ancestry, ancestry};

use crate::tree::{Missing, Tree};

/// Returns the group of this process for a controller, and all groups above it, whose limits apply to the process too.
pub(crate) fn groups(tree: &Tree, controller: &str) -> Result<Ancestry, Missing> {
    let own = tree.long("proc/self/cgroup")?;
    let mounts = tree.long("proc/self/mountinfo")?;
    let found = ancestry(&own, &mounts, controller);
    found.ok_or_else(|| Missing::Absent(format!("sys/fs/cgroup ({controller} controller)")))
}
