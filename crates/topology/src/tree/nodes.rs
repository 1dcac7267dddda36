//! NUMA nodes.

use std::path::Path;

use fauxplat_model::{NumaNode, Topology};

use super::files::{Files, Reading};

/// No kernel has more nodes (`CONFIG_NODES_SHIFT` is 10 at most).
const NODES_MAX: usize = 1024;

const FOLDER: &str = "sys/devices/system/node";

pub(crate) fn read(topology: &mut Topology, root: &Path, reading: &mut Reading) {
    let mut numbers = numbers(root);
    numbers.sort_unstable();
    if numbers.len() > NODES_MAX {
        reading.add(format_args!(
            "/{FOLDER}: {} nodes are listed, of which {NODES_MAX} are read",
            numbers.len()
        ));
        numbers.truncate(NODES_MAX);
    }
    let mut files = Files::open(root, FOLDER, reading);
    for node in numbers {
        let mask = files.mask(format_args!("node{node}/cpumap"));
        let cpus = mask.or_else(|| files.list(format_args!("node{node}/cpulist"))).unwrap_or_default();
        let memory = files.node_memory(format_args!("node{node}/meminfo"));
        let distances = files.distances(format_args!("node{node}/distance")).unwrap_or_default();
        topology.nodes.push(NumaNode { node, cpus, memory, distances });
    }
}

/// The numbers of the nodes, from the names of their folders: the list of nodes is newer than the folders.
fn numbers(root: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let number = |name: std::ffi::OsString| name.to_str()?.strip_prefix("node")?.parse().ok();
    entries.take(8 * NODES_MAX).filter_map(|entry| number(entry.file_name())).collect()
}
