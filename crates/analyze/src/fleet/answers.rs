//! Outputs of the measured programs, as hashes: finds machines whose output deviates from the output of other machines.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{AnswersDiffer, FleetAnswer, FleetEvidence, NodeRecord};

/// Minimum number of members of a group whose outputs are compared within the group; nodes of smaller groups are
/// compared with the whole fleet.
const GROUP_MIN: usize = 3;

pub(super) struct Answers {
    /// The distinct outputs of each command, with the number of machines that gave them; empty if all outputs are
    /// equal.
    pub(super) told: Vec<FleetAnswer>,
    /// Nodes whose output deviates, each with the reason in words.
    pub(super) wrong: BTreeMap<String, String>,
}

/// For one command, the hashes of the outputs on each node.
type Given<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Compares the outputs on the nodes. `group_of` has the index of the group of each node that is in one.
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

/// Number of machines on which the second program's output differs from the first program's; `None` if it differs on
/// none. A machine with several outputs of one program is reported elsewhere, and is not counted.
pub(super) fn differ<'a>(records: impl Iterator<Item = &'a NodeRecord>) -> Option<AnswersDiffer> {
    let both: Vec<bool> = records.filter_map(|record| Some(only(record, 0)? != only(record, 1)?)).collect();
    let machines = both.iter().filter(|differ| **differ).count();
    (machines > 0).then_some(AnswersDiffer { machines, of: both.len() })
}

/// Hash of the output of a command on a machine; `None` unless all its runs gave the same one.
fn only(record: &NodeRecord, command: u16) -> Option<&str> {
    let mut given = record.answers.iter().filter(|it| it.command == command).map(|it| it.sha256.as_str());
    let first = given.next()?;
    given.all(|other| other == first).then_some(first)
}

/// The output that more than half of the nodes gave in all their runs; `None` if there is none.
fn majority<'a>(given: &Given<'a>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in given.values().filter(|answers| answers.len() == 1).flatten() {
        *counts.entry(answer).or_default() += 1;
    }
    counts.into_iter().find(|(_, count)| 2 * count > given.len()).map(|(answer, _)| answer)
}
