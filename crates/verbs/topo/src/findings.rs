//! Findings of `topo`: the topology of a machine, and CPUs that were picked from it by relation.

use fauxplat_model::Topology;
use fauxplat_model::document::OwnFindings;
use fauxplat_topology::Chosen;
use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

pub(crate) const SCHEMA: &str = "fauxplat.topo/1";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopoFindings {
    pub topology: Topology,
    /// The picked CPUs; `None` if no relation was given.
    pub pick: Option<Pick>,
}

/// CPUs picked by a relation such as `sibling-of:3`, with reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// The relation, in its canonical form.
    pub relation: String,
    /// The CPUs that satisfy the relation.
    pub cpus: CpuSet,
    /// Details of each picked CPU, in rising order, or the quietest first if that was requested.
    pub chosen: Vec<Chosen>,
    /// Nanoseconds for which the CPUs were watched; `None` if they were not.
    pub watched_ns: Option<u64>,
}

impl TopoFindings {
    /// The findings as those of a record. Programs read other fields, which the report makes of them.
    ///
    /// # Errors
    /// Never fails in practice: every part of the findings has a form in JSON.
    pub fn findings(&self) -> serde_json::Result<OwnFindings> {
        OwnFindings::new(SCHEMA, self)
    }
}
