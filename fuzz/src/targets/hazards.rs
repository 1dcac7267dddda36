//! Trees of the kernel's files as the hazards, the identity of a machine and control groups read them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use fauxplat_cgroup::{Controller, Group, Host};
use fauxplat_hazards::{examine_captures, hazards, not_measured};
use fauxplat_model::Limit;
use fauxplat_topology::identity;
use fauxplat_units::Nanos;

use super::tree::Tree;

/// For the mutator. A part `=== NAME` is a file.
pub(crate) const WORDS: &[&str] = &[
    "=== proc/stat\n",
    "=== before proc/stat\n",
    "=== proc/interrupts\n",
    "=== proc/config\nCONFIG_HZ=250\n",
    "=== proc/config.gz\n",
    "=== sys/firmware/dmi/tables/DMI\n",
    "=== dev/kmsg\n",
    "=== group/cpu.stat\n",
    "=== group/memory.events\n",
    "cpu0 1 2 3 4 5 6 7 8\n",
    "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
    "max 100000\n",
    "\u{11}\u{28}\0\0",
    "0-3",
    "\n",
];

/// Test cases of the hazards, whose machines name every file that a hazard reads.
const CASES: &str = include_str!("../../../crates/hazards/tests/hazards/cases.txt");

/// Files beside these: how the kernel was built, tables of the firmware, the kernel's log.
const MORE: [&str; 12] = [
    CONFIG,
    "boot/config-6.1.0",
    "sys/firmware/dmi/tables/DMI",
    "dev/kmsg",
    "sys/class/dmi/id/board_vendor",
    "sys/class/dmi/id/board_name",
    "sys/class/dmi/id/bios_version",
    "sys/class/dmi/id/product_name",
    "sys/devices/system/cpu/cpu0/topology/physical_package_id",
    "sys/devices/system/node/online",
    "sys/devices/system/edac/mc/mc0/ce_count",
    "sys/class/thermal/thermal_zone0/temp",
];

const CONFIG: &str = "proc/config.gz";
/// The kernel's configuration before it is compressed, so that the code behind decompression is reached.
const UNPACKED: &str = "proc/config";

/// Files of a control group with its use and limits. The list of its processes is left out, since removing a group ends
/// them.
const GROUP: [&str; 18] = [
    "cpu.stat",
    "cpu.max",
    "cpu.weight",
    "cpu.pressure",
    "io.max",
    "io.pressure",
    "memory.current",
    "memory.events",
    "memory.high",
    "memory.max",
    "memory.peak",
    "memory.pressure",
    "memory.swap.current",
    "memory.swap.max",
    "pids.current",
    "pids.events",
    "pids.max",
    "cgroup.events",
];

/// All but that of CPU lists, which would want them written.
const CONTROLLERS: [Controller; 6] = [
    Controller::Cpu,
    Controller::CpuAccount,
    Controller::Memory,
    Controller::Pids,
    Controller::Io,
    Controller::Pressure,
];

/// Mount point of the control groups below the root, and the files that have to exist there beforehand.
const MOUNT: &str = "sys/fs/cgroup";
const HIERARCHY: [(&str, &str); 4] = [
    ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
    ("proc/self/cgroup", "0::/\n"),
    ("sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n"),
    ("sys/fs/cgroup/cgroup.subtree_control", "cpu io memory pids\n"),
];

/// Two captures of a machine, and a group of another one.
struct Machines {
    before: Tree,
    after: Tree,
    group: Group,
    group_files: Tree,
}

impl Machines {
    fn new() -> Self {
        let of_cases = CASES.lines().filter_map(|line| {
            let (name, _) = line.strip_prefix("  ")?.split_once(" =")?;
            Some(name.strip_prefix("before ").unwrap_or(name)).filter(|name| !name.ends_with('/'))
        });
        let mut files: Vec<&str> = of_cases.chain(MORE).collect();
        files.sort_unstable();
        files.dedup();
        let (group_files, group) = group();
        Machines { before: Tree::new(&files), after: Tree::new(&files), group, group_files }
    }
}

/// A group as it is created in a hierarchy of version 2, and its files.
fn group() -> (Tree, Group) {
    let root = Tree::new(&HIERARCHY.map(|(file, _)| file));
    for (file, text) in HIERARCHY {
        std::fs::write(root.path().join(file), text).expect("a file of a hierarchy");
    }
    let group = Host::discover(root.path()).create(0, &Limit::default(), &CONTROLLERS).expect("a group");
    let folder = group.folders().first().expect("its folder").clone();
    assert!(folder.starts_with(root.path().join(MOUNT)));
    (root.within(&folder, &GROUP), group)
}

thread_local! {
    static MACHINES: RefCell<Machines> = RefCell::new(Machines::new());
}

/// Splits the input into parts `=== NAME`, line end, contents. Unknown names are left out. A part `before NAME` belongs
/// to the earlier of two captures.
fn parts(bytes: &[u8]) -> HashMap<String, Cow<'_, [u8]>> {
    const MARK: &[u8] = b"=== ";
    let starts: Vec<usize> = bytes
        .windows(MARK.len())
        .enumerate()
        .filter(|&(at, window)| window == MARK && (at == 0 || bytes[at - 1] == b'\n'))
        .map(|(at, _)| at)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let part = |(start, end): (&usize, usize)| {
        let part = &bytes[start + MARK.len()..end];
        let line = part.iter().position(|&byte| byte == b'\n')?;
        let name = std::str::from_utf8(&part[..line]).ok()?;
        let content = &part[line + 1..];
        Some(match name {
            UNPACKED => (CONFIG.to_owned(), packed(content).into()),
            name => (name.to_owned(), content.into()),
        })
    };
    starts.iter().zip(ends).filter_map(part).collect()
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut bytes = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    bytes.write_all(text).expect("there is room in memory");
    bytes.finish().expect("there is room in memory")
}

/// Examines a machine, identifies it, and reads one of its groups.
pub(crate) fn tree(bytes: &[u8]) {
    let parts = parts(bytes);
    let of = |name: &str| parts.get(name).map(|bytes| Cow::Borrowed(&**bytes));
    MACHINES.with_borrow_mut(|machines| {
        machines.after.fill(of);
        machines.before.fill(|name| of(&format!("before {name}")).or_else(|| of(name)));
        machines.group_files.fill(|name| of(&format!("group/{name}")));
        examined(machines.before.path(), machines.after.path());
        identified(machines.after.path());
        grouped(&machines.group);
    });
}

/// A tenth of a second between the captures.
const APART: Nanos = Nanos(100_000_000);

/// Every hazard is judged, in lines that do nothing to a terminal.
fn examined(before: &Path, after: &Path) {
    let found = examine_captures(before, after, None, APART);
    assert_eq!(found.hazards.len(), hazards().count());
    for hazard in &found.hazards {
        let said = [hazard.value.as_deref(), hazard.reason.as_deref(), hazard.tune.as_deref()];
        let cpus = hazard.cpus.iter().map(|one| one.value.as_str());
        for text in said.into_iter().flatten().chain(cpus) {
            assert!(!text.contains(char::is_control), "{}: {text:?}", hazard.name);
        }
    }
    assert!(not_measured(&found).iter().all(|line| !line.contains('\n')));
}

/// No fact is an empty word.
fn identified(root: &Path) {
    assert!(identity(root).values().all(|value| !value.is_empty()));
}

fn grouped(group: &Group) {
    let (usage, held) = (group.usage(), group.limits());
    assert!(held.cpu_percent.is_none_or(|percent| percent.is_finite() && percent >= 0.0), "{held:?}");
    assert!(held.weight.is_none_or(f64::is_finite), "{held:?}");
    group.peak_memory_bytes();
    assert!(serde_json::to_string(&(usage, held)).is_ok());
}
