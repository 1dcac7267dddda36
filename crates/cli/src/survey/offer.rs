//! What this machine and these permissions offer to a sweep.

use std::path::Path;

use fauxplat_plan::Offer;
use fauxplat_sys::sched;

use super::folders::Folders;
use crate::failure::Failure;

/// Looks at the machine. The folders of a sweep over `cwd-length` are made below `folders`.
pub(super) fn offer(folders: &Folders) -> Result<Offer, Failure> {
    let machine = fauxplat_topology::discover(Path::new("/"));
    Ok(Offer {
        allowed: machine.cpu.allowed.intersection(&machine.cpu.online),
        frequencies_khz: fauxplat_topology::frequencies_khz(Path::new("/")),
        cwd_bytes_min: folders.shortest_bytes(),
        may_raise_priority: sched::may_raise_priority(),
        memory_bytes: machine.memory_bytes.0,
    })
}
