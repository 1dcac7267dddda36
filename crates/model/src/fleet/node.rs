//! What one node returns, as one JSON document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a node was asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodePlan {
    /// SHA-256 of the definition, in hexadecimal.
    pub definition_sha256: String,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

/// One block of runs on a node, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeBlock {
    /// When it began, counted from the start of the node's record.
    pub started_ns: u64,
    /// The command of each run, by its index.
    pub commands: Vec<u16>,
    /// By metric id: what each run read, in the unit of the metric; absent where it was not measured.
    pub values: BTreeMap<String, Vec<Option<u64>>>,
}

/// What the program answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeAnswer {
    /// The command, by its index.
    pub command: u16,
    /// SHA-256 of its output, or of what the definition names as its answer, in hexadecimal.
    pub sha256: String,
    /// Runs that answered so. A node that gives two answers has two entries.
    pub runs: u32,
}

/// What a node says about its own quiet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeNoise {
    /// Share of the time that the hypervisor took, where it is known.
    pub steal_share: Option<f64>,
    /// Share of the time in which something waited for a CPU (`some` of the kernel's pressure), where it is known.
    pub pressure_share: Option<f64>,
    /// Times that a CPU was throttled for heat or power while it was measured, where it is known.
    pub throttles: Option<u64>,
    /// Relative spread of its runs: the interquartile range over the median.
    pub spread: Option<f64>,
    /// What it warns of, in sentences.
    pub warnings: Vec<String>,
}

/// Something that went wrong on a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFailure {
    /// The command, by its index, where it was one.
    pub command: Option<u16>,
    /// How many runs it took.
    pub runs: u32,
    /// What happened, in one line.
    pub reason: String,
}

/// What one node returns: the document `fauxplat.node/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Name and version of this document.
    pub schema: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// What the node is called by the engine.
    pub node: String,
    /// What it was asked to do.
    pub plan: NodePlan,
    /// The round: 0 for the first measurement of all, from 1 on for those of suspects.
    pub round: u32,
    /// Which attempt at that round this was, from 1.
    pub attempt: u32,
    /// Version of fauxplat on the node.
    pub fauxplat_version: String,
    /// Machine architecture, as `uname -m` prints it.
    pub architecture: String,
    /// Identifier of the boot.
    pub boot_id: String,
    /// The node's clock when it began, in nanoseconds since 1970, UTC.
    pub started_utc_ns: i64,
    /// The same when it ended.
    pub ended_utc_ns: i64,
    /// Its runs.
    pub blocks: Vec<NodeBlock>,
    /// What its programs answered.
    pub answers: Vec<NodeAnswer>,
    /// What is known of the machine, by the names of [`super::FACTS`]; others may be among them.
    pub facts: BTreeMap<String, String>,
    /// Its own noise check.
    #[serde(default)]
    pub noise: NodeNoise,
    /// What went wrong.
    #[serde(default)]
    pub failures: Vec<NodeFailure>,
}

impl NodeRecord {
    /// Name and version of the document.
    pub const SCHEMA: &'static str = "fauxplat.node/1";
}
