//! The JSON document that tells a node of a fleet what to measure.

use serde::{Deserialize, Serialize};

use super::NodePlan;
use crate::Definition;

/// Instructions for a measurement on a node: the document `fauxplat.node-order/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeOrder {
    /// Name and version of this document.
    pub schema: String,
    /// Version of the fauxplat that wrote the document; a node with another version refuses it.
    pub fauxplat_version: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// Name of the node in the tool that distributes work to the fleet; `None` if the document is for many nodes.
    #[serde(default)]
    pub node: Option<String>,
    pub plan: NodePlan,
    /// Round of the run over the fleet: 0 for the measurement of all nodes.
    #[serde(default)]
    pub round: u32,
    /// Number of the attempt in that round, from 1.
    #[serde(default)]
    pub attempt: u32,
    pub definition: Definition,
    /// Whether each command is run once more to obtain a hash of its output.
    pub answers: bool,
}

impl NodeOrder {
    /// Value of `schema` in documents of this version.
    pub const SCHEMA: &'static str = "fauxplat.node-order/1";
}
