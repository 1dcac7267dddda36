//! Functions shared by the experiments that measure threads of fauxplat itself.

use fauxplat_model::{Condition, EnvPad, Heap, Placement};
use fauxplat_plan::{Layout, Plan};
use fauxplat_units::CpuSet;
use fauxplat_workers::Counted;

use crate::counters::Counters;
use crate::{Driver, Failure, Machine, check_placement, relation};

/// A plan that visits every cell of a design once in each block.
pub fn cells_plan(cells: usize, seed: u64) -> Plan {
    Plan {
        commands: cells as u16,
        placement: Placement::Free,
        env_pad: EnvPad::None,
        heap: Heap::Inherit,
        layout: Layout::Single,
        seed,
    }
}

/// Events that the workers of an experiment count while they work. Only one set of counters is possible, since the work
/// is not repeated for a further set.
///
/// # Errors
/// Fails for an event that cannot be counted on this machine, or not together with the others.
pub fn counted(driver: &mut Driver) -> Result<Vec<Counted>, Failure> {
    let counters = Counters::open(&driver.header.definition, driver.machine())?;
    let set = counters.only_set()?;
    crate::header::miss(&mut driver.header, counters.not_measured(&[]));
    counters.notes.iter().for_each(|note| driver.warn(note.clone()));
    Ok(set.into_iter().map(|entry| (entry.metric, entry.event())).collect())
}

/// The CPUs that a placement names by a list or a relation, which must be online and allowed.
///
/// # Errors
/// Fails for a CPU that does not exist or is not allowed, or a placement that names none.
pub fn cpus_of(placement: &Placement, machine: &Machine) -> Result<CpuSet, Failure> {
    let mut chosen = Condition { cpu: placement.clone(), ..Condition::default() };
    relation::resolve(&mut chosen, machine)?;
    match &chosen.cpu {
        Placement::Set(cpus) => check_placement(&chosen.cpu, machine).map(|()| cpus.clone()),
        other => Err(Failure::usage(format!(
            "`{other}` names no CPU here: give a list such as 0-3, or a relation such as one-per-core"
        ))),
    }
}

/// The CPUs of workers: the CPUs of the placement `named`, or without one the first CPUs that this process may use,
/// `first` of them.
///
/// # Errors
/// Fails as [`cpus_of`] does, or if no CPU is allowed at all.
pub fn cpus_or_first(named: Option<&Placement>, machine: &Machine, first: usize) -> Result<CpuSet, Failure> {
    let cpus = match named {
        Some(placement) => cpus_of(placement, machine)?,
        None => machine.allowed().iter().take(first).collect(),
    };
    match cpus.is_empty() {
        true => Err(Failure::machine("no CPU is allowed to this process")),
        false => Ok(cpus),
    }
}
