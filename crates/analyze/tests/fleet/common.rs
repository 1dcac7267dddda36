//! Analysis of simulated fleets, and records of nodes with given readings.

use std::collections::BTreeMap;

use fauxplat_analyze::fleet::{FleetQuestion, fleet_findings};
use fauxplat_model::{FleetEvidence, FleetFindings, FleetNode, Metric, NodeBlock, NodeRecord, NodeState};

use crate::fleets::Drawn;

pub(crate) fn question() -> FleetQuestion {
    FleetQuestion::of(Metric::WALL, 7)
}

pub(crate) fn judged(evidence: &FleetEvidence) -> FleetFindings {
    fleet_findings(evidence, &question())
}

pub(crate) fn count(found: &FleetFindings, state: NodeState) -> usize {
    found.nodes.iter().filter(|node| node.state == state).count()
}

pub(crate) fn node<'a>(found: &'a FleetFindings, name: &str) -> &'a FleetNode {
    found.nodes.iter().find(|node| node.node == name).unwrap()
}

/// Findings of a fleet after its suspects were measured again by the plan of the first findings.
pub(crate) fn judged_twice(drawn: &mut Drawn) -> FleetFindings {
    let first = judged(&drawn.evidence);
    if let Some(plan) = &first.again {
        drawn.measure_again(plan);
    }
    judged(&drawn.evidence)
}

/// A record of a node with these wall times in nanoseconds, one per block.
pub(crate) fn record(node: &str, facts: &[(&str, &str)], walls: &[u64]) -> NodeRecord {
    let block = |(at, &wall): (usize, &u64)| NodeBlock {
        started_ns: at as u64,
        commands: vec![0],
        values: BTreeMap::from([("wall".to_owned(), vec![Some(wall)])]),
    };
    NodeRecord {
        node: node.to_owned(),
        attempt: 1,
        blocks: walls.iter().enumerate().map(block).collect(),
        facts: facts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..NodeRecord::default()
    }
}

pub(crate) fn fleet(records: Vec<NodeRecord>) -> FleetEvidence {
    FleetEvidence { records, ..FleetEvidence::default() }
}
