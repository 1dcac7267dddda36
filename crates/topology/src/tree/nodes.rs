//! NUMA nodes.

use std::path::Path;

use fauxplat_model::{NumaNode, Topology};
use fauxplat_units::{Bytes, CpuSet};

use super::files::{Files, Reading};

/// Maximum number of nodes that are read; no kernel has more (`CONFIG_NODES_SHIFT` is 10 at most).
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
        let mut cpus = mask.or_else(|| files.list(format_args!("node{node}/cpulist"))).unwrap_or_default();
        // A CPU belongs to one node. Firmware that contradicts this does so for all CPUs of a node, so the node's whole
        // list is discarded.
        if let Some(other) = topology.nodes.iter().find(|other| other.cpus.overlaps(&cpus)) {
            let both = other.cpus.intersection(&cpus);
            files.reading.add(format_args!(
                "/{FOLDER}/node{node} names CPU {both} of node {} as its own: it is taken for a node without CPUs",
                other.node
            ));
            cpus = CpuSet::new();
        }
        let memory = files.node_memory(format_args!("node{node}/meminfo"));
        let distances = files.distances(format_args!("node{node}/distance")).unwrap_or_default();
        topology.nodes.push(NumaNode { node, cpus, memory, distances });
    }
}

/// Adds a single node with all memory and all online CPUs where a kernel without NUMA support has no folder of nodes.
pub(crate) fn without_folders(topology: &mut Topology, root: &Path) {
    let is_whole = root.join("sys/devices/system/cpu").is_dir() && !root.join(FOLDER).exists();
    if topology.nodes.is_empty() && is_whole && !topology.online.is_empty() {
        let memory = Some(crate::release::memory(root)).filter(|&memory| memory > Bytes(0));
        let cpus = topology.online.clone();
        topology.nodes.push(NumaNode { node: 0, cpus, memory, distances: Vec::new() });
        topology.node_is_implied = true;
    }
}

/// The numbers of the nodes from the names of their folders, since older kernels have no list of nodes.
fn numbers(root: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let number = |name: std::ffi::OsString| name.to_str()?.strip_prefix("node")?.parse().ok();
    entries.take(8 * NODES_MAX).filter_map(|entry| number(entry.file_name())).collect()
}
