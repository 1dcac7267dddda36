//! CPUs by relation: which of a machine's CPUs are meant, and why each of them.

mod evaluate;
mod parts;
mod reasons;

use fauxplat_model::{Chosen, CpuActivity, Relation, Topology};
use fauxplat_units::{Cpu, CpuSet};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    /// The relation names a CPU that this machine does not have.
    #[error("{relation}: CPU {cpu} does not exist; this machine has CPUs {present}")]
    NoSuchCpu {
        /// The relation as the user wrote it.
        relation: String,
        /// The CPU that does not exist.
        cpu: Cpu,
        /// All CPUs of the machine.
        present: CpuSet,
    },
    /// No CPU on this machine fulfils the relation.
    #[error("{relation}: {reason}")]
    NoAnswer {
        /// The relation as the user wrote it.
        relation: String,
        /// Why no CPU fulfils the relation.
        reason: String,
    },
}

/// Activity of CPUs over an interval.
pub type Activities = Vec<(Cpu, CpuActivity)>;

/// The CPUs that fulfil a relation, out of those that are online and allowed, each with the reasons.
///
/// They come in rising order, and those of `quietest` from the quietest on. What they did while they were watched is
/// part of the answer where it is known; `quietest` cannot be answered without.
///
/// # Errors
/// [`PickError`]: there is always a CPU in an answer.
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

/// Activity of a CPU; `None` where it was not watched.
fn activity_of(activities: Option<&Activities>, cpu: Cpu) -> Option<&CpuActivity> {
    activities?.iter().find(|(watched, _)| *watched == cpu).map(|(_, activity)| activity)
}
