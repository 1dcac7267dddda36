//! What topology says about CPUs, in the words of the verbs that measure them.

use fauxplat_kernels::Caches;
use fauxplat_model::{GroupKind, Neighbourhood, Topology};
use fauxplat_units::Cpu;

/// Sizes of the caches of a CPU.
pub(crate) fn caches_of(topology: &Topology, cpu: Cpu) -> Caches {
    Caches::of(topology, cpu)
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
