//! Which CPU is what to which: the parts of a machine, as sets of logical CPUs.
//!
//! Parts carry two numbers. The *number* counts parts of one level over the whole machine, from 0 in the order of
//! their lowest CPU, and is what people and relations use. The *id* is what the kernel calls it, which may repeat in
//! every package, have gaps, or be missing. NUMA nodes have the kernel's number alone, since all tools share it.

use std::fmt;

use fauxplat_units::{Bytes, Cpu, CpuSet};
use serde::{Deserialize, Serialize};

/// What a group of CPUs is, from the outside in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupKind {
    /// A drawer of books (s390).
    Drawer,
    /// A book of packages (s390).
    Book,
    /// What is plugged into a socket.
    Package,
    /// A die of a package.
    Die,
    /// Cores that share something the kernel knows of, often an L2 cache or a bus.
    Cluster,
    /// A core with its hardware threads.
    Core,
}

impl GroupKind {
    /// All levels, from the outside in.
    pub const ALL: [GroupKind; 6] = [
        GroupKind::Drawer,
        GroupKind::Book,
        GroupKind::Package,
        GroupKind::Die,
        GroupKind::Cluster,
        GroupKind::Core,
    ];

    /// The word for one of them.
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

/// CPUs that form one part of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What kind of part.
    pub level: GroupKind,
    /// Its number on this machine, among parts of its level.
    pub number: u32,
    /// What the kernel calls it.
    pub id: Option<u32>,
    /// Its CPUs, online ones alone: the kernel forgets where an offline CPU was.
    pub cpus: CpuSet,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    /// Data alone.
    Data,
    /// Instructions alone.
    Instruction,
    /// Both.
    Unified,
}

/// One cache and who shares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Its number on this machine, among caches of its name.
    pub number: u32,
    /// Distance from the core, from 1.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// What the kernel calls it, on kernels that do.
    pub id: Option<u32>,
    /// Its size, where the kernel says.
    pub size: Option<Bytes>,
    /// Length of a line.
    pub line: Option<Bytes>,
    /// Ways of associativity.
    pub ways: Option<u32>,
    /// The CPUs that share it.
    pub cpus: CpuSet,
}

impl Cache {
    /// `L1d`, `L1i`, `L2`, …
    pub fn name(&self) -> String {
        let suffix = match self.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        };
        format!("L{}{suffix}", self.level)
    }
}

/// A NUMA node. Nodes without CPUs hold memory alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// The kernel's number.
    pub node: u32,
    /// Its CPUs.
    pub cpus: CpuSet,
    /// Its memory, where the kernel says.
    pub memory: Option<Bytes>,
    /// Distances to the online nodes in the order of their numbers; 10 is its own. Empty where the kernel says nothing.
    pub distances: Vec<u32>,
}

/// CPUs that were built alike, on machines that have several kinds. The first kind is the fastest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuKind {
    /// Its number, from 0 for the fastest.
    pub number: u32,
    /// What it is called: the kernel's event source (`core`, `atom`, `lowpower`), the core's name, or its rank.
    pub name: String,
    /// Its CPUs.
    pub cpus: CpuSet,
    /// `cpu_capacity`: what it can do in a second, where the largest has about 1024.
    pub capacity: Option<u32>,
    /// Highest frequency in kilohertz.
    pub frequency_khz_max: Option<u64>,
}

/// One logical CPU that is present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogicalCpu {
    /// Its number.
    pub cpu: Cpu,
    /// Whether the kernel uses it.
    pub online: bool,
    /// The kernel's list of hardware threads of its core, itself among them; empty when it says nothing. A core of
    /// [`Topology::groups`] is never larger, and is smaller where threads of one list have cores of their own.
    pub siblings: CpuSet,
    /// The kernel's list of CPUs of its package, itself among them; empty when it says nothing.
    pub package: CpuSet,
    /// Which of the descriptions in `/proc/cpuinfo` it has, counted by changes from one CPU to the next.
    pub description: Option<u32>,
}

/// The parts of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// CPUs that could ever be there.
    pub possible: CpuSet,
    /// CPUs that are there.
    pub present: CpuSet,
    /// CPUs that the kernel uses.
    pub online: CpuSet,
    /// CPUs that the kernel keeps free of tasks which were not put there (`isolcpus`, isolated partitions).
    pub isolated: CpuSet,
    /// CPUs without a timer tick while one task runs (`nohz_full`).
    pub nohz_full: CpuSet,
    /// The affinity of this process; absent when another machine is replayed.
    pub affinity: Option<CpuSet>,
    /// What the cpuset of this process's control group allows, where one is seen.
    pub cpuset: Option<CpuSet>,
    /// CPUs that are online and allowed by both.
    pub allowed: CpuSet,
    /// The CPUs that are present, in rising order.
    pub cpus: Vec<LogicalCpu>,
    /// Groups of CPUs, by level from the outside in and then by number.
    pub groups: Vec<Group>,
    /// Caches in the order in which the kernel's lists name them: by CPU, then by index.
    pub caches: Vec<Cache>,
    /// NUMA nodes in rising order.
    pub nodes: Vec<NumaNode>,
    /// Kinds of CPUs; empty when all are alike.
    pub kinds: Vec<CpuKind>,
    /// Whether what the kernel calls a package is in truth a cluster: arm64 without the firmware's table of parts.
    pub packages_are_clusters: bool,
}

impl Topology {
    /// The groups of a level.
    pub fn level(&self, level: GroupKind) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.level == level)
    }

    /// The group of a level that holds a CPU.
    pub fn group_of(&self, level: GroupKind, cpu: Cpu) -> Option<&Group> {
        self.level(level).find(|group| group.cpus.contains(cpu))
    }

    /// The data or unified cache of a level that a CPU uses.
    pub fn cache_of(&self, level: u32, cpu: Cpu) -> Option<&Cache> {
        let holds = |cache: &&Cache| cache.kind != CacheKind::Instruction && cache.cpus.contains(cpu);
        self.caches.iter().filter(|cache| cache.level == level).find(holds)
    }

    /// The NUMA node that holds a CPU.
    pub fn node_of(&self, cpu: Cpu) -> Option<&NumaNode> {
        self.nodes.iter().find(|node| node.cpus.contains(cpu))
    }

    /// The kind of a CPU, on machines that have several.
    pub fn kind_of(&self, cpu: Cpu) -> Option<&CpuKind> {
        self.kinds.iter().find(|kind| kind.cpus.contains(cpu))
    }

    /// CPUs that are present and not online.
    pub fn offline(&self) -> CpuSet {
        self.present.without(&self.online)
    }
}
