//! Places for the threads of commands: CPUs that are there, and nothing beside them that would speak against.

use fauxplat_model::{Definition, Placement, ThreadPlaces};
use fauxplat_units::CpuSet;

use crate::cpus::check_cpus;
use crate::{Failure, Machine};

/// Refuses places that a thread cannot have, and what cannot hold beside them.
///
/// # Errors
/// A CPU that is not there, offline, or not allowed; another statement about the same.
pub(crate) fn check(definition: &Definition, machine: &Machine) -> Result<(), Failure> {
    let Some(threads) = &definition.condition.pin_threads else { return Ok(()) };
    refuse(definition, threads)?;
    let cpus: CpuSet = threads.cpus().unwrap_or_default().into_iter().collect();
    check_cpus(&format!("--pin-threads {threads}"), &cpus, machine)
}

fn refuse(definition: &Definition, threads: &ThreadPlaces) -> Result<(), Failure> {
    let condition = &definition.condition;
    let is_placed = !matches!(condition.cpu, Placement::Auto | Placement::Free);
    let refused = [
        (is_placed, "--cpu", "each says where threads run; the list of --pin-threads is enough"),
        (condition.shell.is_used(), "--shell", "the threads would be those of the shell"),
        (condition.simulate.is_some(), "--simulated", "a simulator runs one thread at a time"),
        (definition.rule.duet, "--duet", "two commands at the same moment would have the same CPUs"),
        (
            definition.control.is_some(),
            "--control",
            "whoever waits for births cannot wait for a program's words",
        ),
    ];
    match refused.into_iter().find(|(is_asked, ..)| *is_asked) {
        Some((_, option, why)) => {
            Err(Failure::usage(format!("--pin-threads {threads} and {option}: {why}; leave one of them out")))
        }
        None => Ok(()),
    }
}
