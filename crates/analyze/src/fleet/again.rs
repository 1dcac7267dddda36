//! Repeated measurements of suspects, which are machines slower than their group: each is measured between two machines
//! that represent the group, and is then confirmed or cleared.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{FleetEvidence, GroupRule, LeftOut, NodeRecord, NodeState, Remeasurement, SuspectPlan};
use fauxplat_stats::describe::mean;

use super::FleetQuestion;
use super::estimate::Estimate;
use super::group::Group;
use super::machine::Machine;

/// Number of rounds in which suspects and their reference machines are measured again.
const ROUNDS: u32 = 6;

/// Minimum number of rounds with readings from which a suspect is confirmed or cleared.
const ROUNDS_MIN: usize = 3;

/// Maximum number of suspects that are measured again; more suspects show another problem than a few odd machines.
const SUSPECTS_MAX: usize = 50;

/// Maximum number of suspects that are measured between the same two reference machines, so that the time between a
/// suspect and its references stays short.
const BESIDE: usize = 4;

/// Suspects of a group and the reference machines between which they are measured, as indices into the list of
/// machines.
struct Bracket {
    references: Vec<usize>,
    suspects: Vec<usize>,
}

/// Plan of the machines to measure again, in their order; `None` without suspects. Machines in `shunned` are not used
/// as references.
///
/// In a round each bracket consists of a reference, the suspects, and another reference, so that slow drift affects the
/// suspects as much as the mean of both references. Every second round runs in the opposite order.
pub(super) fn plan(
    groups: &[Group],
    machines: &[Machine],
    suspects: &[usize],
    shunned: &BTreeSet<usize>,
) -> Option<Remeasurement> {
    if suspects.is_empty() {
        return None;
    }
    let mut worst = suspects.to_vec();
    worst.sort_by(|&a, &b| machines[b].left().total_cmp(&machines[a].left()));
    let (asked, beyond) = worst.split_at(worst.len().min(SUSPECTS_MAX));
    let mut plan = Remeasurement::default();
    let too_many = format!("only the {SUSPECTS_MAX} slowest are measured again");
    let leave = |&index: &usize, reason: &str| LeftOut {
        node: machines[index].node().to_owned(),
        reason: reason.to_owned(),
    };
    plan.left_out.extend(beyond.iter().map(|index| leave(index, &too_many)));
    let mut brackets = Vec::new();
    for group in groups {
        let mine: Vec<usize> = asked.iter().copied().filter(|index| group.members.contains(index)).collect();
        let beside = typical(group, machines, &mine, suspects, shunned);
        match beside.is_empty() {
            true => {
                let why = "no machine of its group can be measured beside it";
                plan.left_out.extend(mine.iter().map(|index| leave(index, why)));
            }
            false => brackets.extend(in_brackets(&mine, &beside)),
        }
    }
    let names = |indices: &[usize]| indices.iter().map(|&index| machines[index].node().to_owned()).collect();
    for bracket in &brackets {
        let with = |&suspect: &usize| SuspectPlan {
            node: machines[suspect].node().to_owned(),
            references: names(&bracket.references),
        };
        plan.suspects.extend(bracket.suspects.iter().map(with));
    }
    plan.rounds =
        (0..ROUNDS).filter(|_| !brackets.is_empty()).map(|round| names(&order(&brackets, round))).collect();
    Some(plan)
}

/// The usable machines whose first measurement is nearest to the centre of the group, as references for its suspects
/// `mine`.
fn typical(
    group: &Group,
    machines: &[Machine],
    mine: &[usize],
    suspects: &[usize],
    shunned: &BTreeSet<usize>,
) -> Vec<usize> {
    let wanted = 2 * mine.len().div_ceil(BESIDE);
    let usable = |index: &usize| !suspects.contains(index) && !shunned.contains(index);
    let mut others: Vec<usize> = group.members.iter().copied().filter(usable).collect();
    let distance = |index: &usize| {
        let machine = &machines[*index];
        (!machine.record.noise.warnings.is_empty(), (machine.left() - group.centre).abs())
    };
    others.sort_by(|a, b| {
        let (a, b) = (distance(a), distance(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    others.truncate(wanted);
    others
}

fn in_brackets(mine: &[usize], beside: &[usize]) -> Vec<Bracket> {
    let pairs: Vec<&[usize]> = beside.chunks(2).collect();
    let size = mine.len().div_ceil(pairs.len()).max(1);
    let bracket = |(suspects, references): (&[usize], &&[usize])| Bracket {
        references: references.to_vec(),
        suspects: suspects.to_vec(),
    };
    mine.chunks(size).zip(&pairs).map(bracket).collect()
}

fn order(brackets: &[Bracket], round: u32) -> Vec<usize> {
    let of = |bracket: &Bracket| -> Vec<usize> {
        let (first, last) = bracket.references.split_at(1);
        [first, &bracket.suspects, last].concat()
    };
    let mut order: Vec<usize> = brackets.iter().flat_map(of).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// State of a suspect after it was measured again.
pub(super) struct Decided {
    pub(super) state: NodeState,
    pub(super) effect: Option<Estimate>,
    pub(super) rounds: usize,
    pub(super) reason: Option<String>,
}

impl Decided {
    /// State of a suspect that was not measured again; `reason` says why.
    pub(super) fn not_again(reason: Option<&str>) -> Self {
        Decided { state: NodeState::Suspect, effect: None, rounds: 0, reason: reason.map(str::to_owned) }
    }
}

/// Log readings of the repeated measurements, by round and node.
pub(super) struct Rounds<'a> {
    by_place: BTreeMap<(u32, &'a str), f64>,
}

impl<'a> Rounds<'a> {
    /// Reads the repeated measurements. The part that facts of the machine explain, as estimated from the first
    /// measurement, is subtracted from each log reading.
    pub(super) fn of(evidence: &'a FleetEvidence, machines: &[Machine], question: &FleetQuestion) -> Self {
        let again = evidence.records.iter().filter(|record| record.round > 0);
        let explained: BTreeMap<&str, f64> =
            machines.iter().map(|machine| (machine.node(), machine.explained)).collect();
        let place = |record: &'a NodeRecord| {
            let explained = explained.get(record.node.as_str()).copied().unwrap_or(0.0);
            Some(((record.round, record.node.as_str()), Machine::of(record, question)?.slow - explained))
        };
        Rounds { by_place: again.filter_map(place).collect() }
    }

    /// Log ratios of the suspect to the mean of its reference machines, round by round.
    fn differences(&self, plan: &SuspectPlan) -> Vec<f64> {
        let rounds: BTreeSet<u32> = self.by_place.keys().map(|(round, _)| *round).collect();
        let of_round = |round: u32| {
            let read = |node: &String| self.by_place.get(&(round, node.as_str())).copied();
            let beside: Vec<f64> = plan.references.iter().filter_map(read).collect();
            Some(read(&plan.node)? - mean(&beside)?)
        };
        rounds.into_iter().filter_map(of_round).collect()
    }

    /// Decides by the log ratios of all rounds whether a suspect is confirmed, cleared or noisy. The machine stays
    /// suspect if there are too few rounds, or if it is only as slow as machines of its group sometimes are.
    ///
    /// A machine is confirmed if it is slower by more than `least`, if its interval excludes zero, and if the slowdown
    /// is larger than usual on the slow side of its group, now that the noise of its own runs is averaged out.
    pub(super) fn decide(&self, plan: &SuspectPlan, group: &Group, least: f64) -> Decided {
        let differences = self.differences(plan);
        let rounds = differences.len();
        let Some(effect) = Estimate::of(&differences, 0.05).filter(|_| rounds >= ROUNDS_MIN) else {
            let reason = (rounds > 0)
                .then(|| format!("measured again in {rounds} rounds only, and {ROUNDS_MIN} are needed"));
            return Decided { state: NodeState::Suspect, effect: None, rounds, reason };
        };
        let (state, reason) = verdict(effect, group, least.ln_1p());
        Decided { state, effect: Some(effect), rounds, reason: reason.map(str::to_owned) }
    }
}

fn verdict(effect: Estimate, group: &Group, least: f64) -> (NodeState, Option<&'static str>) {
    let reach = group.reach().hypot(group.threshold * effect.error);
    let usual = matches!(group.rule, GroupRule::Robust | GroupRule::Pooled) && effect.at <= reach;
    match effect {
        it if it.low <= 0.0 && it.high > least => {
            (NodeState::Noisy, Some("its rounds differ too much for a decision"))
        }
        it if it.at <= least => (NodeState::Cleared, None),
        _ if usual => (NodeState::Suspect, Some("slower again, but within the usual scatter of its group")),
        _ => (NodeState::Confirmed, None),
    }
}
