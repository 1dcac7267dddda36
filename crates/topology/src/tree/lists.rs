//! The kernel's lists of CPUs.

use fauxplat_model::Topology;

use super::files::Files;
use crate::cpus;

pub(crate) fn read(topology: &mut Topology, files: &mut Files<'_>, cpuinfo: &str) {
    let online = files.list(format_args!("online")).filter(|cpus| !cpus.is_empty());
    topology.online = online.unwrap_or_else(|| cpus::processors(cpuinfo));
    let present = files.list(format_args!("present")).filter(|cpus| !cpus.is_empty());
    // A list that lacks CPUs which are in use is wrong about them.
    topology.present = present.map_or_else(|| topology.online.clone(), |cpus| cpus.union(&topology.online));
    let possible = files.list(format_args!("possible")).unwrap_or_default();
    topology.possible = possible.union(&topology.present);
    topology.isolated = files.list(format_args!("isolated")).unwrap_or_default();
    topology.nohz_full = files.list(format_args!("nohz_full")).unwrap_or_default();
}
