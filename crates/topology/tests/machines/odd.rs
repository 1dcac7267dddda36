//! Complete machines with unusual trees: old kernels, faulty firmware, offline CPUs.

use std::fmt::Write as _;
use std::path::Path;

use fauxplat_model::{GroupKind, Topology};
use fauxplat_topology::{online, present, read};

const CPU: &str = "sys/devices/system/cpu";
const NODE: &str = "sys/devices/system/node";

/// A temporary root with the given files, each as a path, a blank and its content.
fn tree(files: &[String]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for line in files {
        let (path, text) = line.split_once(' ').unwrap();
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{text}\n")).unwrap();
    }
    root
}

fn mask(cpus: impl IntoIterator<Item = u32>) -> String {
    format!("{:08x}", cpus.into_iter().fold(0_u32, |all, cpu| all | 1 << cpu))
}

/// The topology files of CPUs with two threads per core and four CPUs per package.
fn cpus(count: u32) -> Vec<String> {
    let one = |cpu: u32| {
        let (core, package) = (cpu / 2 * 2, cpu / 4 * 4);
        [
            format!("{CPU}/cpu{cpu}/topology/thread_siblings {}", mask(core..core + 2)),
            format!("{CPU}/cpu{cpu}/topology/core_siblings {}", mask(package..package + 4)),
            format!("{CPU}/cpu{cpu}/topology/core_id {}", cpu / 2 % 2),
            format!("{CPU}/cpu{cpu}/topology/physical_package_id {}", cpu / 4),
        ]
    };
    (0..count).flat_map(one).collect()
}

fn cache(cpu: u32, index: u32, level: u32, shared: &str) -> Vec<String> {
    let file = |name: &str, text: &str| format!("{CPU}/cpu{cpu}/cache/index{index}/{name} {text}");
    vec![
        file("level", &level.to_string()),
        file("type", "Unified"),
        file("size", "512K"),
        file("shared_cpu_map", shared),
    ]
}

/// The topology as text: the CPUs of each part.
fn told(topology: &Topology) -> String {
    let mut text = format!("online {} of {}", topology.online, topology.present);
    for (name, level) in [("core", GroupKind::Core), ("die", GroupKind::Die), ("package", GroupKind::Package)]
    {
        let sets: Vec<String> = topology.level(level).map(|group| group.cpus.to_string()).collect();
        if !sets.is_empty() {
            write!(text, "; {name} {}", sets.join(" ")).unwrap();
        }
    }
    for cache in &topology.caches {
        write!(text, "; L{} {}", cache.level, cache.cpus).unwrap();
    }
    for node in &topology.nodes {
        write!(text, "; node{} {}", node.node, node.cpus).unwrap();
    }
    text + &format!("; {} kinds", topology.kinds.len())
}

/// A name, the files of a tree, and the expected text of [`told`].
type Row = (&'static str, Vec<Vec<String>>, String);

fn list(name: &str, text: &str) -> Vec<String> {
    vec![format!("{CPU}/{name} {text}")]
}

fn node(node: u32, cpus: &str) -> Vec<String> {
    vec![format!("{NODE}/node{node}/cpumap {cpus}")]
}

const WHOLE: &str = "online 0-3 of 0-3; core 0-1 2-3; package 0-3";

fn are_read(rows: impl IntoIterator<Item = Row>) {
    for (name, files, expected) in rows {
        let root = tree(&files.concat());
        let (topology, _) = read(root.path());
        assert_eq!(told(&topology), expected, "{name}");
        assert_eq!(
            (online(root.path()), present(root.path())),
            (topology.online, topology.present),
            "{name}"
        );
    }
}

#[test]
fn machines_that_leave_something_out_are_understood() {
    are_read([
        ("no list of CPUs", vec![cpus(4), node(0, "f")], format!("{WHOLE}; node0 0-3; 0 kinds")),
        (
            "no list, and files that say who is offline",
            vec![cpus(4), node(0, "f"), list("cpu2/online", "0"), list("cpu1/online", "1")],
            "online 0-1,3 of 0-3; core 0-1 3; package 0-1,3; node0 0-3; 0 kinds".into(),
        ),
        (
            "no list, and a description of more CPUs than there are folders",
            vec![cpus(4), node(0, "f"), vec!["proc/cpuinfo processor : 7".into()]],
            format!("{WHOLE}; node0 0-3; 0 kinds"),
        ),
        (
            "masks of nobody",
            vec![
                list("online", "0-3"),
                cpus(4),
                cache(0, 0, 1, "00000000"),
                cache(2, 0, 1, "00000000"),
                node(0, "f"),
            ],
            format!("{WHOLE}; L1 0-1; L1 2-3; node0 0-3; 0 kinds"),
        ),
        (
            "a cache whose first index is missing",
            vec![
                list("online", "0-1"),
                cpus(2),
                cache(0, 0, 1, "1"),
                cache(0, 2, 2, "1"),
                cache(1, 1, 1, "2"),
                cache(1, 2, 2, "2"),
                node(0, "3"),
            ],
            "online 0-1 of 0-1; core 0-1; package 0-1; L1 0; L2 0; L1 1; L2 1; node0 0-1; 0 kinds".into(),
        ),
        (
            "nodes that name the same CPUs",
            vec![list("online", "0-3"), cpus(4), node(0, "f"), node(1, "f"), node(2, "c")],
            format!("{WHOLE}; node0 0-3; node1 ; node2 ; 0 kinds"),
        ),
    ]);
}

/// Files about the die of each of four CPUs: its CPUs and its identifier.
fn dies(of: impl Fn(u32) -> (String, i32)) -> Vec<String> {
    let one = |cpu: u32| {
        let (cpus, id) = of(cpu);
        [format!("{CPU}/cpu{cpu}/topology/die_cpus {cpus}"), format!("{CPU}/cpu{cpu}/topology/die_id {id}")]
    };
    (0..4).flat_map(one).collect()
}

/// Trees in which parts have no usable identifier, or are described in other places.
#[test]
fn machines_that_say_things_in_another_way_are_understood() {
    are_read([
        (
            "a CPU that is offline between others",
            vec![list("online", "0-1,3"), list("present", "0-3"), cpus(4), node(0, "b")],
            "online 0-1,3 of 0-3; core 0-1 3; package 0-1,3; node0 0-1,3; 0 kinds".into(),
        ),
        (
            "no folder of nodes",
            vec![list("online", "0-3"), cpus(4), vec!["proc/meminfo MemTotal: 1024 kB".into()]],
            format!("{WHOLE}; node0 0-3; 0 kinds"),
        ),
        (
            "dies without an identifier",
            vec![list("online", "0-3"), cpus(4), dies(|cpu| (mask([cpu]), -1)), node(0, "f")],
            format!("{WHOLE}; node0 0-3; 0 kinds"),
        ),
        (
            "dies with identifiers",
            vec![
                list("online", "0-3"),
                cpus(4),
                dies(|cpu| (mask(cpu / 2 * 2..cpu / 2 * 2 + 2), (cpu / 2).cast_signed())),
                node(0, "f"),
            ],
            "online 0-3 of 0-3; core 0-1 2-3; die 0-1 2-3; package 0-3; node0 0-3; 0 kinds".into(),
        ),
        (
            "one design for all CPUs, behind the last of them",
            vec![
                list("online", "0-1"),
                cpus(2),
                node(0, "3"),
                vec![
                    "proc/cpuinfo processor : 0\n\nprocessor : 1\n\nCPU implementer : 0x41\nCPU part : 0xc09"
                        .into(),
                ],
            ],
            "online 0-1 of 0-1; core 0-1; package 0-1; node0 0-1; 0 kinds".into(),
        ),
    ]);
}

/// A warning names the node whose list is discarded.
#[test]
fn nodes_that_share_cpus_are_told() {
    let files = [
        cpus(4),
        vec![format!("{CPU}/online 0-3"), format!("{NODE}/node0/cpumap f"), format!("{NODE}/node1/cpumap c")],
    ];
    let root = tree(&files.concat());
    let (_, warnings) = read(root.path());
    assert!(
        matches!(warnings.as_slice(), [one] if one.contains("node1") && one.contains("CPU 2-3")),
        "{warnings:?}"
    );
    let nothing = read(Path::new("/nowhere/at/all")).0;
    assert!(nothing.nodes.is_empty(), "where there is no /sys nothing is known of nodes");
}

/// A cpuset allows memory apart from CPUs. A node without memory is not forbidden, since nothing could be got there.
#[test]
fn memory_nodes_that_a_cpuset_forbids_are_known() {
    let memory = |node: u32, kilobytes: u32| {
        let total = format!("Node {node} MemTotal: {kilobytes} kB");
        format!("{NODE}/node{node}/meminfo {total}")
    };
    let files = [
        cpus(4),
        vec![format!("{CPU}/online 0-3"), format!("{NODE}/node0/cpumap 3"), format!("{NODE}/node1/cpumap c")],
        vec![memory(0, 1024), memory(1, 1024), memory(2, 0)],
    ]
    .concat();
    let forbidden = |status: &[String]| {
        let root = tree(&[&files[..], status].concat());
        read(root.path()).0.forbidden_nodes().to_string()
    };
    assert_eq!(forbidden(&["proc/self/status Mems_allowed_list:\t0".to_owned()]), "1");
    assert_eq!(forbidden(&["proc/self/status Mems_allowed_list:\t0-1".to_owned()]), "");
    assert_eq!(forbidden(&[]), "", "a kernel that does not say so");
}
