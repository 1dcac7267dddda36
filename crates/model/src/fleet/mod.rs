//! What a fleet of machines gives: a document of each node, and an account of those that gave none.

mod every;
mod fact;
mod node;
mod order;

pub use every::Every;
pub use fact::{FACTS, FactRole, FactSpec, role_of};
pub use node::{NodeAnswer, NodeBlock, NodeFailure, NodeNoise, NodePlan, NodeRecord};
pub use order::NodeOrder;

use serde::{Deserialize, Serialize};

/// What became of a node's delivery, where it is no record that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryState {
    /// Nothing came.
    Missing,
    /// The engine, or fauxplat on the node, says that it could not be measured.
    Failed,
    /// What came is no document of this run: not readable, damaged, or of another plan.
    Garbage,
    /// A second document of the same attempt; the first one counts.
    Twice,
    /// A document in which the node calls itself by the name of another.
    ForAnother,
}

impl DeliveryState {
    /// What a person calls it.
    pub fn words(self) -> &'static str {
        match self {
            DeliveryState::Missing => "nothing came",
            DeliveryState::Failed => "failed",
            DeliveryState::Garbage => "no document of this run",
            DeliveryState::Twice => "answered twice",
            DeliveryState::ForAnother => "answered for another",
        }
    }
}

/// One delivery that is no record that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The node that was asked.
    pub node: String,
    /// The round of the fleet run: 0 for the first measurement of all, from 1 on for those of suspects.
    pub round: u32,
    /// Which attempt at that round it was, from 1.
    pub attempt: u32,
    /// What became of it.
    pub state: DeliveryState,
    /// Why, in one line; what the engine or the reader of the document said.
    pub reason: Option<String>,
}

/// All that came home from one run over a fleet. The findings follow from this, and from nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetEvidence {
    /// UUID of the run.
    pub fleet: String,
    /// What every node was asked to do.
    pub plan: NodePlan,
    /// What reports call the commands, in the order of their index; two for a comparison.
    pub commands: Vec<String>,
    /// The records that count: at most one for each node and round.
    pub records: Vec<NodeRecord>,
    /// Everything else that came or did not come.
    pub deliveries: Vec<Delivery>,
    /// How suspects were measured again, as it was settled before the first round; absent where nobody was. Machines
    /// that answered the survey later would make another plan, by which the rounds of this one could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
}

/// Which machines are to be measured again, and in which order: every round one after the other, and the nodes of a
/// turn in the order of its list, so that a suspect is measured between two machines that stand for its group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remeasurement {
    /// Whom to measure in each round; the first one is round 1.
    pub rounds: Vec<Vec<String>>,
    /// With whom each suspect is compared.
    pub suspects: Vec<SuspectPlan>,
    /// Suspects that cannot be decided by measuring again, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// With whom a suspect is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspectPlan {
    /// The suspect.
    pub node: String,
    /// Machines of its group whose median is nearest to that of the group; two where there are two.
    pub references: Vec<String>,
}

/// A suspect that is not measured again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The suspect.
    pub node: String,
    /// Why.
    pub reason: String,
}
