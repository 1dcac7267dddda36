//! Records of a run over a fleet: the request at its beginning, and all events since.

use std::collections::HashSet;

use fauxplat_model::{Delivery, DeliveryState, FleetEvidence, NodeOrder, NodeRecord, Remeasurement, Runs};
use serde::{Deserialize, Serialize};

use crate::engine::{Listed, Task};
use crate::folder::{ASKED, RunFolder};
use crate::journal::Journal;
use crate::site::EngineOptions;
use crate::{FleetError, engine};

pub(crate) const JOURNAL: &str = "journal";

/// Request of a run: the document `fauxplat.fleet-run/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Name and version of this document.
    pub schema: String,
    /// Start time in RFC 3339 form.
    pub started: String,
    /// Name and argument of the engine, as after `--on`.
    pub on: String,
    pub options: EngineOptions,
    /// Order (what to measure) for every node.
    pub order: NodeOrder,
    /// Names of the commands in reports.
    pub commands: Vec<String>,
    pub compares: bool,
    /// Whether suspects, nodes that seem slow, are not measured again.
    #[serde(default)]
    pub no_confirm: bool,
    /// All nodes, each with the reason if no measurement is possible there.
    pub nodes: Vec<AskedNode>,
    /// Number of nodes that a manifest asks for; names are known only of nodes whose log was taken. `None` for runs
    /// without a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions: Option<u32>,
    pub invocation: Vec<String>,
    /// Working directory of the command line `invocation`, to which its paths are relative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A node as it was listed when the run began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedNode {
    /// Name of the node in the engine.
    pub name: String,
    /// Why no measurement is possible on the node; `None` if the node is usable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unable: Option<String>,
}

impl From<Listed> for AskedNode {
    fn from(listed: Listed) -> Self {
        AskedNode { name: listed.name, unable: listed.unable }
    }
}

impl Asked {
    pub const SCHEMA: &'static str = "fauxplat.fleet-run/1";

    /// # Errors
    /// Fails where the file cannot be written.
    pub fn keep(&self, folder: &RunFolder) -> Result<(), FleetError> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| FleetError::Garbage(error.to_string()))?;
        folder.write(ASKED, text.as_bytes())
    }

    /// # Errors
    /// Fails where the file does not exist, or is another document.
    pub fn read(folder: &RunFolder) -> Result<Self, FleetError> {
        let text = folder.read(ASKED)?;
        let refuse = |why: String| FleetError::Record { path: folder.file(ASKED), why };
        let asked: Asked = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        match asked.schema == Self::SCHEMA {
            true => Ok(asked),
            false => Err(refuse(format!(
                "its schema is {:?}, and this fauxplat reads {}",
                asked.schema,
                Self::SCHEMA
            ))),
        }
    }

    pub fn able(&self) -> Vec<String> {
        let able = self.nodes.iter().filter(|node| node.unable.is_none() && engine::is_plain(&node.name));
        able.map(|node| node.name.clone()).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Entry {
    /// A task was created.
    Task(Task),
    /// A task was submitted to the engine.
    Handed {
        task: u32,
        /// Handle of the task in the engine.
        handle: String,
        /// Time of the submission by the clock of this machine, in nanoseconds of UTC.
        at_utc_ns: i64,
    },
    /// A node answered a task with an acceptable record.
    Answer { task: u32, record: Box<NodeRecord> },
    /// A task gave no acceptable answer.
    Trouble {
        task: u32,
        /// State and reason of the failed delivery.
        delivery: Delivery,
        /// Whether no answer to the task is expected any more.
        is_last: bool,
    },
    /// Settings for the remeasurement of suspects, recorded before its first round.
    Again(Remeasurement),
}

/// Returns the evidence of the whole run: all records, reduced to these metrics, and the failed deliveries.
///
/// # Errors
/// Fails where the records cannot be read.
pub fn evidence(folder: &RunFolder, asked: &Asked, metrics: &[&str]) -> Result<FleetEvidence, FleetError> {
    let mut evidence = FleetEvidence {
        fleet: asked.order.fleet.clone(),
        plan: asked.order.plan.clone(),
        commands: asked.commands.clone(),
        runs: match asked.order.definition.runs {
            Runs::Count(runs) => Some(runs),
            _ => None,
        },
        ..FleetEvidence::default()
    };
    evidence.deliveries.extend(asked.nodes.iter().filter_map(|node| {
        let reason = Some(node.unable.clone()?);
        let state = DeliveryState::Unreached;
        Some(Delivery { node: node.name.clone(), round: 0, attempt: 1, state, reason })
    }));
    let path = folder.file(JOURNAL);
    let mut told = Told { has_ended: folder.is_tidied(), ..Told::default() };
    if path.exists() {
        told.is_there = true;
        told.is_cut = Journal::entries(&path, |entry| match entry {
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
    }
    let unheard = unheard(&evidence, asked, told);
    evidence.deliveries.extend(unheard);
    Ok(evidence)
}

/// State of the journal, which distinguishes a node that never answered from a node whose answer was lost.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    is_there: bool,
    /// Whether the journal ends within a line.
    is_cut: bool,
    /// Whether the run was completed, so that the journal had an entry for every node.
    has_ended: bool,
}

impl Told {
    /// Returns why the journal has no entry for a node.
    fn why(self) -> &'static str {
        match self {
            Told { is_there: false, .. } => {
                "the journal of the run is not there: the run was killed as it began, or the file was lost"
            }
            Told { has_ended: true, .. } => {
                "the run had ended, so its answer was lost with a part of the journal or all of it"
            }
            Told { is_cut: true, .. } => {
                "the machine had not answered when the run was ended, or its answer was cut off: the \
                 journal ends within a line"
            }
            _ => "the machine had not answered when the run was ended",
        }
    }
}

/// Returns a failed delivery for every requested node without an entry, since the run was killed before the node
/// answered, or still continues. A report would otherwise omit exactly the machines that hang.
fn unheard(evidence: &FleetEvidence, asked: &Asked, told: Told) -> Vec<Delivery> {
    let records = evidence.records.iter().map(|record| (record.round, record.node.as_str()));
    let deliveries = evidence.deliveries.iter().map(|delivery| (delivery.round, delivery.node.as_str()));
    let heard: HashSet<(u32, &str)> = records.chain(deliveries).collect();
    let missing = |node: String, reason: String| Delivery {
        node,
        round: 0,
        attempt: 1,
        state: DeliveryState::Missing,
        reason: Some(reason),
    };
    let names = asked.nodes.iter().map(|node| &node.name).filter(|name| !heard.contains(&(0, name.as_str())));
    let named = names.map(|name| missing(name.clone(), told.why().to_owned()));
    let completions = asked.completions.unwrap_or(0) as usize;
    let unnamed = (asked.nodes.len() + 1..=completions).map(|at| {
        missing(
            format!("unnamed-{at}"),
            format!("the manifest asks for {completions} nodes, and no log came"),
        )
    });
    named.chain(unnamed).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Reasons why the second of two nodes has no answer. The first node has an answer, unless the journal is gone.
    #[test]
    fn an_answer_that_was_lost_is_told_from_one_that_never_came() {
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let node = |name: &str| AskedNode { name: name.to_owned(), unable: None };
        let asked = Asked { nodes: vec![node("n1"), node("n2")], ..Asked::default() };
        let record = Box::new(NodeRecord { node: "n1".to_owned(), ..NodeRecord::default() });
        let mut journal = Journal::open(&folder.file(JOURNAL), |_: Entry| ()).unwrap();
        journal.add(&Entry::Answer { task: 0, record });
        journal.flush().unwrap();
        let reasons = || -> Vec<String> {
            let found = evidence(&folder, &asked, &[]).unwrap();
            found.deliveries.into_iter().filter_map(|it| it.reason).collect()
        };
        let program = folder.file("programs").join("x86_64");
        fs::write(&program, "").unwrap();
        assert_eq!(reasons(), ["the machine had not answered when the run was ended"]);
        let text = fs::read(folder.file(JOURNAL)).unwrap();
        fs::write(folder.file(JOURNAL), [&text[..], b"0123"].concat()).unwrap();
        assert!(reasons()[0].contains("ends within a line"), "{:?}", reasons());
        fs::write(folder.file(JOURNAL), &text).unwrap();
        fs::remove_file(&program).unwrap();
        assert!(reasons()[0].contains("with a part of the journal"), "{:?}", reasons());
        fs::remove_file(folder.file(JOURNAL)).unwrap();
        assert_eq!(reasons().len(), 2);
        assert!(reasons().iter().all(|it| it.contains("journal of the run is not there")), "{:?}", reasons());
    }
}
