//! Rows about a machine's CPUs: one for each CPU, with the parts that contain it.

use fauxplat_model::{CacheKind, GroupKind, LogicalCpu, Topology};
use fauxplat_report::Rows;
use fauxplat_report::parts::{Grid, Tone};

const COLUMNS: [&str; 13] = [
    "cpu", "online", "allowed", "isolated", "core", "cluster", "die", "package", "node", "l1d", "l1i", "l2",
    "l3",
];

/// A row for each present CPU. Unknown values are empty.
pub(super) fn rows(topology: &Topology) -> Rows {
    let row = |cpu: &LogicalCpu| cells(topology, cpu).to_vec();
    Rows { headings: COLUMNS.map(str::to_owned).to_vec(), rows: topology.cpus.iter().map(row).collect() }
}

pub(super) fn grid(topology: &Topology) -> Grid {
    let mut grid = Grid::new(&COLUMNS, &[]);
    for cpu in &topology.cpus {
        grid.push(Tone::Plain, cells(topology, cpu).to_vec());
    }
    grid
}

fn cells(topology: &Topology, one: &LogicalCpu) -> [String; 13] {
    let cpu = one.cpu;
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let optional = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let group = |level| optional(topology.group_of(level, cpu).map(|group| group.number));
    let cache = |level| optional(topology.cache_of(level, cpu).map(|cache| cache.number));
    let l1i = topology
        .caches
        .iter()
        .find(|cache| (cache.level, cache.kind) == (1, CacheKind::Instruction) && cache.cpus.contains(cpu));
    [
        cpu.to_string(),
        yes(one.online),
        yes(topology.allowed.contains(cpu)),
        yes(topology.isolated.contains(cpu)),
        group(GroupKind::Core),
        group(GroupKind::Cluster),
        group(GroupKind::Die),
        group(GroupKind::Package),
        optional(topology.node_of(cpu).map(|node| node.node)),
        cache(1),
        optional(l1i.map(|cache| cache.number)),
        cache(2),
        cache(3),
    ]
}
