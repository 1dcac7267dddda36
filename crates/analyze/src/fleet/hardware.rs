//! Groups machines by their hardware, so that only like machines are compared.

use std::collections::BTreeMap;

use fauxplat_model::{FactRole, role_of};

use super::machine::Machine;

/// Minimum number of machines with a board name from which it is checked whether that name contains a serial number.
const SERIALS_FROM: usize = 4;

/// The facts that identify a machine's hardware, by name.
pub(super) fn identity(facts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_identity = |name: &&String| role_of(name) == FactRole::Identity;
    facts.keys().filter(is_identity).map(|name| (name.clone(), facts[name].clone())).collect()
}

pub(super) struct Hardware {
    /// The identifying facts of each kind of hardware, the kind with most machines first.
    pub(super) kinds: Vec<BTreeMap<String, String>>,
    /// Index into `kinds` of each machine.
    pub(super) of: Vec<usize>,
}

impl Hardware {
    pub(super) fn of(machines: &[Machine]) -> Self {
        let mut identities: Vec<BTreeMap<String, String>> =
            machines.iter().map(|machine| identity(&machine.record.facts)).collect();
        drop_serials(&mut identities);
        let counts = counted(&identities);
        for identity in &mut identities {
            *identity = home(identity, &counts).clone();
        }
        let ordered = counted(&identities);
        let places: BTreeMap<_, _> =
            ordered.iter().enumerate().map(|(place, (kind, _))| (kind.clone(), place)).collect();
        let of = identities.iter().map(|identity| places[identity]).collect();
        Hardware { kinds: ordered.into_iter().map(|(kind, _)| kind).collect(), of }
    }

    /// Index of the kind of a machine that has no figures, by its facts; `None` if it agrees with no kind.
    pub(super) fn kind_of(&self, facts: &BTreeMap<String, String>) -> Option<usize> {
        let own = identity(facts);
        self.kinds.iter().position(|kind| kind.iter().all(|(name, value)| own.get(name) == Some(value)))
    }
}

/// Removes the board's name from the identities if most machines have a unique one: such a name contains a serial
/// number, and every machine would be a group by itself.
fn drop_serials(identities: &mut [BTreeMap<String, String>]) {
    const NAME: &str = "board";
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in identities.iter().filter_map(|identity| identity.get(NAME)) {
        *counts.entry(name.clone()).or_default() += 1;
    }
    let machines: usize = counts.values().sum();
    let alone = counts.values().filter(|&&count| count == 1).count();
    if machines >= SERIALS_FROM && 2 * alone > machines {
        identities.iter_mut().for_each(|identity| drop(identity.remove(NAME)));
    }
}

/// The distinct identities with the number of machines that have each, the most frequent first.
fn counted(identities: &[BTreeMap<String, String>]) -> Vec<(BTreeMap<String, String>, usize)> {
    let mut counts: BTreeMap<&BTreeMap<String, String>, usize> = BTreeMap::new();
    identities.iter().for_each(|identity| *counts.entry(identity).or_default() += 1);
    let mut ordered: Vec<_> = counts.into_iter().map(|(kind, count)| (kind.clone(), count)).collect();
    ordered.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ordered
}

/// Identity of the kind to which a machine belongs. If some of its facts are unknown, that is the largest kind that
/// agrees in all known facts and has more of them, since a fact that cannot be read, for instance without root, does
/// not make other hardware; otherwise it is the machine's own identity.
fn home<'a>(
    identity: &'a BTreeMap<String, String>,
    kinds: &'a [(BTreeMap<String, String>, usize)],
) -> &'a BTreeMap<String, String> {
    let has_more = |kind: &BTreeMap<String, String>| {
        kind.len() > identity.len() && identity.iter().all(|(name, value)| kind.get(name) == Some(value))
    };
    kinds.iter().map(|(kind, _)| kind).find(|kind| has_more(kind)).unwrap_or(identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::FleetQuestion;
    use fauxplat_model::{Metric, NodeBlock, NodeRecord};

    fn record(facts: &[(&str, String)]) -> NodeRecord {
        let values = BTreeMap::from([("wall".to_owned(), vec![Some(1000)])]);
        NodeRecord {
            blocks: vec![NodeBlock { started_ns: 0, commands: vec![0], values }],
            facts: facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            ..NodeRecord::default()
        }
    }

    fn kinds(records: &[NodeRecord]) -> Vec<usize> {
        let question = FleetQuestion::of(Metric::WALL, 1);
        let machines: Vec<Machine> =
            records.iter().map(|record| Machine::of(record, &question).unwrap()).collect();
        Hardware::of(&machines).of
    }

    #[test]
    fn serial_numbers_and_what_is_online_make_no_group() {
        let machine = |at: usize| {
            record(&[
                ("cpu-model", "A CPU".to_owned()),
                ("product", format!("Maker S{at}")),
                ("board", format!("Maker X11 S{at}")),
                ("sockets", if at == 3 { "1" } else { "2" }.to_owned()),
            ])
        };
        assert_eq!(kinds(&(0..20).map(machine).collect::<Vec<_>>()), [0; 20]);
    }

    #[test]
    fn another_board_is_another_group_and_a_fact_that_is_not_told_is_none() {
        let machine = |at: usize| {
            let mut facts = vec![
                ("cpu-model", "A CPU".to_owned()),
                ("board", if at < 6 { "X11" } else { "X12" }.to_owned()),
            ];
            facts.extend((at != 2 && at != 9).then(|| ("memory-slots", "16".to_owned())));
            record(&facts)
        };
        assert_eq!(kinds(&(0..10).map(machine).collect::<Vec<_>>()), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
        // A machine without any facts belongs to the most frequent kind.
        let silent = |at: usize| if at == 0 { record(&[]) } else { machine(at) };
        assert_eq!(kinds(&(0..10).map(silent).collect::<Vec<_>>())[0], 0);
    }
}
