//! What is kept of a run: what was asked at its beginning, and everything that happened since.

use fauxplat_model::{Delivery, FleetEvidence, NodeOrder, NodeRecord, Remeasurement};
use serde::{Deserialize, Serialize};

use crate::engine::{Listed, Task};
use crate::folder::{ASKED, RunFolder};
use crate::journal::Journal;
use crate::site::EngineOptions;
use crate::{FleetError, engine};

/// The file of what happened.
pub(crate) const JOURNAL: &str = "journal";

/// What was asked: the document `fauxplat.fleet-run/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Name and version of this document.
    pub schema: String,
    /// When it began, in RFC 3339 form.
    pub started: String,
    /// The engine, as after `--on`.
    pub on: String,
    /// How it is used.
    pub options: EngineOptions,
    /// What every node is asked to do.
    pub order: NodeOrder,
    /// What reports call the commands.
    pub commands: Vec<String>,
    /// Whether two programs are compared.
    pub compares: bool,
    /// Whether suspects are left as they are.
    #[serde(default)]
    pub no_confirm: bool,
    /// The nodes, and why nothing can be measured on some of them.
    pub nodes: Vec<AskedNode>,
    /// The command line.
    pub invocation: Vec<String>,
    /// The folder in which it was given, which its paths are relative to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A node as it was listed when the run began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedNode {
    /// What the engine calls it.
    pub name: String,
    /// Why nothing can be measured there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unable: Option<String>,
}

impl From<Listed> for AskedNode {
    fn from(listed: Listed) -> Self {
        AskedNode { name: listed.name, unable: listed.unable }
    }
}

impl Asked {
    /// Name and version of the document.
    pub const SCHEMA: &'static str = "fauxplat.fleet-run/1";

    /// Keeps it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, folder: &RunFolder) -> Result<(), FleetError> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| FleetError::Garbage(error.to_string()))?;
        folder.write(ASKED, text.as_bytes())
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is not there, or another document.
    pub fn read(folder: &RunFolder) -> Result<Self, FleetError> {
        let text = folder.read(ASKED)?;
        let refuse = |why: String| FleetError::Record { path: folder.file(ASKED), why };
        let asked: Asked = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        match asked.schema == Self::SCHEMA {
            true => Ok(asked),
            false => {
                Err(refuse(format!("it is a {:?}, and this fauxplat reads {}", asked.schema, Self::SCHEMA)))
            }
        }
    }

    /// The names of nodes that can be asked.
    pub fn able(&self) -> Vec<String> {
        let able = self.nodes.iter().filter(|node| node.unable.is_none() && engine::is_plain(&node.name));
        able.map(|node| node.name.clone()).collect()
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Entry {
    /// A task was made.
    Task(Task),
    /// It was handed over.
    Handed {
        /// The number of the task.
        task: u32,
        /// By what the engine knows it.
        handle: String,
        /// When, by our clock.
        at_utc_ns: i64,
    },
    /// It was answered.
    Answer {
        /// The number of the task.
        task: u32,
        /// What the node said.
        record: Box<NodeRecord>,
    },
    /// It gave nothing that counts.
    Trouble {
        /// The number of the task.
        task: u32,
        /// What became of it.
        delivery: Delivery,
        /// Whether nothing is expected of it any more.
        is_last: bool,
    },
    /// How suspects are measured again, before the first round of it.
    Again(Remeasurement),
}

/// Everything that came home, as far as it is needed: of what runs read, these metrics.
///
/// # Errors
/// The records cannot be read.
pub fn evidence(folder: &RunFolder, asked: &Asked, metrics: &[&str]) -> Result<FleetEvidence, FleetError> {
    let mut evidence = FleetEvidence {
        fleet: asked.order.fleet.clone(),
        plan: asked.order.plan.clone(),
        commands: asked.commands.clone(),
        ..FleetEvidence::default()
    };
    evidence.deliveries.extend(asked.nodes.iter().filter_map(|node| {
        let reason = Some(node.unable.clone()?);
        let state = fauxplat_model::DeliveryState::Missing;
        Some(Delivery { node: node.name.clone(), round: 0, attempt: 1, state, reason })
    }));
    let path = folder.file(JOURNAL);
    if !path.exists() {
        return Ok(evidence);
    }
    Journal::entries(&path, |entry| match entry {
        Entry::Answer { mut record, .. } => {
            for block in &mut record.blocks {
                block.values.retain(|id, _| metrics.contains(&id.as_str()));
            }
            evidence.records.push(*record);
        }
        Entry::Trouble { delivery, .. } => evidence.deliveries.push(delivery),
        Entry::Again(plan) => evidence.again = Some(plan),
        Entry::Task(_) | Entry::Handed { .. } => {}
    })?;
    Ok(evidence)
}
