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

use crate::descriptions::Descriptions;
use crate::read::text;
use files::{Files, Problems};

/// Reads the parts of a machine: `/` for this one, another root to replay a machine that was captured.
///
/// What is missing is left out, and what makes no sense is left out with a line that names the file. Nothing that the
/// tree holds makes this fail: a container without `/sys` has CPUs and no parts.
pub fn read(root: &Path) -> (Topology, Vec<String>) {
    let mut problems = Problems::default();
    let descriptions = Descriptions::of(&text(root, "proc/cpuinfo").unwrap_or_default());
    let mut topology = Topology::default();
    let mut files = Files::open(root, "sys/devices/system/cpu", &mut problems);
    lists::read(&mut topology, &mut files, root);
    groups::read(&mut topology, &mut files, &descriptions);
    caches::read(&mut topology, &mut files);
    kinds::read(&mut topology, &mut files, root, &descriptions);
    nodes::read(&mut topology, root, &mut problems);
    confined::read(&mut topology, root, &mut problems);
    topology.packages_are_clusters = packages_are_clusters(root, &descriptions);
    (topology, problems.into_lines())
}

/// On arm64 the kernel knows packages from the firmware's table of parts (ACPI PPTT) alone. Without that table, what
/// it calls packages are the clusters of the device tree. Only this machine itself can be asked.
fn packages_are_clusters(root: &Path, descriptions: &Descriptions) -> bool {
    let is_arm = text(root, "proc/sys/kernel/arch").unwrap_or(std::env::consts::ARCH.to_owned()) == "aarch64";
    is_arm
        && root == Path::new("/")
        && descriptions.count() == 1
        && !root.join("sys/firmware/acpi/tables/PPTT").exists()
}
