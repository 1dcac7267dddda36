//! The parts of a machine (packages, caches, cores and so on) as one tree, by inclusion of their CPUs.

use fauxplat_model::{CacheKind, GroupKind, Topology};
use fauxplat_report::say::TIE;
use fauxplat_units::{Bytes, Cpu, CpuSet};

/// The kind of a part of the machine. The order is that of parts with the same CPUs, from the outside in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Drawer,
    Book,
    Package,
    Node,
    Die,
    /// A cache of several cores. The outermost caches come first, since the number is [`OUTERMOST`] minus the level.
    SharedCache(u32),
    Cluster,
    OwnCache(u32, CacheKind),
    Core,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectPart {
    pub(super) sort: Sort,
    pub(super) name: String,
    pub(super) number: u32,
    pub(super) size: Option<Bytes>,
}

/// A node of the tree: all parts with the same CPUs, and the objects within them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    /// Parts with exactly these CPUs, from the outside in; empty for the machine itself.
    pub(super) parts: Vec<ObjectPart>,
    pub(super) cpus: CpuSet,
    /// Objects within this one, ordered by their lowest CPUs.
    pub(super) children: Vec<Object>,
}

/// The parts of a machine as a tree, and parts that fit into no tree because they overlap with others.
pub(super) struct Tree {
    pub(super) machine: Object,
    pub(super) astray: Vec<ObjectPart>,
}

/// Number from which cache levels are subtracted, so that the outermost cache comes first.
const OUTERMOST: u32 = 100;

impl Tree {
    pub(super) fn of(topology: &Topology) -> Self {
        let mut tree = Tree {
            machine: Object { parts: Vec::new(), cpus: topology.online.clone(), children: Vec::new() },
            astray: Vec::new(),
        };
        let mut parts = parts(topology);
        // Parts with more CPUs come first, so that each part finds the parts that contain it.
        parts.sort_by(|(a, x), (b, y)| {
            y.len().cmp(&x.len()).then(a.sort.cmp(&b.sort)).then(x.first().cmp(&y.first()))
        });
        for (part, cpus) in parts {
            tree.machine.insert(part, cpus, &mut tree.astray);
        }
        tree.machine.sort();
        tree
    }
}

/// All parts of a machine with their online CPUs. A die or cluster with the same CPUs as a package, cache or core is
/// left out, since it adds no information.
fn parts(topology: &Topology) -> Vec<(ObjectPart, CpuSet)> {
    let online = |cpus: &CpuSet| cpus.intersection(&topology.online);
    let is_more = |level: GroupKind, cpus: &CpuSet| match level {
        GroupKind::Die | GroupKind::Cluster => {
            let same = topology.groups.iter().any(|other| other.level != level && other.cpus == *cpus);
            let cached =
                level == GroupKind::Cluster && topology.caches.iter().any(|cache| cache.cpus == *cpus);
            !same && !cached
        }
        _ => true,
    };
    let groups = topology.groups.iter().filter(|group| is_more(group.level, &group.cpus)).map(|group| {
        let part = ObjectPart {
            sort: sort(group.level),
            name: group.level.name().to_owned(),
            number: group.number,
            size: None,
        };
        (part, online(&group.cpus))
    });
    let caches = topology.caches.iter().map(|cache| {
        let depth = OUTERMOST.saturating_sub(cache.level);
        let sort = if cache.level > 2 { Sort::SharedCache(depth) } else { Sort::OwnCache(depth, cache.kind) };
        (ObjectPart { sort, name: cache.name(), number: cache.number, size: cache.size }, online(&cache.cpus))
    });
    let nodes = topology.nodes.iter().map(|node| {
        let part =
            ObjectPart { sort: Sort::Node, name: "node".to_owned(), number: node.node, size: node.memory };
        (part, online(&node.cpus))
    });
    groups.chain(caches).chain(nodes).filter(|(_, cpus)| !cpus.is_empty()).collect()
}

fn sort(level: GroupKind) -> Sort {
    match level {
        GroupKind::Drawer => Sort::Drawer,
        GroupKind::Book => Sort::Book,
        GroupKind::Package => Sort::Package,
        GroupKind::Die => Sort::Die,
        GroupKind::Cluster => Sort::Cluster,
        GroupKind::Core => Sort::Core,
    }
}

impl Object {
    pub(super) fn has(&self, sort: Sort) -> bool {
        self.parts.iter().any(|part| part.sort == sort)
    }

    fn insert(&mut self, part: ObjectPart, cpus: CpuSet, astray: &mut Vec<ObjectPart>) {
        // The machine itself has its own line, so parts with all of its CPUs are placed below it.
        if self.cpus == cpus && !self.parts.is_empty() {
            self.parts.push(part);
            return;
        }
        // An object has few children if they are large; among many small ones, the newest is the most likely match.
        match self.children.iter_mut().rev().find(|child| child.cpus.overlaps(&cpus)) {
            Some(child) if cpus.is_subset(&child.cpus) => child.insert(part, cpus, astray),
            Some(_) => astray.push(part),
            None => self.children.push(Object { parts: vec![part], cpus, children: Vec::new() }),
        }
    }

    fn sort(&mut self) {
        self.parts.sort_by_key(|part| (part.sort, part.number));
        self.children.sort_by_key(|child| child.cpus.first());
        self.children.iter_mut().for_each(Object::sort);
    }

    pub(super) fn own_cpus(&self) -> Vec<Cpu> {
        let held = self.children.iter().fold(CpuSet::new(), |held, child| held.union(&child.cpus));
        self.cpus.without(&held).iter().collect()
    }

    /// Whether two objects differ only in the numbers of their parts and CPUs.
    fn is_like(&self, other: &Object) -> bool {
        let alike = |(a, b): (&ObjectPart, &ObjectPart)| a.sort == b.sort && alike(a, b);
        self.cpus.len() == other.cpus.len()
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(alike)
            && self.children.len() == other.children.len()
            && self.children.iter().zip(&other.children).all(|(a, b)| a.is_like(b))
    }
}

/// Whether two parts of one kind have the same size. Firmware reserves a little memory of some nodes, so the sizes of
/// nodes may differ slightly.
fn alike(a: &ObjectPart, b: &ObjectPart) -> bool {
    const NODE_TOLERANCE: f64 = 0.05;
    match (a.sort, a.size, b.size) {
        (Sort::Node, Some(Bytes(a)), Some(Bytes(b))) => {
            a.abs_diff(b) as f64 <= NODE_TOLERANCE * a.max(b) as f64
        }
        (_, a, b) => a == b,
    }
}

/// Divides objects into groups of objects that differ only in numbers.
pub(super) fn merged<'o>(objects: &[&'o Object]) -> Vec<Vec<&'o Object>> {
    let mut all: Vec<Vec<&Object>> = Vec::new();
    for &object in objects {
        match all.iter_mut().find(|alike| alike[0].is_like(object)) {
            Some(alike) => alike.push(object),
            None => all.push(vec![object]),
        }
    }
    all
}

/// A size as text, in the largest unit in which it is at least one: `1.25 MiB`, `512 KiB`.
pub(super) fn size(bytes: Bytes) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes.0 as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = match value {
        value if value == value.trunc() => format!("{value:.0}"),
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    };
    format!("{digits}{TIE}{}", UNITS[unit])
}
