//! Computes the findings of stored runs over a fleet, for every verb that reports them.

use std::path::Path;

use fauxplat_analyze::fleet::{
    FleetQuestion, first_records, fleet_compare, fleet_findings, fleet_watch, visit,
};
use fauxplat_experiment::Failure;
use fauxplat_fleet::{Asked, RunFolder, evidence};
use fauxplat_model::document::Findings;
use fauxplat_model::{FleetEvidence, FleetWatchFindings, Metric, NodeVisit};

use crate::output;

/// The description of a run, with its metrics registered.
pub(super) fn asked(folder: &RunFolder) -> Result<Asked, Failure> {
    let mut asked = Asked::read(folder)?;
    asked.order.definition.make_known().map_err(Failure::usage)?;
    Ok(asked)
}

/// The metric by which machines are judged.
pub(super) fn metric(asked: &Asked) -> Metric {
    asked.order.definition.rule.metric
}

/// The answers of all machines in a run, with their readings of the metric by which machines are judged.
pub(super) fn gathered(folder: &RunFolder, asked: &Asked) -> Result<FleetEvidence, Failure> {
    Ok(evidence(folder, asked, &[metric(asked).name()])?)
}

pub(super) fn findings(asked: &Asked, evidence: &FleetEvidence) -> Findings {
    let mut question = FleetQuestion::of(metric(asked), asked.order.plan.seed);
    match asked.compares {
        true => {
            question.least_effect = asked.order.definition.rule.margin;
            Findings::FleetCompare(Box::new(fleet_compare(evidence, &question)))
        }
        false => Findings::Fleet(Box::new(fleet_findings(evidence, &question))),
    }
}

/// Changes of machines over all runs that have the same definition and are stored in the same place as this run.
pub(super) fn changes_beside(folder: &RunFolder, asked: &Asked) -> Result<FleetWatchFindings, Failure> {
    let beside = folder.path().parent().unwrap_or(Path::new("/"));
    Ok(changes(RunFolder::all(beside)?, asked))
}

/// Changes of machines over those runs that have the definition of `latest`. Runs that compare two commands are left
/// out.
pub(super) fn changes(runs: Vec<RunFolder>, latest: &Asked) -> FleetWatchFindings {
    let question = FleetQuestion::of(metric(latest), latest.order.plan.seed);
    let mut visits: Vec<NodeVisit> = Vec::new();
    for folder in runs {
        let Some(asked) = kept(asked(&folder)) else { continue };
        if asked.order.plan.definition_sha256 != latest.order.plan.definition_sha256 || asked.compares {
            continue;
        }
        let Some(evidence) = kept(gathered(&folder, &asked)) else { continue };
        visits.extend(first_records(&evidence).filter_map(|record| visit(record, &question)));
    }
    let command = latest.commands.first().cloned().unwrap_or_default();
    fleet_watch(&visits, &command, &question)
}

/// A part of a stored run. Where it cannot be read, prints a message and returns `None`, so that the other runs are
/// still reported.
pub(super) fn kept<T>(read: Result<T, Failure>) -> Option<T> {
    read.inspect_err(|error| output::complain(&format!("{error}; this run is left out"))).ok()
}
