//! The JSON document that a node receives.

use serde::{Deserialize, Serialize};

use super::NodePlan;
use crate::Definition;

/// Order to a node: the document `fauxplat.node-order/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeOrder {
    /// Name and version of this document.
    pub schema: String,
    /// Version of fauxplat that gives the order; a node with another version refuses it.
    pub fauxplat_version: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// Name of the node in the engine; `None` if one order goes to many nodes.
    #[serde(default)]
    pub node: Option<String>,
    pub plan: NodePlan,
    /// Round of the fleet run: 0 for the survey of all nodes.
    #[serde(default)]
    pub round: u32,
    /// Number of the attempt in that round, from 1.
    #[serde(default)]
    pub attempt: u32,
    pub definition: Definition,
    /// Whether each command is run once more to obtain a checksum of its answer.
    pub answers: bool,
}

impl NodeOrder {
    /// Name and version of the document.
    pub const SCHEMA: &'static str = "fauxplat.node-order/1";
}
