//! Reads the kernel's lists of CPUs: online, present, possible, isolated, and `nohz_full`.

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
    // CPUs that have folders but are missing in the list of present CPUs are not online.
    topology.online = online.unwrap_or_else(|| match &present {
        Some(present) => unlisted.online.intersection(present),
        None => unlisted.online,
    });
    // Online CPUs are present, even where the list of present CPUs omits them.
    topology.present = present.unwrap_or(unlisted.present).union(&topology.online);
    let possible = files.list(format_args!("possible")).unwrap_or_default();
    topology.possible = possible.union(&topology.present);
    topology.isolated = files.list(format_args!("isolated")).unwrap_or_default();
    topology.nohz_full = files.list(format_args!("nohz_full")).unwrap_or_default();
}
