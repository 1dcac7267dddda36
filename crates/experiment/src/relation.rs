//! Resolves CPUs that are given by a relation (such as the siblings of a CPU), for every verb that takes CPUs: once per
//! experiment. The chosen CPUs are recorded.

use std::path::Path;

use fauxplat_model::{Condition, CpuChoice, Placement, Relation, ThreadPlace, Topology};
use fauxplat_sys::clock;
use fauxplat_topology::{Activities, Chosen, CpuActivity, PickError, Watch};
use fauxplat_units::{CpuSet, Nanos};

use crate::{Failure, Machine};

/// Time for which the activity of CPUs is watched to find idle ones.
const WATCH: Nanos = Nanos(100_000_000);

/// Replaces a placement that is given by a relation by a list of CPUs, with the reason for each; likewise the places of
/// threads.
///
/// # Errors
/// Fails with exit code 2 if the relation names a CPU that does not exist, and with 3 if no CPU of the machine
/// satisfies it.
pub fn resolve(condition: &mut Condition, machine: &Machine) -> Result<(), Failure> {
    if let Some(threads) = &mut condition.pin_threads {
        threads.places = places(&threads.places, machine)?;
    }
    let Placement::Related(spread, relation) = &condition.cpu else { return Ok(()) };
    let chosen = answer(relation, machine)?;
    let cpus: CpuSet = chosen.iter().map(|one| one.cpu).collect();
    let why = chosen.iter().map(|one| format!("CPU {}: {}", one.cpu, reason(one))).collect();
    condition.cpu_choice = Some(CpuChoice { relation: relation.to_string(), cpus: cpus.clone(), why });
    condition.cpu = spread.on(cpus);
    Ok(())
}

/// The CPUs of a list of places, in its order. Each relation is replaced by its CPUs in their order.
fn places(places: &[ThreadPlace], machine: &Machine) -> Result<Vec<ThreadPlace>, Failure> {
    let mut all = Vec::new();
    for place in places {
        match place {
            ThreadPlace::Cpu(cpu) => all.push(ThreadPlace::Cpu(*cpu)),
            ThreadPlace::Related(relation) => {
                let chosen = answer(relation, machine).map_err(|failure| failure.within("--pin-threads"))?;
                all.extend(chosen.iter().map(|one| ThreadPlace::Cpu(one.cpu)));
            }
        }
    }
    Ok(all)
}

/// The CPUs of a machine that satisfy a relation. If the relation depends on activity, the CPUs of a live machine are
/// watched for a while; a captured machine has no activity.
///
/// # Errors
/// Fails as [`resolve`] does.
pub fn answer(relation: &Relation, machine: &Machine) -> Result<Vec<Chosen>, Failure> {
    let is_watched = relation.asks_for_activity() && machine.is_live();
    let activities = is_watched.then(|| watch(machine.root(), machine.topology(), WATCH));
    pick(relation, machine.topology(), activities.as_ref())
}

/// The CPUs that satisfy a relation, given the activity of all CPUs.
///
/// # Errors
/// Fails as [`resolve`] does.
pub fn pick(
    relation: &Relation,
    topology: &Topology,
    activities: Option<&Activities>,
) -> Result<Vec<Chosen>, Failure> {
    fauxplat_topology::pick(relation, topology, activities).map_err(|error| match error {
        PickError::NoSuchCpu { .. } => Failure::usage(error),
        PickError::NoAnswer { .. } => Failure::machine(error),
    })
}

/// Measures the activity of all CPUs over the given time.
pub fn watch(root: &Path, topology: &Topology, time: Nanos) -> Activities {
    let started_ns = clock::monotonic_ns();
    let watch = Watch::begin(root);
    std::thread::sleep(std::time::Duration::from_nanos(time.0));
    watch.end(topology, clock::monotonic_ns() - started_ns)
}

fn reason(chosen: &Chosen) -> String {
    let activity = chosen.activity.as_ref().map_or(String::new(), figures);
    format!("{}{activity}", chosen.why)
}

fn figures(activity: &CpuActivity) -> String {
    format!(
        " ({:.1} % busy, {:.1} % steal, {:.0} interrupts/s)",
        activity.busy_share * 100.0,
        activity.steal_share * 100.0,
        activity.interrupts_per_s
    )
}
