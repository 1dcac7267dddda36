//! What topology says about CPUs, in the words of the verbs that measure them.

use fauxplat_kernels::Caches;
use fauxplat_model::{GroupKind, Neighbourhood, Topology};
use fauxplat_units::{Bytes, Cpu};

/// Sizes of the caches of a CPU; what the kernel does not tell is as large as usual.
pub(crate) fn caches_of(topology: &Topology, cpu: Cpu) -> Caches {
    let usual = Caches::default();
    let size = |level: u32| topology.cache_of(level, cpu).and_then(|cache| cache.size);
    let l1d = size(1).unwrap_or(usual.l1d);
    let l2 = size(2).unwrap_or(l1d);
    let last = topology.caches.iter().map(|cache| cache.level).max().unwrap_or(0);
    let llc = (3..=last).rev().find_map(size).unwrap_or(l2).max(l2);
    let line = topology.cache_of(1, cpu).and_then(|cache| cache.line).filter(|line| *line > Bytes(0));
    Caches { l1d, l2, llc, line: line.unwrap_or(usual.line) }
}

/// What the kernel claims that two CPUs are to each other.
pub(crate) fn claimed(topology: &Topology, a: Cpu, b: Cpu) -> Neighbourhood {
    if a == b {
        return Neighbourhood::SameCpu;
    }
    let core = topology.group_of(GroupKind::Core, a);
    if core.is_some_and(|core| core.cpus.contains(b)) {
        return Neighbourhood::SmtSibling;
    }
    let shared = topology.caches.iter().any(|cache| cache.cpus.contains(a) && cache.cpus.contains(b));
    if shared { Neighbourhood::SharedCache } else { Neighbourhood::Separate }
}
