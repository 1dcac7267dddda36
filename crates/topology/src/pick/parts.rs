//! Parts of a machine as numbered sets of CPUs.

use fauxplat_model::{MachinePart, Topology};
use fauxplat_units::{Cpu, CpuSet};

/// All parts of a kind that have online CPUs: the number of each, and these CPUs.
pub(super) fn all(topology: &Topology, part: MachinePart) -> Vec<(u32, CpuSet)> {
    let found: Vec<(u32, &CpuSet)> = match part {
        MachinePart::Cpu => {
            return topology.online.iter().map(|cpu| (cpu.0, [cpu].into_iter().collect())).collect();
        }
        MachinePart::Group(level) => topology.level(level).map(|group| (group.number, &group.cpus)).collect(),
        MachinePart::Cache(level) => {
            let caches = topology.caches.iter().filter(|cache| cache.level == level && holds_data(cache));
            caches.map(|cache| (cache.number, &cache.cpus)).collect()
        }
        MachinePart::Node => topology.nodes.iter().map(|node| (node.node, &node.cpus)).collect(),
        MachinePart::Kind => topology.kinds.iter().map(|kind| (kind.number, &kind.cpus)).collect(),
    };
    let online = |(number, cpus): (u32, &CpuSet)| (number, cpus.intersection(&topology.online));
    found.into_iter().map(online).filter(|(_, cpus)| !cpus.is_empty()).collect()
}

fn holds_data(cache: &fauxplat_model::Cache) -> bool {
    cache.kind != fauxplat_model::CacheKind::Instruction
}

/// The part of a kind that contains a CPU: its number and its CPUs; `None` where no such part is known.
pub(super) fn of(topology: &Topology, part: MachinePart, cpu: Cpu) -> Option<(u32, CpuSet)> {
    all(topology, part).into_iter().find(|(_, cpus)| cpus.contains(cpu))
}

/// The name of a kind of part in messages: `L3 cache`, `package`.
pub(super) fn word(part: MachinePart) -> String {
    match part {
        MachinePart::Cache(level) => format!("L{level} cache"),
        MachinePart::Cpu => "CPU".to_owned(),
        MachinePart::Node => "NUMA node".to_owned(),
        part => part.to_string(),
    }
}
