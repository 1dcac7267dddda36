//! The JSON document that a node of a fleet returns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Identity of the plan by which a node measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodePlan {
    /// SHA-256 of the definition, in hexadecimal.
    pub definition_sha256: String,
    /// Seed of all random choices.
    pub seed: u64,
}

/// A block of runs on a node, with the runs in the order of execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeBlock {
    /// Start of the block in nanoseconds after the start of the node's measurement.
    pub started_ns: u64,
    /// Index of the command of each run.
    pub commands: Vec<u16>,
    /// Readings of each run by metric id, in the unit of the metric; `None` if not measured.
    pub values: BTreeMap<String, Vec<Option<u64>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeAnswer {
    /// Index of the command.
    pub command: u16,
    /// SHA-256, in hexadecimal, of the output or of the part of it that the definition names as the answer.
    pub sha256: String,
    /// Number of runs with this output. A node whose runs gave two outputs has two entries.
    pub runs: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeNoise {
    /// Share of the time that the hypervisor took; `None` if unknown.
    pub steal_share: Option<f64>,
    /// Share of the time in which some task waited for a CPU (`some` of the kernel's pressure); `None` if unknown.
    pub pressure_share: Option<f64>,
    /// Number of times that a CPU was throttled for heat or power during the measurement; `None` if unknown.
    pub throttles: Option<u64>,
    /// Interquartile range of the node's runs over their median; `None` if unknown.
    pub spread: Option<f64>,
    /// Circumstances that may spoil the measurement, one sentence each.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFailure {
    /// Index of the command that failed; `None` for a failure outside of commands.
    pub command: Option<u16>,
    pub runs: u32,
    pub reason: String,
}

/// The record that a node returns: the document `fauxplat.node/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Name and version of this document.
    pub schema: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// Name of the node in the tool that distributes work to the fleet.
    pub node: String,
    pub plan: NodePlan,
    /// Round of the run over the fleet: 0 for the measurement of all nodes, from 1 on for repeated measurements of slow
    /// ones.
    pub round: u32,
    /// Number of the attempt in that round, from 1.
    pub attempt: u32,
    pub fauxplat_version: String,
    /// Machine architecture, as `uname -m` prints it.
    pub architecture: String,
    /// The kernel's identifier of the boot.
    pub boot_id: String,
    /// The node's clock at the start, in nanoseconds since 1970, UTC.
    pub started_utc_ns: i64,
    /// The node's clock at the end, in nanoseconds since 1970, UTC.
    pub ended_utc_ns: i64,
    pub blocks: Vec<NodeBlock>,
    pub answers: Vec<NodeAnswer>,
    /// Facts of the machine by name, those of [`super::FACTS`] and possibly others.
    pub facts: BTreeMap<String, String>,
    #[serde(default)]
    pub noise: NodeNoise,
    #[serde(default)]
    pub failures: Vec<NodeFailure>,
}

impl NodeRecord {
    /// Value of `schema` in documents of this version.
    pub const SCHEMA: &'static str = "fauxplat.node/1";
}
