//! Decides which CPUs may be taken offline. CPU 0 stays online, since interrupts and firmware often depend on it. So
//! does the last online CPU of a NUMA node, whose memory would otherwise have no local CPU.

use fauxplat_units::{Cpu, CpuSet};

use crate::Root;
use crate::repair::cpus;

/// Reason why a CPU stays online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// The CPU does not exist or has no `online` file.
    Absent(String),
    /// The CPU is offline already.
    Already,
    /// A rule of this module forbids taking the CPU offline.
    Refused(String),
}

/// Returns why this CPU may not be taken offline in addition to the CPUs in `going`; `None` if it may.
pub(crate) fn objection(root: &Root, cpu: Cpu, going: &CpuSet) -> Option<Stays> {
    let online = cpus(root, "online");
    let left = online.without(going).without(&only(cpu));
    if !root.has(&format!("sys/devices/system/cpu/cpu{cpu}")) {
        return Some(Stays::Absent(format!("this machine has no CPU {cpu}")));
    }
    if cpu == Cpu(0) {
        return Some(Stays::Refused("CPU 0 is never taken off: interrupts and firmware count on it".into()));
    }
    if !online.contains(cpu) {
        return Some(Stays::Already);
    }
    if !root.has(&file(cpu)) {
        return Some(Stays::Absent(format!("CPU {cpu} cannot be taken off on this machine")));
    }
    if left.is_empty() {
        return Some(Stays::Refused(format!("CPU {cpu} would be the last CPU online")));
    }
    if let Some(node) = emptied_node(root, cpu, &left) {
        return Some(Stays::Refused(format!("CPU {cpu} is the last online CPU of {node}")));
    }
    let isolated: Option<CpuSet> =
        root.value("sys/fs/cgroup/cpuset.cpus.isolated").and_then(|list| list.parse().ok());
    if isolated.is_some_and(|isolated| isolated.contains(cpu)) {
        return Some(Stays::Refused(format!("CPU {cpu} belongs to an isolated partition of somebody else")));
    }
    None
}

/// Returns the NUMA node of this CPU if none of its CPUs stays online; `None` otherwise. `left` holds all CPUs that
/// stay online.
fn emptied_node(root: &Root, cpu: Cpu, left: &CpuSet) -> Option<String> {
    let nodes = root.glob("sys/devices/system/node/node*/cpulist");
    let of_cpu = nodes.into_iter().find(|file| {
        let list = root.value(file).and_then(|list| list.parse::<CpuSet>().ok()).unwrap_or_default();
        list.contains(cpu) && list.intersection(left).is_empty()
    })?;
    of_cpu.rsplit('/').nth(1).map(str::to_owned)
}

pub(crate) fn file(cpu: Cpu) -> String {
    format!("sys/devices/system/cpu/cpu{cpu}/online")
}

pub(crate) fn only(cpu: Cpu) -> CpuSet {
    [cpu].into_iter().collect()
}

/// Returns the other hardware threads of the core to which this CPU belongs.
pub(crate) fn siblings(root: &Root, cpu: Cpu) -> CpuSet {
    fauxplat_topology::siblings(root.path(), cpu).without(&only(cpu))
}

/// Returns the CPUs that the setting `smt=off` takes offline: all online CPUs except the first thread of each core.
pub(crate) fn second_threads(root: &Root) -> CpuSet {
    let online = cpus(root, "online");
    let second = |cpu: &Cpu| siblings(root, *cpu).iter().any(|other| other.0 < cpu.0);
    online.iter().filter(second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Six CPUs, of which CPU 5 is offline and CPU 3 has no `online` file; the online ones are on two nodes.
    fn machine() -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sys/devices/system/cpu/online", "0-4\n");
        for cpu in 0..6 {
            let pair = if cpu % 2 == 0 { format!("{cpu}-{}", cpu + 1) } else { format!("{}-{cpu}", cpu - 1) };
            write(&format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"), &pair);
            if cpu != 3 {
                write(&format!("sys/devices/system/cpu/cpu{cpu}/online"), "1\n");
            }
        }
        write("sys/devices/system/node/node0/cpulist", "0-1\n");
        write("sys/devices/system/node/node1/cpulist", "2-4\n");
        let root = Root::new(folder.path());
        (folder, root)
    }

    #[test]
    fn some_cpus_stay() {
        let (_folder, root) = machine();
        let none = CpuSet::new();
        assert_eq!(objection(&root, Cpu(1), &none), None);
        assert!(matches!(objection(&root, Cpu(0), &none), Some(Stays::Refused(_))));
        assert_eq!(objection(&root, Cpu(5), &none), Some(Stays::Already));
        assert!(matches!(objection(&root, Cpu(3), &none), Some(Stays::Absent(_))));
        assert!(matches!(objection(&root, Cpu(9), &none), Some(Stays::Absent(_))));
        let going: CpuSet = "2-3".parse().unwrap();
        let last = objection(&root, Cpu(4), &going);
        assert_eq!(last, Some(Stays::Refused("CPU 4 is the last online CPU of node1".into())));
    }

    #[test]
    fn second_threads_are_all_but_the_first_of_a_core() {
        let (_folder, root) = machine();
        assert_eq!(second_threads(&root).to_string(), "1,3");
        assert_eq!(siblings(&root, Cpu(2)).to_string(), "3");
    }
}
