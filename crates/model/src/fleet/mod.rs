//! Evidence of a fleet run: the documents of nodes, and an account of nodes without one.

mod every;
mod fact;
mod node;
mod order;

pub use every::Every;
pub use fact::{FACTS, FactRole, FactSpec, role_of};
pub use node::{NodeAnswer, NodeBlock, NodeFailure, NodeNoise, NodePlan, NodeRecord};
pub use order::NodeOrder;

use serde::{Deserialize, Serialize};

/// State of a delivery that holds no usable record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryState {
    /// Nothing was delivered.
    Missing,
    /// The node could not be asked. `reason` holds the message of the engine.
    Unreached,
    /// The engine, or fauxplat on the node, reports that the measurement failed.
    Failed,
    /// The delivery is not a document of this run: unreadable, damaged, or of another plan.
    Garbage,
    /// A second document of the same attempt; the first one is used.
    Twice,
    /// A document that gives a different name for the node.
    ForAnother,
}

impl DeliveryState {
    pub fn words(self) -> &'static str {
        match self {
            DeliveryState::Missing => "nothing came",
            DeliveryState::Unreached => "could not be asked",
            DeliveryState::Failed => "failed",
            DeliveryState::Garbage => "no document of this run",
            DeliveryState::Twice => "answered twice",
            DeliveryState::ForAnother => "answered for another",
        }
    }
}

/// A delivery that holds no usable record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub node: String,
    /// Round of the fleet run: 0 for the survey of all nodes, from 1 on for repeated measurements of suspects.
    pub round: u32,
    /// Number of the attempt in that round, from 1.
    pub attempt: u32,
    pub state: DeliveryState,
    /// Reason in one line, from the engine or from the reader of the document.
    pub reason: Option<String>,
}

/// Evidence of one fleet run. Findings are computed from evidence alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetEvidence {
    pub fleet: String,
    pub plan: NodePlan,
    /// Names of the commands in reports, in the order of their index; two for a comparison.
    pub commands: Vec<String>,
    /// Requested number of measured runs per node; `None` if the number depends on the duration of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Usable records: at most one for each node and round.
    pub records: Vec<NodeRecord>,
    /// All other deliveries, including missing ones.
    pub deliveries: Vec<Delivery>,
    /// Plan for repeated measurements of suspects, fixed before the first repeated round; `None` without suspects. The
    /// plan is stored because nodes that answer the survey late would lead to a different plan, by which the rounds
    /// could not be interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
}

/// Machines to measure again. Rounds follow one after the other, and within a round the order of the list holds, so
/// that a suspect is measured between two machines that represent its group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remeasurement {
    /// Nodes to measure in each round; the first is round 1.
    pub rounds: Vec<Vec<String>>,
    pub suspects: Vec<SuspectPlan>,
    /// Suspects that cannot be decided by a repeated measurement, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// Machines with which a suspect is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspectPlan {
    pub node: String,
    /// Two machines of the suspect's group with medians near that of the group, or one if no second machine is
    /// available.
    pub references: Vec<String>,
}

/// A suspect that is not measured again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub node: String,
    pub reason: String,
}
