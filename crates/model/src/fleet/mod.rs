//! Data of a run over a fleet: the documents that nodes returned, and a list of nodes without a usable one.

mod every;
mod fact;
mod node;
mod order;

pub use every::Every;
pub use fact::{FACTS, FactRole, FactSpec, role_of};
pub use node::{NodeAnswer, NodeBlock, NodeFailure, NodeNoise, NodePlan, NodeRecord};
pub use order::NodeOrder;

use serde::{Deserialize, Serialize};

/// Outcome of an attempt to obtain a record from a node that gave no record, or no usable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryState {
    /// Nothing was delivered.
    Missing,
    /// The node could not be asked. `reason` holds the message of the tool that distributes work to the fleet.
    Unreached,
    /// The measurement failed, according to that tool or to fauxplat on the node.
    Failed,
    /// The document is unreadable, damaged, or of another plan than this run's.
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

/// An attempt to obtain a record from a node that gave no record, or no usable one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub node: String,
    /// Round of the run over the fleet: 0 for the measurement of all nodes, from 1 on for repeated measurements of slow
    /// ones.
    pub round: u32,
    /// Number of the attempt in that round, from 1.
    pub attempt: u32,
    pub state: DeliveryState,
    /// Reason in one line; `None` if none is known.
    pub reason: Option<String>,
}

/// Data of a run over a fleet. Findings are computed from these data alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetEvidence {
    pub fleet: String,
    pub plan: NodePlan,
    /// Names of the commands in reports, in the order of their index; two if programs are compared.
    pub commands: Vec<String>,
    /// Requested number of measured runs per node; `None` if the number depends on the duration of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Usable records, at most one for each node and round.
    pub records: Vec<NodeRecord>,
    /// Attempts to obtain records from nodes that gave no record, or no usable one.
    pub deliveries: Vec<Delivery>,
    /// Plan of the repeated measurements of slow nodes, fixed before the first repeated round; `None` if there are
    /// none. The plan is stored because late records of round 0 would lead to a different plan, by which the rounds
    /// could not be interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
}

/// Plan of machines to measure again. Rounds follow one after the other, and within a round the order of the list
/// holds, so that a suspect (a machine slower than its group) is measured between two machines that represent its
/// group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remeasurement {
    /// Names of the nodes to measure in each round, in their order; the first is round 1.
    pub rounds: Vec<Vec<String>>,
    pub suspects: Vec<SuspectPlan>,
    /// Suspects for which a repeated measurement is not possible, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// A suspect and the machines with which it is compared when it is measured again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspectPlan {
    pub node: String,
    /// Two machines of the suspect's group whose medians are near that of the group, or a single one if there is no
    /// second.
    pub references: Vec<String>,
}

/// A suspect that is not measured again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub node: String,
    pub reason: String,
}
