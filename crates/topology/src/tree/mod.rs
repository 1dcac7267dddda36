//! The parts of a machine, from `/sys/devices/system` below a root path.

mod caches;
mod confined;
mod files;
mod groups;
mod kinds;
mod lists;
mod nodes;

use std::path::Path;

use fauxplat_model::Topology;

use crate::Depth;
use crate::common::Common;
use crate::descriptions::Descriptions;
use files::{Files, Reading};

/// The parts of a machine, and a line for each problem.
pub(crate) fn read(common: &Common<'_>, depth: Depth) -> (Topology, Vec<String>) {
    let root = common.root;
    let mut reading = Reading::begin();
    let descriptions = Descriptions::of(&common.cpuinfo);
    let mut topology = Topology::default();
    let mut files = Files::open(root, "sys/devices/system/cpu", &mut reading);
    lists::read(&mut topology, &mut files, root, &common.cpuinfo);
    groups::read(&mut topology, &mut files, &descriptions);
    caches::read(&mut topology, &mut files, depth);
    kinds::read(&mut topology, &mut files, root, &descriptions);
    nodes::read(&mut topology, root, &mut reading);
    nodes::without_folders(&mut topology, root);
    confined::read(&mut topology, root, &common.status, &mut reading);
    topology.packages_are_clusters = packages_are_clusters(common, &descriptions);
    (topology, reading.into_lines())
}

/// Whether the packages that the kernel reports are clusters in truth. On arm64 the kernel knows packages only from the
/// firmware's table of parts (ACPI PPTT). Without that table the kernel's "packages" are the clusters of the device
/// tree. Whether the table exists can only be asked on the machine itself.
fn packages_are_clusters(common: &Common<'_>, descriptions: &Descriptions) -> bool {
    common.architecture == "aarch64"
        && common.root == Path::new("/")
        && descriptions.count() == 1
        && !common.root.join("sys/firmware/acpi/tables/PPTT").exists()
}
