//! All counters of the kernel that hazards need, read at one moment. Rates follow from two such readings, a short time
//! apart.

use std::collections::BTreeMap;

use fauxplat_procfs::{cgroup as group, pressure as psi};
use fauxplat_sys::clock;
use fauxplat_units::{Cpu, CpuSet};

use crate::read::cgroup;
use crate::read::stat::{self, Ticks};
use crate::read::table::Table;
use crate::read::tasks::{self, Processes};
use crate::tree::{Missing, Tree};

/// A value that was read, or the reason why it could not be.
pub(crate) type Read<T> = Result<T, Missing>;

/// Time limit for reading all processes, of the 300 ms that an examination may take.
const PROCESSES_NS_MAX: u64 = 30_000_000;

/// Pressure (PSI) of a resource: microseconds since boot in which at least one task waited for the resource, and per
/// cent of the last ten seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pressure {
    pub(crate) total_us: u64,
    pub(crate) avg10_percent: f64,
}

/// How often a control group was stopped by its quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Throttle {
    pub(crate) folder: String,
    /// Number of periods in which the group was stopped.
    pub(crate) throttled: u64,
    /// Number of all periods in which the group ran.
    pub(crate) periods: u64,
}

/// A disk: time with a request in flight, and requests in flight now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disk {
    pub(crate) name: String,
    pub(crate) busy_ms: u64,
    pub(crate) in_flight: u64,
}

/// All counters, at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    pub(crate) at_ns: u64,
    pub(crate) stat: Read<BTreeMap<Cpu, Ticks>>,
    pub(crate) interrupts: Read<Table>,
    pub(crate) softirqs: Read<Table>,
    pub(crate) vmstat: Read<String>,
    pub(crate) disks: Read<Vec<Disk>>,
    /// For each CPU, the number of times that heat slowed down its core or package.
    pub(crate) thermal: Read<Vec<(Cpu, u64)>>,
    /// The first CPU to be measured on, with its number of system management interrupts (SMI).
    pub(crate) smi: Read<Vec<(Cpu, u64)>>,
    pub(crate) throttle: Read<Vec<Throttle>>,
    pub(crate) cpu_pressure: Read<Pressure>,
    pub(crate) memory_pressure: Read<Pressure>,
    pub(crate) io_pressure: Read<Pressure>,
    pub(crate) processes: Read<Processes>,
}

impl Counters {
    /// Reads all counters: first the processes, which take longest, and then the time and all others, so that the time
    /// between two readings is the one over which the others count.
    pub(crate) fn read(tree: &Tree, cpus: &CpuSet) -> Counters {
        let processes = tasks::processes(tree, PROCESSES_NS_MAX);
        Counters { processes, ..Counters::without_processes(tree, cpus) }
    }

    /// Reads only the CPU times and the throttling, which are in a few small files, for the warnings that precede an
    /// experiment.
    pub(crate) fn brief(tree: &Tree) -> Counters {
        Counters { stat: ticks(tree), throttle: throttle(tree), ..Counters::nothing() }
    }

    fn without_processes(tree: &Tree, cpus: &CpuSet) -> Counters {
        Counters {
            at_ns: clock::monotonic_ns(),
            stat: ticks(tree),
            interrupts: table(tree, "proc/interrupts"),
            softirqs: table(tree, "proc/softirqs"),
            vmstat: tree.long("proc/vmstat"),
            disks: disks(tree),
            thermal: thermal(tree, cpus),
            smi: smi(tree, cpus),
            throttle: throttle(tree),
            cpu_pressure: pressure(tree, "cpu"),
            memory_pressure: pressure(tree, "memory"),
            io_pressure: pressure(tree, "io"),
            processes: Err(Missing::NoDelta),
        }
    }

    fn nothing() -> Counters {
        Counters {
            at_ns: 0,
            stat: Err(Missing::NoDelta),
            interrupts: Err(Missing::NoDelta),
            softirqs: Err(Missing::NoDelta),
            vmstat: Err(Missing::NoDelta),
            disks: Err(Missing::NoDelta),
            thermal: Err(Missing::NoDelta),
            smi: Err(Missing::NoDelta),
            throttle: Err(Missing::NoDelta),
            cpu_pressure: Err(Missing::NoDelta),
            memory_pressure: Err(Missing::NoDelta),
            io_pressure: Err(Missing::NoDelta),
            processes: Err(Missing::NoDelta),
        }
    }
}

fn ticks(tree: &Tree) -> Read<BTreeMap<Cpu, Ticks>> {
    let cpus = stat::parse(&tree.long("proc/stat")?);
    if cpus.is_empty() { Err(Missing::garbage("proc/stat", "it names no CPU")) } else { Ok(cpus) }
}

fn table(tree: &Tree, path: &str) -> Read<Table> {
    Table::parse(&tree.long(path)?).ok_or_else(|| Missing::garbage(path, "it names no CPU"))
}

fn pressure(tree: &Tree, kind: &str) -> Read<Pressure> {
    let path = format!("proc/pressure/{kind}");
    let parts = psi::some(&tree.text(&path)?).and_then(|some| some.total_us.zip(some.avg10_percent));
    let (total_us, avg10_percent) = parts.ok_or_else(|| Missing::garbage(&path, "it has no total"))?;
    Ok(Pressure { total_us, avg10_percent })
}

/// Reads whole disks only: the time of a partition is included in the time of its disk.
fn disks(tree: &Tree) -> Read<Vec<Disk>> {
    let text = tree.long("proc/diskstats")?;
    let whole = tree.names("sys/block").ok();
    let is_disk = |disk: &Disk| match &whole {
        Some(names) => names.contains(&disk.name),
        None => true,
    };
    Ok(text.lines().filter_map(disk).filter(is_disk).collect())
}

/// Parses a line of `/proc/diskstats`, see `Documentation/admin-guide/iostats.rst` of the kernel: the 9th figure after
/// the disk's name is the number of requests in flight, the 10th the time with requests.
fn disk(line: &str) -> Option<Disk> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let figure = |at: usize| fields.get(at)?.parse().ok();
    Some(Disk { name: (*fields.get(2)?).to_owned(), in_flight: figure(11)?, busy_ms: figure(12)? })
}

fn thermal(tree: &Tree, cpus: &CpuSet) -> Read<Vec<(Cpu, u64)>> {
    let count = |cpu: Cpu| {
        let file =
            |kind: &str| format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{kind}_throttle_count");
        let core = tree.parse::<u64>(&file("core"))?;
        Ok((cpu, core.saturating_add(tree.parse(&file("package")).unwrap_or(0))))
    };
    cpus.iter().map(count).collect()
}

/// `MSR_SMI_COUNT`, in Intel's "Software Developer's Manual", volume 4.
const MSR_SMI_COUNT: u64 = 0x34;

fn smi(tree: &Tree, cpus: &CpuSet) -> Read<Vec<(Cpu, u64)>> {
    use std::os::unix::fs::FileExt;
    // An SMI interrupts all CPUs, so the counter of one stands for all.
    let cpu = cpus.first().ok_or_else(|| Missing::Absent("dev/cpu".to_owned()))?;
    let path = format!("dev/cpu/{cpu}/msr");
    let file = tree.open_any(&path)?;
    let mut bytes = [0; 8];
    match file.read_exact_at(&mut bytes, MSR_SMI_COUNT) {
        Ok(()) => Ok(vec![(cpu, u64::from_le_bytes(bytes))]),
        Err(_) => Err(Missing::Absent(format!("{path} (register {MSR_SMI_COUNT:#x})"))),
    }
}

/// Reads the throttling of every control group that contains this process. The root group has no quota, and is left
/// out.
fn throttle(tree: &Tree) -> Read<Vec<Throttle>> {
    let one = |folder: &String| {
        let text = tree.text(&format!("{folder}/cpu.stat")).ok()?;
        let (throttled, periods) = (group::throttled_periods(&text)?, group::periods(&text)?);
        Some(Throttle { folder: folder.clone(), throttled, periods })
    };
    Ok(cgroup::groups(tree, "cpu")?.folders.iter().filter_map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_named_with_their_time() {
        let line = " 254 0 vda 1 2 3 4 5 6 7 8 9 10 11 0 0 0 0 0 0";
        assert_eq!(disk(line), Some(Disk { name: "vda".into(), in_flight: 9, busy_ms: 10 }));
        assert_eq!(disk("254 0 vda 1 2"), None);
    }
}
