//! What a node is asked to do, as one JSON document.

use serde::{Deserialize, Serialize};

use super::NodePlan;
use crate::Definition;

/// What a node is asked to do: the document `fauxplat.node-order/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeOrder {
    /// Name and version of this document.
    pub schema: String,
    /// Version of fauxplat that gives it: one of another version refuses it.
    pub fauxplat_version: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// What the engine calls the node; absent where one order goes to many.
    #[serde(default)]
    pub node: Option<String>,
    /// By what the plan is known.
    pub plan: NodePlan,
    /// The round: 0 for the first measurement of all.
    #[serde(default)]
    pub round: u32,
    /// Which attempt at that round it is, from 1.
    #[serde(default)]
    pub attempt: u32,
    /// What is measured.
    pub definition: Definition,
    /// Whether each command is run once more for a checksum of what it answers.
    pub answers: bool,
}

impl NodeOrder {
    /// Name and version of the document.
    pub const SCHEMA: &'static str = "fauxplat.node-order/1";
}
