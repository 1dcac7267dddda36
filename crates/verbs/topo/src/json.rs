//! The fields of the JSON document `fauxplat.topo/1`, which describes the topology of a machine.

use fauxplat_model::{CacheKind, CpuKind, Group, GroupKind, LogicalCpu, NumaNode, Topology};
use fauxplat_units::{Bytes, Cpu, CpuSet};
use serde::Serialize;

use crate::findings::{Pick, TopoFindings};

#[derive(Serialize)]
pub(crate) struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<&'a Pick>,
    possible: &'a CpuSet,
    present: &'a CpuSet,
    online: &'a CpuSet,
    offline: CpuSet,
    isolated: &'a CpuSet,
    nohz_full: &'a CpuSet,
    affinity: Option<&'a CpuSet>,
    cpuset: Option<&'a CpuSet>,
    allowed: &'a CpuSet,
    cpus: Vec<CpuEntry<'a>>,
    caches: Vec<CacheEntry<'a>>,
    nodes: Vec<NodeEntry<'a>>,
    groups: Vec<GroupEntry<'a>>,
    kinds: Vec<KindEntry<'a>>,
}

#[derive(Serialize)]
struct CpuEntry<'a> {
    cpu: Cpu,
    core: Option<u32>,
    package: Option<u32>,
    die: Option<u32>,
    node: Option<u32>,
    online: bool,
    allowed: bool,
    isolated: bool,
    siblings: Vec<Cpu>,
    l1d: Option<u32>,
    l1i: Option<u32>,
    l2: Option<u32>,
    l3: Option<u32>,
    cluster: Option<u32>,
    core_id: Option<u32>,
    package_id: Option<u32>,
    kind: Option<&'a str>,
}

#[derive(Serialize)]
struct CacheEntry<'a> {
    cache: String,
    number: u32,
    id: Option<u32>,
    level: u32,
    kind: CacheKind,
    size_bytes: Option<Bytes>,
    line_bytes: Option<Bytes>,
    ways: Option<u32>,
    cpus: &'a CpuSet,
}

#[derive(Serialize)]
struct NodeEntry<'a> {
    node: u32,
    cpus: &'a CpuSet,
    memory_bytes: Option<Bytes>,
    distances: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<bool>,
}

#[derive(Serialize)]
struct GroupEntry<'a> {
    level: GroupKind,
    number: u32,
    id: Option<u32>,
    cpus: &'a CpuSet,
}

#[derive(Serialize)]
struct KindEntry<'a> {
    kind: u32,
    name: &'a str,
    cpus: &'a CpuSet,
    capacity: Option<u32>,
    frequency_khz_max: Option<u64>,
}

impl<'a> Document<'a> {
    pub(crate) fn of(found: &'a TopoFindings) -> Self {
        let topology = &found.topology;
        Document {
            pick: found.pick.as_ref(),
            possible: &topology.possible,
            present: &topology.present,
            online: &topology.online,
            offline: topology.offline(),
            isolated: &topology.isolated,
            nohz_full: &topology.nohz_full,
            affinity: topology.affinity.as_ref(),
            cpuset: topology.cpuset.as_ref(),
            allowed: &topology.allowed,
            cpus: topology.cpus.iter().map(|cpu| CpuEntry::of(topology, cpu)).collect(),
            caches: topology.caches.iter().map(CacheEntry::of).collect(),
            nodes: topology.nodes.iter().map(|node| NodeEntry::of(topology, node)).collect(),
            groups: topology.groups.iter().map(GroupEntry::of).collect(),
            kinds: topology.kinds.iter().map(KindEntry::of).collect(),
        }
    }
}

impl<'a> CpuEntry<'a> {
    fn of(topology: &'a Topology, one: &LogicalCpu) -> Self {
        let cpu = one.cpu;
        let group = |level| topology.group_of(level, cpu);
        let number = |level| group(level).map(|group| group.number);
        let cache = |level, kind| {
            let ours = |cache: &&fauxplat_model::Cache| {
                (cache.level, cache.kind) == (level, kind) && cache.cpus.contains(cpu)
            };
            topology.caches.iter().find(ours).map(|cache| cache.number)
        };
        let shared = |level| topology.cache_of(level, cpu).map(|cache| cache.number);
        let core = group(GroupKind::Core).map(|core| core.cpus.clone()).unwrap_or_default();
        CpuEntry {
            cpu,
            core: number(GroupKind::Core),
            package: number(GroupKind::Package),
            die: number(GroupKind::Die),
            node: topology.node_of(cpu).map(|node| node.node),
            online: one.online,
            allowed: topology.allowed.contains(cpu),
            isolated: topology.isolated.contains(cpu),
            siblings: core.iter().filter(|&other| other != cpu).collect(),
            l1d: shared(1),
            l1i: cache(1, CacheKind::Instruction),
            l2: shared(2),
            l3: shared(3),
            cluster: number(GroupKind::Cluster),
            core_id: group(GroupKind::Core).and_then(|core| core.id),
            package_id: group(GroupKind::Package).and_then(|package| package.id),
            kind: topology.kind_of(cpu).map(|kind| kind.name.as_str()),
        }
    }
}

impl<'a> CacheEntry<'a> {
    fn of(cache: &'a fauxplat_model::Cache) -> Self {
        CacheEntry {
            cache: cache.name(),
            number: cache.number,
            id: cache.id,
            level: cache.level,
            kind: cache.kind,
            size_bytes: cache.size,
            line_bytes: cache.line,
            ways: cache.ways,
            cpus: &cache.cpus,
        }
    }
}

impl<'a> NodeEntry<'a> {
    fn of(topology: &Topology, node: &'a NumaNode) -> Self {
        NodeEntry {
            node: node.node,
            cpus: &node.cpus,
            memory_bytes: node.memory,
            distances: &node.distances,
            allowed: topology.memory_nodes.as_ref().map(|allowed| allowed.contains(Cpu(node.node))),
        }
    }
}

impl<'a> GroupEntry<'a> {
    fn of(group: &'a Group) -> Self {
        GroupEntry { level: group.level, number: group.number, id: group.id, cpus: &group.cpus }
    }
}

impl<'a> KindEntry<'a> {
    fn of(kind: &'a CpuKind) -> Self {
        KindEntry {
            kind: kind.number,
            name: &kind.name,
            cpus: &kind.cpus,
            capacity: kind.capacity,
            frequency_khz_max: kind.frequency_khz_max,
        }
    }
}
