//! The kernel's lists of CPUs.

use std::path::Path;

use fauxplat_model::Topology;

use super::files::Files;
use crate::cpus;

pub(crate) fn read(topology: &mut Topology, files: &mut Files<'_>, root: &Path, cpuinfo: &str) {
    let online = files.list(format_args!("online")).filter(|cpus| !cpus.is_empty());
    let present = files.list(format_args!("present")).filter(|cpus| !cpus.is_empty());
    let mut unlisted = cpus::Unlisted::default();
    if online.is_none() || present.is_none() {
        unlisted = cpus::unlisted(root, cpuinfo);
    }
    // Folders of a machine whose list of present CPUs is known say nothing more about these.
    topology.online = online.unwrap_or_else(|| match &present {
        Some(present) => unlisted.online.intersection(present),
        None => unlisted.online,
    });
    // A list that lacks CPUs which are in use is wrong about them.
    topology.present = present.unwrap_or(unlisted.present).union(&topology.online);
    let possible = files.list(format_args!("possible")).unwrap_or_default();
    topology.possible = possible.union(&topology.present);
    topology.isolated = files.list(format_args!("isolated")).unwrap_or_default();
    topology.nohz_full = files.list(format_args!("nohz_full")).unwrap_or_default();
}
