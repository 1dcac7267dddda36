//! The hazards, a file per group.

mod background;
mod cpus;
mod frequency;
mod idle;
mod interrupts;
mod kernel;
mod limits;
mod memory;
mod power;
mod process;
mod scheduling;
mod storage;
mod virtualisation;

use crate::hazard::Hazard;

const GROUPS: [&[Hazard]; 13] = [
    frequency::HAZARDS,
    power::HAZARDS,
    idle::HAZARDS,
    cpus::HAZARDS,
    scheduling::HAZARDS,
    memory::HAZARDS,
    interrupts::HAZARDS,
    virtualisation::HAZARDS,
    kernel::HAZARDS,
    limits::HAZARDS,
    background::HAZARDS,
    storage::HAZARDS,
    process::HAZARDS,
];

/// Iterates over every known hazard, group by group.
pub fn hazards() -> impl Iterator<Item = &'static Hazard> {
    GROUPS.into_iter().flatten()
}
