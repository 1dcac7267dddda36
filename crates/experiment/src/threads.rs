//! Checks the CPUs that `--pin-threads` gives to threads: they must be usable, and no other option may contradict them.

use fauxplat_model::{Definition, Placement, ThreadPlaces};
use fauxplat_units::CpuSet;

use crate::cpus::check_cpus;
use crate::{Failure, Machine};

/// Refuses CPUs on which a thread cannot run, and options that contradict the places of threads.
///
/// # Errors
/// Fails for a CPU that does not exist, is offline, or is not allowed, and for another option about the CPUs of
/// threads.
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
            "the process that waits for new threads cannot read the pipes of --control as well",
        ),
    ];
    match refused.into_iter().find(|(is_asked, ..)| *is_asked) {
        Some((_, option, why)) => {
            Err(Failure::usage(format!("--pin-threads {threads} and {option}: {why}; leave one option out")))
        }
        None => Ok(()),
    }
}
