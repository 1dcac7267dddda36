//! Finds out which factors this machine and its permissions support.

use fauxplat_plan::Offer;
use fauxplat_sys::sched;

use crate::Machine;
use crate::surroundings::folders::Folders;

/// Returns the factors and levels that this machine supports. The folders of a sweep over `cwd-length` are created
/// below `folders`.
pub(super) fn offer(machine: &Machine, folders: &Folders) -> Offer {
    let facts = machine.facts();
    Offer {
        allowed: facts.cpu.allowed.intersection(&facts.cpu.online),
        frequencies_khz: fauxplat_topology::frequencies_khz(machine.root()),
        cwd_bytes_min: folders.shortest_bytes(),
        may_raise_priority: sched::may_raise_priority(),
        memory_nodes: crate::memory::nodes(machine),
        memory_bytes: facts.memory_bytes.0,
    }
}
