//! The kernel's small formats, relations of CPUs, and whole trees of its files.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;

use fauxplat_model::Relation;
use fauxplat_topology::parse::{self, CPU_LIMIT, Said};
use fauxplat_topology::{Watch, discover, pick, read};

use super::tree::Tree;

/// Every reader of one small format, and the parser of relations.
pub(crate) fn formats(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    for said in [parse::list(text), parse::mask(text)] {
        if let Said::Value(cpus) = said {
            assert!(cpus.iter().all(|cpu| cpu.0 < CPU_LIMIT));
            assert_eq!(parse::list(&cpus.to_string()), Said::Value(cpus));
        }
    }
    parse::number(text);
    parse::size(text);
    parse::distances(text);
    parse::node_memory(text);
    if let Ok(relation) = text.parse::<Relation>() {
        assert_eq!(relation.to_string().parse(), Ok(relation));
    }
}

/// Files of a machine of three CPUs, in the order in which the bytes fill them.
const FILES: [&str; 30] = [
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/present",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings",
    "sys/devices/system/cpu/cpu1/topology/thread_siblings",
    "sys/devices/system/cpu/cpu0/topology/core_siblings",
    "sys/devices/system/cpu/cpu1/topology/core_siblings",
    "sys/devices/system/cpu/cpu0/topology/core_id",
    "sys/devices/system/cpu/cpu1/topology/core_id",
    "sys/devices/system/cpu/cpu0/cache/index0/level",
    "sys/devices/system/cpu/cpu0/cache/index0/type",
    "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_map",
    "sys/devices/system/cpu/cpu1/cache/index0/level",
    "sys/devices/system/cpu/cpu1/cache/index0/type",
    "sys/devices/system/cpu/cpu1/cache/index0/shared_cpu_list",
    "sys/devices/system/cpu/cpu0/cache/index0/size",
    "sys/devices/system/node/node0/cpumap",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/node/node0/distance",
    "sys/devices/system/cpu/cpu0/cpu_capacity",
    "sys/devices/system/cpu/cpu1/cpu_capacity",
    "sys/devices/cpu_core/cpus",
    "proc/self/status",
    "proc/self/cgroup",
    "proc/self/mountinfo",
    "cpuset.cpus.effective",
    "proc/cpuinfo",
    "proc/interrupts",
    "proc/softirqs",
    "proc/stat",
    "proc/1/task/1/status",
];

thread_local! {
    /// The tree of this thread, gone with it.
    static TREE: RefCell<Tree> = RefCell::new(Tree::new(&FILES));
}

/// A tree whose files are the input's pieces between bytes of 0xff; a piece that begins with NUL, or is missing, is a
/// file that does not exist.
pub(crate) fn tree(bytes: &[u8]) {
    TREE.with_borrow_mut(|tree| {
        let mut parts = bytes.split(|&byte| byte == 0xff);
        tree.fill(|_| parts.next().filter(|part| part.first() != Some(&0)).map(Cow::Borrowed));
        told(tree.path());
    });
}

fn told(root: &Path) {
    let (topology, warnings) = read(root);
    assert!(topology.allowed.is_subset(&topology.online) && topology.online.is_subset(&topology.present));
    assert!(topology.groups.iter().all(|group| !group.cpus.is_empty()));
    assert!(warnings.iter().all(|line| !line.contains('\n')));
    discover(root);
    let watched = Watch::begin(root).end(&topology, 1_000_000);
    for relation in ["one-per-core", "sibling-of:1", "other-core-same-l2:0", "quietest:1&node:0", "!e-cores"]
    {
        let relation: Relation = relation.parse().expect("a relation");
        if let Ok(chosen) = pick(&relation, &topology, Some(&watched)) {
            assert!(!chosen.is_empty() && chosen.iter().all(|one| topology.allowed.contains(one.cpu)));
        }
    }
}
