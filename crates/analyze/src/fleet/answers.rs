//! Answers of the programs: nodes whose answers deviate from the answers of the others.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{AnswersDiffer, FleetAnswer, FleetEvidence, NodeRecord};

/// Minimum size of a group; nodes of smaller groups are compared with the whole fleet.
const GROUP_MIN: usize = 3;

pub(super) struct Answers {
    /// All answers, if they are not all equal.
    pub(super) told: Vec<FleetAnswer>,
    /// Nodes with deviating answers, each with the reason.
    pub(super) wrong: BTreeMap<String, String>,
}

/// Every node's answers to one command.
type Given<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Compares the answers of the nodes. `group_of` has the group of each node, where there is one.
pub(super) fn answers(evidence: &FleetEvidence, group_of: &BTreeMap<&str, usize>) -> Answers {
    let mut by_command: BTreeMap<u16, Given> = BTreeMap::new();
    for record in &evidence.records {
        for answer in &record.answers {
            let of_command = by_command.entry(answer.command).or_default();
            of_command.entry(&record.node).or_default().insert(&answer.sha256);
        }
    }
    let mut judged = Answers { told: Vec::new(), wrong: BTreeMap::new() };
    for (command, given) in by_command {
        let distinct: BTreeSet<&str> = given.values().flatten().copied().collect();
        if distinct.len() > 1 {
            judged.of_command(command, &given, group_of);
        }
    }
    judged
}

impl Answers {
    fn of_command(&mut self, command: u16, given: &Given, group_of: &BTreeMap<&str, usize>) {
        let overall = majority(given);
        let mut by_group: BTreeMap<Option<usize>, Given> = BTreeMap::new();
        for (node, answers) in given {
            by_group.entry(group_of.get(node).copied()).or_default().insert(node, answers.clone());
        }
        for (group, members) in by_group {
            let right = if members.len() < GROUP_MIN { overall } else { majority(&members) };
            self.tell(command, group, &members, right);
            self.blame(&members, right);
        }
    }

    fn tell(&mut self, command: u16, group: Option<usize>, members: &Given, right: Option<&str>) {
        let distinct: BTreeSet<&str> = members.values().flatten().copied().collect();
        for sha256 in distinct {
            let machines = members.values().filter(|it| it.len() == 1 && it.contains(sha256)).count();
            let majority = right == Some(sha256);
            self.told.push(FleetAnswer { command, group, sha256: sha256.to_owned(), machines, majority });
        }
    }

    fn blame(&mut self, members: &Given, right: Option<&str>) {
        for (&node, answers) in members {
            let reason = match (answers.len(), right) {
                (2.., _) => format!("its runs gave {} different answers", answers.len()),
                (_, Some(right)) if !answers.contains(right) => {
                    "its program gave another answer than on most machines".to_owned()
                }
                _ => continue,
            };
            self.wrong.entry(node.to_owned()).or_insert(reason);
        }
    }
}

/// Number of machines on which the second program's answer differs from the first program's. A machine with several
/// answers to one program is wrong anyway, and is not counted.
pub(super) fn differ<'a>(records: impl Iterator<Item = &'a NodeRecord>) -> Option<AnswersDiffer> {
    let both: Vec<bool> = records.filter_map(|record| Some(only(record, 0)? != only(record, 1)?)).collect();
    let machines = both.iter().filter(|differ| **differ).count();
    (machines > 0).then_some(AnswersDiffer { machines, of: both.len() })
}

/// The answer of a machine to a command, if there is exactly one.
fn only(record: &NodeRecord, command: u16) -> Option<&str> {
    let mut given = record.answers.iter().filter(|it| it.command == command).map(|it| it.sha256.as_str());
    let first = given.next()?;
    given.all(|other| other == first).then_some(first)
}

/// The answer that more than half of the nodes gave as their only one.
fn majority<'a>(given: &Given<'a>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in given.values().filter(|answers| answers.len() == 1).flatten() {
        *counts.entry(answer).or_default() += 1;
    }
    counts.into_iter().find(|(_, count)| 2 * count > given.len()).map(|(answer, _)| answer)
}
