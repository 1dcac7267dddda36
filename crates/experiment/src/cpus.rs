//! CPUs that are asked for, and whether they can be had.

use fauxplat_model::Placement;
use fauxplat_units::CpuSet;

use crate::{Failure, Machine};

/// CPUs that were asked for must be online and allowed: a run that silently went elsewhere would be worse than none.
///
/// # Errors
/// A CPU that is not there, offline, or not allowed.
pub fn check_placement(placement: &Placement, machine: &Machine) -> Result<(), Failure> {
    let (Placement::Set(wanted) | Placement::OneOf(wanted) | Placement::IdleOf(wanted)) = placement else {
        return Ok(());
    };
    check_cpus(&format!("--cpu {wanted}"), wanted, machine)
}

/// The same for CPUs that were asked for in other words.
///
/// # Errors
/// As [`check_placement`].
pub fn check_cpus(asked: &str, wanted: &CpuSet, machine: &Machine) -> Result<(), Failure> {
    let say = |cpus: CpuSet, why: String| Err(Failure::usage(format!("{asked}: CPU {cpus} {why}")));
    let facts = &machine.facts().cpu;
    let present = fauxplat_topology::present(machine.root());
    let missing = wanted.without(&facts.online);
    let unknown = missing.without(&present);
    if !unknown.is_empty() {
        return say(unknown, format!("does not exist; this machine has CPUs {present}"));
    }
    if !missing.is_empty() {
        return say(missing, format!("is offline; online are {}", facts.online));
    }
    let forbidden = wanted.without(&facts.allowed);
    if !forbidden.is_empty() {
        let allowed = &facts.allowed;
        return say(
            forbidden,
            format!("is not allowed to this process; allowed are {allowed} (affinity or cpuset)"),
        );
    }
    Ok(())
}
