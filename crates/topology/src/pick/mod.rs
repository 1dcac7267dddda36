//! Selects CPUs by a relation, and gives the reasons for each.

mod evaluate;
mod parts;
mod reasons;

use fauxplat_model::{Relation, Topology};
use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use crate::activity::CpuActivity;

/// A CPU that fulfils a relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    pub cpu: Cpu,
    pub why: String,
    /// Whether the kernel isolates the CPU from other tasks.
    pub isolated: bool,
    /// Activity on the CPU while it was watched; `None` if it was not.
    pub activity: Option<CpuActivity>,
}

/// The reason why a relation gives no CPU.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    /// The relation names a CPU that this machine does not have.
    #[error("{relation}: CPU {cpu} does not exist; this machine has CPUs {present}")]
    NoSuchCpu { relation: String, cpu: Cpu, present: CpuSet },
    /// No CPU on this machine fulfils the relation.
    #[error("{relation}: {reason}")]
    NoAnswer { relation: String, reason: String },
}

/// The watched CPUs, each with its activity over the same interval.
pub type Activities = Vec<(Cpu, CpuActivity)>;

/// The online and allowed CPUs that fulfil a relation, each with the reasons; never empty.
///
/// CPUs come in rising order, or quietest first where the relation asks for activity. The answer includes the activity
/// of watched CPUs; `quietest` cannot be evaluated without activities.
///
/// # Errors
/// Fails where the relation names a CPU that the machine does not have, or where no CPU fulfils it.
pub fn pick(
    relation: &Relation,
    topology: &Topology,
    activities: Option<&Activities>,
) -> Result<Vec<Chosen>, PickError> {
    let asked = evaluate::Asked { relation, topology, activities };
    let cpus = asked.answer()?;
    let chosen = |cpu: Cpu| Chosen {
        cpu,
        why: reasons::why(&asked, cpu),
        isolated: topology.isolated.contains(cpu),
        activity: activity_of(activities, cpu).cloned(),
    };
    Ok(cpus.into_iter().map(chosen).collect())
}

/// Activity of a CPU; `None` where the CPU was not watched.
fn activity_of(activities: Option<&Activities>, cpu: Cpu) -> Option<&CpuActivity> {
    activities?.iter().find(|(watched, _)| *watched == cpu).map(|(_, activity)| activity)
}
