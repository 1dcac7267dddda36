//! Evidence of a fleet run: a document of each node, and an account of nodes without one.

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
    /// The node could not be asked: the engine says why.
    Unreached,
    /// The engine, or fauxplat on the node, reports that the measurement failed.
    Failed,
    /// The delivery is no document of this run: unreadable, damaged, or of another plan.
    Garbage,
    /// A second document of the same attempt; the first one is used.
    Twice,
    /// A document in which the node has the name of another.
    ForAnother,
}

impl DeliveryState {
    /// The words in reports.
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
    /// The node that was asked.
    pub node: String,
    /// Round of the fleet run: 0 for the survey of all nodes, from 1 on for repeated measurements of suspects.
    pub round: u32,
    /// Number of the attempt in that round, from 1.
    pub attempt: u32,
    /// State of the delivery.
    pub state: DeliveryState,
    /// Reason in one line, from the engine or the reader of the document.
    pub reason: Option<String>,
}

/// Evidence of one fleet run. Findings are computed from evidence and from nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetEvidence {
    /// UUID of the run.
    pub fleet: String,
    /// The plan that every node was given.
    pub plan: NodePlan,
    /// Names of the commands in reports, in the order of their index; two for a comparison.
    pub commands: Vec<String>,
    /// Measured runs that every node was asked for; `None` where that depends on how long a run takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Usable records: at most one for each node and round.
    pub records: Vec<NodeRecord>,
    /// All other deliveries, and missing ones.
    pub deliveries: Vec<Delivery>,
    /// Plan for repeated measurements of suspects, fixed before the first of their rounds; `None` where there are no
    /// suspects. The plan is stored because machines that answer the survey later would give another one, and the
    /// rounds could not be read by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
}

/// Machines to be measured again, and their order: one round after the other, and the nodes of a round in the order of
/// its list, so that a suspect is measured between two machines that represent its group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remeasurement {
    /// Nodes to measure in each round; the first is round 1.
    pub rounds: Vec<Vec<String>>,
    /// References of each suspect.
    pub suspects: Vec<SuspectPlan>,
    /// Suspects that cannot be decided by measuring again, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// References with which a suspect is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspectPlan {
    /// The suspect.
    pub node: String,
    /// Machines of the suspect's group with the medians nearest to that of the group; two where there are two.
    pub references: Vec<String>,
}

/// A suspect that is not measured again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The suspect.
    pub node: String,
    /// Why the suspect cannot be decided.
    pub reason: String,
}
