//! Exit codes of `fleet`: whether any machine was measured, and whether a gate (`--fail-if`) fails.

use fauxplat_experiment::Failure;
use fauxplat_fleet::{Asked, RunFolder};
use fauxplat_model::document::Findings;
use fauxplat_model::{FleetEvidence, FleetFindings, FleetGate, FleetNode, FleetWatchFindings, NodeState};
use fauxplat_sys::signal;

use super::found;

/// Number of machines that the message about a failed gate names; the others are counted.
const NAMED: usize = 3;

/// Checks that at least one machine was measured.
///
/// # Errors
/// Fails where no machine has a figure: the command failed on all that were asked, or none could be asked.
pub(super) fn measured(found: &Findings, evidence: &FleetEvidence) -> Result<(), Failure> {
    let is_measured = match found {
        Findings::Fleet(found) => found.nodes.iter().any(|node| node.runs > 0),
        Findings::FleetCompare(found) => found.nodes.iter().any(|node| node.pairs > 0),
        _ => true,
    };
    // An interrupted run may end without figures.
    if is_measured || signal::stop_requested() {
        return Ok(());
    }
    let failed = evidence.records.iter().find_map(|record| Some((&record.node, record.failures.first()?)));
    let silent = evidence.deliveries.iter().find_map(|it| Some((&it.node, it.reason.as_ref()?)));
    Err(match (failed, silent) {
        (Some((node, failure)), _) => {
            Failure::command(format!("no machine could be measured; {node}: {}", failure.reason))
        }
        (None, Some((node, reason))) => {
            Failure::machine(format!("no machine could be measured; {node}: {reason}"))
        }
        (None, None) => Failure::machine("no machine could be measured"),
    })
}

/// Applies the gates to the findings of a run over a fleet. `runs` returns the changes over all stored runs, and is
/// called only where a gate asks for them.
///
/// # Errors
/// Fails where a gate fails, or where the stored runs cannot be read.
pub(super) fn passed(
    gates: &[FleetGate],
    found: &Findings,
    runs: impl FnOnce() -> Result<FleetWatchFindings, Failure>,
) -> Result<(), Failure> {
    let Findings::Fleet(found) = found else { return Ok(()) };
    let changes = match gates.contains(&FleetGate::Changed) {
        true => Some(runs()?),
        false => None,
    };
    decide(gates, found, changes.as_ref())
}

/// Applies the gates; the message lists each failing gate with its machines. A gate without an answer is told beside
/// one that fails.
///
/// # Errors
/// Fails where a gate fails, or where a gate has no answer because no machine was compared with others or over time.
pub(super) fn decide(
    gates: &[FleetGate],
    found: &FleetFindings,
    changes: Option<&FleetWatchFindings>,
) -> Result<(), Failure> {
    let failing = |gate: &FleetGate| {
        let mut names = gate.failing(found);
        names.extend(changes.filter(|_| *gate == FleetGate::Changed).into_iter().flat_map(changed));
        (!names.is_empty()).then(|| format!("{gate}: {}", listed(&names)))
    };
    let failed: Vec<String> = gates.iter().filter_map(failing).collect();
    let failed = (!failed.is_empty()).then(|| Failure::gate(format!("--fail-if {}", failed.join("; "))));
    Failure::both(failed.map_or(Ok(()), Err), answered(gates, found, changes))
}

/// Checks that every gate has an answer.
///
/// # Errors
/// Fails where a gate has none, because no machine was compared with others or over time.
fn answered(
    gates: &[FleetGate],
    found: &FleetFindings,
    changes: Option<&FleetWatchFindings>,
) -> Result<(), Failure> {
    // If no machine could be judged over time, the absence of changes is no answer to a gate.
    if let Some(why) = changes.and_then(why_unjudged) {
        return Err(Failure::machine(format!("--fail-if {} cannot be answered: {why}", FleetGate::Changed)));
    }
    let compares =
        |gate: &&FleetGate| matches!(gate, FleetGate::Confirmed | FleetGate::Suspect | FleetGate::Explained);
    let is_compared = |node: &FleetNode| {
        use NodeState::{Cleared, Confirmed, Noisy, Normal, Suspect};
        matches!(node.state, Normal | Suspect | Confirmed | Noisy | Cleared)
    };
    match gates.iter().find(compares) {
        // No machine fails the gate, but none was compared with others, so none could have failed it.
        Some(gate) if !found.nodes.iter().any(is_compared) => Err(Failure::machine(format!(
            "--fail-if {gate} cannot be answered: no machine could be compared with another (see --fail-if uncompared)"
        ))),
        _ => Ok(()),
    }
}

/// The reason why no machine can be judged by its changes over the stored runs; `None` where some can.
fn why_unjudged(found: &FleetWatchFindings) -> Option<String> {
    let [first, ..] = found.nodes.as_slice() else { return Some("no run is stored".to_owned()) };
    let is_judged = found.nodes.iter().any(|node| node.reason.is_none());
    let why = first.reason.as_ref().filter(|_| !is_judged)?;
    Some(format!("no machine can be judged; {}: {why}", first.node))
}

/// Names of the machines that changed, and of the whole fleet if it changed.
fn changed(found: &FleetWatchFindings) -> Vec<&str> {
    let whole = (!found.whole.is_empty()).then_some("the whole fleet");
    let nodes = found.nodes.iter().filter(|node| !node.changes.is_empty()).map(|node| node.node.as_str());
    whole.into_iter().chain(nodes).collect()
}

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// Applies the gates to a stored run.
///
/// # Errors
/// Fails where no machine was measured, or where a gate fails.
pub(super) fn of_stored(
    gates: &[FleetGate],
    (folder, asked): (&RunFolder, &Asked),
    found: &Findings,
    evidence: &FleetEvidence,
) -> Result<(), Failure> {
    measured(found, evidence)?;
    passed(gates, found, || found::changes_beside(folder, asked))
}
