//! The topology of a machine: its parts, as sets of logical CPUs.
//!
//! Parts carry two numbers. The *number* counts parts of one level over the whole machine, from 0 in the order of their
//! lowest CPU, and is used by people and relations. The *id* is the kernel's, which may repeat in every package, have
//! gaps, or be missing. NUMA nodes have only the kernel's number, which all tools share.

use std::fmt;

use fauxplat_units::{Bytes, Cpu, CpuSet};
use serde::{Deserialize, Serialize};

/// Level of a group of CPUs, from the outside in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupKind {
    /// A drawer of books (s390).
    Drawer,
    /// A book of packages (s390).
    Book,
    /// The unit that is plugged into a socket.
    Package,
    Die,
    /// Cores that share a resource known to the kernel, often an L2 cache or a bus.
    Cluster,
    /// A core with its hardware threads.
    Core,
}

impl GroupKind {
    pub const ALL: [GroupKind; 6] = [
        GroupKind::Drawer,
        GroupKind::Book,
        GroupKind::Package,
        GroupKind::Die,
        GroupKind::Cluster,
        GroupKind::Core,
    ];

    pub fn name(self) -> &'static str {
        match self {
            GroupKind::Drawer => "drawer",
            GroupKind::Book => "book",
            GroupKind::Package => "package",
            GroupKind::Die => "die",
            GroupKind::Cluster => "cluster",
            GroupKind::Core => "core",
        }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// CPUs that form a part of the machine, such as a core or a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    pub level: GroupKind,
    /// Number of the group among groups of the same level on this machine, from 0.
    pub number: u32,
    /// Id of the group in the kernel; `None` if the kernel reports none.
    pub id: Option<u32>,
    /// Online CPUs of the group. The kernel does not report the position of offline CPUs.
    pub cpus: CpuSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    Data,
    Instruction,
    Unified,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Number of the cache among caches of the same name on this machine, from 0.
    pub number: u32,
    /// Level of the cache: 1 is nearest to the core.
    pub level: u32,
    pub kind: CacheKind,
    /// Id of the cache in the kernel; `None` if the kernel reports none.
    pub id: Option<u32>,
    /// Capacity of the cache; `None` if the kernel does not report it.
    pub size: Option<Bytes>,
    /// Size of a line; `None` if the kernel does not report it.
    pub line: Option<Bytes>,
    /// Associativity; `None` if the kernel does not report it.
    pub ways: Option<u32>,
    pub cpus: CpuSet,
}

impl Cache {
    /// Name of the kind of cache: `L1d`, `L1i`, `L2`, …
    pub fn name(&self) -> String {
        let suffix = match self.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        };
        format!("L{}{suffix}", self.level)
    }
}

/// A NUMA node. A node without CPUs holds only memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// The kernel's number of the node.
    pub node: u32,
    pub cpus: CpuSet,
    /// Size of the memory of the node; `None` if the kernel does not report it.
    pub memory: Option<Bytes>,
    /// Distances to the online nodes in the order of their numbers, with 10 as the distance of the node to itself;
    /// empty if the kernel reports none.
    pub distances: Vec<u32>,
}

/// CPUs of the same design, on machines with several designs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuKind {
    /// Number of the kind, from 0 for the fastest.
    pub number: u32,
    /// Name of the kernel's event source (`core`, `atom`, `lowpower`), name of the core, or the rank of the kind.
    pub name: String,
    pub cpus: CpuSet,
    /// `cpu_capacity` of the kernel: throughput relative to the largest CPU, which has about 1024.
    pub capacity: Option<u32>,
    pub frequency_khz_max: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogicalCpu {
    pub cpu: Cpu,
    pub online: bool,
    /// The kernel's list of hardware threads of the core, this CPU included; empty if the kernel reports none. A core
    /// in [`Topology::groups`] never has more threads than this list, and has fewer if threads of the list have cores
    /// of their own.
    pub siblings: CpuSet,
    /// The kernel's list of CPUs of the package, this CPU included; empty if the kernel reports none.
    pub package: CpuSet,
    /// Number of the CPU's description in `/proc/cpuinfo`. The number increases whenever the description changes from
    /// one CPU to the next.
    pub description: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// CPUs that can exist, including those that may be plugged in later.
    pub possible: CpuSet,
    /// CPUs that are plugged in.
    pub present: CpuSet,
    /// CPUs that the kernel schedules on.
    pub online: CpuSet,
    /// CPUs that the kernel keeps free of tasks that were not explicitly placed there (`isolcpus`, isolated
    /// partitions).
    pub isolated: CpuSet,
    /// CPUs on which the kernel stops the timer tick while a single task runs (`nohz_full`).
    pub nohz_full: CpuSet,
    /// CPUs to which the affinity of the fauxplat process allows it; `None` for a stored topology of another machine.
    pub affinity: Option<CpuSet>,
    /// CPUs allowed by the cpuset of fauxplat's control group; `None` without a cpuset.
    pub cpuset: Option<CpuSet>,
    /// CPUs that are online and allowed by affinity and cpuset.
    pub allowed: CpuSet,
    pub cpus: Vec<LogicalCpu>,
    /// Groups of CPUs, by level from the outside in and then by number.
    pub groups: Vec<Group>,
    /// Caches in the order in which the kernel's lists name them: by CPU, then by index.
    pub caches: Vec<Cache>,
    pub nodes: Vec<NumaNode>,
    /// Numbers of the nodes from which the fauxplat process may get memory; `None` where the kernel does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_nodes: Option<CpuSet>,
    /// Kinds of CPUs; empty if all CPUs are alike.
    pub kinds: Vec<CpuKind>,
    /// Whether the kernel's packages are actually clusters, as on arm64 without the firmware's table of processor
    /// parts.
    pub packages_are_clusters: bool,
    /// Whether the kernel reports no node, so that `nodes` has a single node with all memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub node_is_implied: bool,
}

impl Topology {
    pub fn level(&self, level: GroupKind) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.level == level)
    }

    pub fn group_of(&self, level: GroupKind, cpu: Cpu) -> Option<&Group> {
        self.level(level).find(|group| group.cpus.contains(cpu))
    }

    /// The data or unified cache of a level that a CPU uses.
    pub fn cache_of(&self, level: u32, cpu: Cpu) -> Option<&Cache> {
        let holds = |cache: &&Cache| cache.kind != CacheKind::Instruction && cache.cpus.contains(cpu);
        self.caches.iter().filter(|cache| cache.level == level).find(holds)
    }

    pub fn node_of(&self, cpu: Cpu) -> Option<&NumaNode> {
        self.nodes.iter().find(|node| node.cpus.contains(cpu))
    }

    /// The kind of a CPU; `None` on machines with a single kind.
    pub fn kind_of(&self, cpu: Cpu) -> Option<&CpuKind> {
        self.kinds.iter().find(|kind| kind.cpus.contains(cpu))
    }

    /// Numbers of the nodes that have memory; a node whose size is unknown counts.
    pub fn nodes_with_memory(&self) -> CpuSet {
        let has_memory = |node: &&NumaNode| node.memory.is_none_or(|memory| memory > Bytes(0));
        self.nodes.iter().filter(has_memory).map(|node| Cpu(node.node)).collect()
    }

    /// Numbers of the nodes that have memory of which this process gets none; empty where the kernel does not say so.
    pub fn forbidden_nodes(&self) -> CpuSet {
        match &self.memory_nodes {
            Some(allowed) => self.nodes_with_memory().without(allowed),
            None => CpuSet::new(),
        }
    }

    pub fn offline(&self) -> CpuSet {
        self.present.without(&self.online)
    }
}
