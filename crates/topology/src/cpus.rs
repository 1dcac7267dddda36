//! The CPUs of a machine: present, online, and allowed to this process.

use std::path::Path;

use fauxplat_procfs::{cpuinfo, status};
use fauxplat_units::{Cpu, CpuSet};

use crate::parse::CPU_LIMIT;
use crate::read;

/// Online CPUs. Without the kernel's list: the CPUs that have a folder and are not marked offline, and without `/sys`
/// all CPUs in `/proc/cpuinfo`.
pub fn online(root: &Path) -> CpuSet {
    match read::list(root, "sys/devices/system/cpu/online") {
        Some(cpus) if !cpus.is_empty() => cpus,
        _ => unlisted(root, &read::table(root, "proc/cpuinfo").unwrap_or_default()).online,
    }
}

/// CPUs that were found without the kernel's lists.
#[derive(Debug, Default)]
pub(crate) struct Unlisted {
    /// All CPUs that have a folder.
    pub(crate) present: CpuSet,
    /// CPUs that have a folder and are not marked offline.
    pub(crate) online: CpuSet,
}

/// CPUs by their folders, for kernels before 2.6.24, which have no lists; without folders, the CPUs in `/proc/cpuinfo`.
pub(crate) fn unlisted(root: &Path, cpuinfo: &str) -> Unlisted {
    let folder = root.join("sys/devices/system/cpu");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let number = |name: std::ffi::OsString| name.to_str()?.strip_prefix("cpu")?.parse::<u32>().ok();
    let numbers = entries.take(2 * CPU_LIMIT as usize).filter_map(|entry| number(entry.file_name()));
    let present: CpuSet = numbers.filter(|&number| number < CPU_LIMIT).map(Cpu).collect();
    if present.is_empty() {
        let listed = processors(cpuinfo);
        return Unlisted { present: listed.clone(), online: listed };
    }
    let is_offline = |cpu: &Cpu| {
        read::text(root, &format!("sys/devices/system/cpu/cpu{cpu}/online")).is_some_and(|digit| digit == "0")
    };
    let online = present.iter().filter(|cpu| !is_offline(cpu)).collect();
    Unlisted { present, online }
}

/// CPUs of the machine, online or not. Without the kernel's list: the CPUs that have folders or are online.
pub fn present(root: &Path) -> CpuSet {
    let listed = read::list(root, "sys/devices/system/cpu/present");
    let cpuinfo = || read::table(root, "proc/cpuinfo").unwrap_or_default();
    match listed.filter(|cpus| !cpus.is_empty()) {
        Some(cpus) => cpus,
        None => unlisted(root, &cpuinfo()).present.union(&online(root)),
    }
}

/// Hardware threads of this CPU's core, including the CPU itself; empty where the kernel does not report them.
pub fn siblings(root: &Path, cpu: Cpu) -> CpuSet {
    let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    read::list(root, &file).unwrap_or_default()
}

/// Online CPUs in the affinity mask of this process; all online CPUs where the mask is unknown.
///
/// The mask comes from `/proc/self/status` and not from `sched_getaffinity(2)`, which omits CPUs that are just being
/// taken offline or brought online.
pub fn allowed(root: &Path) -> CpuSet {
    allowed_of(&online(root), &read::text(root, "proc/self/status").unwrap_or_default())
}

/// [`allowed`] for the given text of `/proc/self/status`; the whole mask where no CPU is known to be online.
pub(crate) fn allowed_of(online: &CpuSet, text: &str) -> CpuSet {
    match status::cpus_allowed_list(text).and_then(|list| list.parse::<CpuSet>().ok()) {
        Some(mask) if online.is_empty() => mask,
        Some(mask) => mask.intersection(online),
        None => online.clone(),
    }
}

/// The frequency governor of the first online CPU; `None` without cpufreq.
pub(crate) fn governor(root: &Path, online: &CpuSet) -> Option<String> {
    let cpu = online.first()?;
    read::text(root, &format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
}

/// Frequencies at which the first online CPU can be held, in kHz, rising. Where the driver lists none: the lowest, the
/// highest and the middle between them. Empty without cpufreq.
pub fn frequencies_khz(root: &Path) -> Vec<u32> {
    let Some(cpu) = online(root).first() else { return Vec::new() };
    let file = |name: &str| read::text(root, &format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/{name}"));
    let number = |name: &str| file(name).and_then(|digits| digits.parse::<u32>().ok());
    let listed = file("scaling_available_frequencies").unwrap_or_default();
    let mut all: Vec<u32> = listed.split_whitespace().filter_map(|digits| digits.parse().ok()).collect();
    if let (true, Some(low), Some(high)) =
        (all.is_empty(), number("cpuinfo_min_freq"), number("cpuinfo_max_freq"))
    {
        all = vec![low, low / 2 + high / 2, high];
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The CPUs on the `processor` lines of `/proc/cpuinfo`.
pub(crate) fn processors(text: &str) -> CpuSet {
    // A nonsensical number must not make the bit set huge.
    cpuinfo::processors(text).filter(|&cpu| cpu < CPU_LIMIT).map(Cpu).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_lines_are_counted_and_nonsense_is_not() {
        let text =
            "processor\t: 0\nmodel name\t: X\n\nprocessor\t: 3\nprocessor : many\nprocessor: 4000000000\n";
        assert_eq!(processors(text).to_string(), "0,3");
    }
}
