//! Draws trees of files at random, and makes some that no machine has. The tests of `topo` share this module.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use crate::in_memory;

/// Content of a path in a tree.
#[derive(Clone, Debug)]
pub(crate) enum Thing {
    Text(String),
    Bytes(Vec<u8>),
    Folder,
    /// A link to another path below the root, possibly to one of its own parent folders.
    Link(&'static str),
    /// A file without read permission.
    Closed,
    Endless,
}

pub(crate) fn thing() -> impl Strategy<Value = Thing> {
    let number = prop_oneof![
        (0u32..70).prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        Just("18446744073709551615".to_owned()),
        Just("-1".to_owned()),
    ];
    let list = "[0-9]{1,3}(-[0-9]{1,3})?(,[0-9]{1,3}(-[0-9]{1,5})?){0,3}";
    let mask = "[0-9a-f]{1,8}(,[0-9a-f]{8}){0,3}";
    prop_oneof![
        4 => number.prop_map(Thing::Text),
        4 => list.prop_map(Thing::Text),
        4 => mask.prop_map(Thing::Text),
        1 => "(Data|Instruction|Unified|data|)\n?".prop_map(Thing::Text),
        1 => "[0-9]{1,20}[KMG]?".prop_map(Thing::Text),
        1 => "processor ?: [0-9]{1,11}\n(CPU part|model|vendor_id)[0-9]{0,2}\t: .{0,9}\n".prop_map(Thing::Text),
        1 => "Node 0 MemTotal: {1,9}[0-9]{1,22} kB".prop_map(Thing::Text),
        1 => prop::collection::vec(any::<u8>(), 0..80).prop_map(Thing::Bytes),
        1 => Just(Thing::Folder),
        1 => prop_oneof![Just("sys/devices/system/cpu"), Just("sys"), Just("nowhere")].prop_map(Thing::Link),
        1 => Just(Thing::Closed),
        1 => Just(Thing::Endless),
    ]
}

/// Paths that the reader opens, and some that resemble them.
pub(crate) fn place() -> impl Strategy<Value = Vec<u8>> {
    let cpu = prop_oneof![
        8 => (0u32..6).prop_map(|cpu| cpu.to_string()),
        1 => prop_oneof![Just("16383"), Just("16384"), Just("4294967296"), Just("-1"), Just("01"), Just("")]
            .prop_map(str::to_owned),
    ];
    let of_cpu = prop_oneof![
        "topology/(thread|core|book|drawer)_siblings(_list)?",
        "topology/(core|package|die|cluster|book|drawer)_cpus",
        "topology/(core|physical_package|die|cluster|book|drawer)_id",
        "cache/index[0-9]{1,2}/(level|type|size|id|shared_cpu_map|shared_cpu_list|coherency_line_size)",
        "online|cpu_capacity|cpufreq/cpuinfo_max_freq|l1_icache_size|l1_dcache_size|topology|cache|uevent",
    ];
    let of_machine = prop_oneof![
        "sys/devices/system/cpu/(online|present|possible|isolated|nohz_full)",
        "sys/devices/system/node/node[0-9]{1,11}(/cpumap|/cpulist|/meminfo|/distance)?",
        "sys/devices/cpu_(core|atom|lowpower)/cpus",
        "proc/(cpuinfo|meminfo|mounts|self/status|self/cgroup|self/cpuset|self/mountinfo|sys/kernel/arch)",
        "sys/devices/system/(cpu|node)|sys|proc",
    ];
    prop_oneof![
        6 => (cpu, of_cpu).prop_map(|(cpu, file)| format!("sys/devices/system/cpu/cpu{cpu}/{file}").into_bytes()),
        3 => of_machine.prop_map(String::into_bytes),
        1 => prop::collection::vec(128u8.., 1..4)
            .prop_map(|name| [b"sys/devices/system/cpu/cpu", name.as_slice()].concat()),
    ]
}

/// Creates a thing at a path, unless something that is already there prevents it.
pub(crate) fn put(root: &Path, place: &[u8], thing: &Thing) {
    let path = root.join(OsStr::from_bytes(place));
    let Some(folder) = path.parent() else { return };
    // Links may lead out of the tree, as far as the machine's own devices, whose mode the test would change.
    let leads_elsewhere =
        path.is_symlink() || folder.ancestors().take_while(|it| *it != root).any(Path::is_symlink);
    if leads_elsewhere || fs::create_dir_all(folder).is_err() {
        return;
    }
    let _ = match thing {
        Thing::Text(text) => fs::write(&path, text),
        Thing::Bytes(bytes) => fs::write(&path, bytes),
        Thing::Folder => fs::create_dir_all(&path),
        Thing::Link(to) => symlink(root.join(to), &path),
        Thing::Closed => fs::write(&path, "0-3")
            .and_then(|()| fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o0))),
        Thing::Endless => symlink("/dev/zero", &path),
    };
}

/// Each CPU's lists name all CPUs up to it as members of its core, package and book, and caches overlap as well.
pub(crate) fn growing() -> TempDir {
    let root = in_memory();
    put(root.path(), b"sys/devices/system/cpu/online", &Thing::Text("0-63".into()));
    for cpu in 0..64 {
        for file in
            ["topology/thread_siblings_list", "topology/core_siblings_list", "topology/book_siblings_list"]
        {
            let place = format!("sys/devices/system/cpu/cpu{cpu}/{file}");
            put(root.path(), place.as_bytes(), &Thing::Text(format!("0-{cpu}")));
        }
        for index in 0..16u32 {
            let at = |file: &str| format!("sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{file}");
            put(
                root.path(),
                at("level").as_bytes(),
                &Thing::Text((u64::from(index) * 300_000_000).to_string()),
            );
            put(root.path(), at("type").as_bytes(), &Thing::Text("Unified".into()));
            put(
                root.path(),
                at("shared_cpu_list").as_bytes(),
                &Thing::Text(format!("{}-63", cpu / (index + 1))),
            );
        }
    }
    root
}

/// A machine with the highest number of CPUs that is read, and without any other file.
pub(crate) fn largest() -> TempDir {
    let root = in_memory();
    put(root.path(), b"sys/devices/system/cpu/online", &Thing::Text("0-16383".into()));
    root
}
