//! Observations other than slowness: machines that are too fast, whose runs scatter, that made another number of runs
//! than requested, or whose facts differ from those of the other machines. The expected number of false flags holds for
//! each statistical kind of observation separately.

use std::collections::BTreeMap;

use fauxplat_model::{FactDifference, FactRole, FleetNotice, NoticeKind, role_of};
use fauxplat_stats::describe::median;
use fauxplat_stats::tail::SlowSide;

use super::FleetQuestion;
use super::estimate::finite;
use super::group::{FEW_FROM, Group, ROBUST_FROM, groups};
use super::hardware::Hardware;
use super::machine::{Machine, sign};

/// Standard deviation of the runs' logarithms up to which no machine is reported for its scatter.
const SCATTER_LEAST: f64 = 0.03;

/// Logarithm of 1.5, the ratio of a machine's scatter to the usual scatter up to which no machine is reported.
const SCATTER_FAR: f64 = 0.405;

/// In a fleet of fewer than [`ROBUST_FROM`] machines, which is too small to show how scatter varies: the ratio of a
/// machine's scatter to the usual scatter above which the machine is reported, and the minimum number of its runs.
const SCATTER_OF_FEW: (f64, usize) = (10.0, 4);

/// Maximum share of the machines of a group that are reported for differing in a fact; all other machines of the group
/// must have one value.
const DIFFERING: f64 = 0.05;

pub(super) struct Counted<'a, 'b> {
    pub(super) machines: &'b [Machine<'a>],
    pub(super) hardware: &'b Hardware,
    pub(super) groups: &'b [Group],
    pub(super) question: &'b FleetQuestion,
    pub(super) is_wrong: &'b dyn Fn(usize) -> bool,
}

pub(super) fn notices(of: &Counted, runs: Option<u32>) -> Vec<FleetNotice> {
    let mut found = fast(of);
    found.extend(scatter(of));
    found.extend(runs.into_iter().flat_map(|runs| other_runs(of, runs as usize)));
    found.extend(facts(of));
    found
}

impl Counted<'_, '_> {
    fn notice(&self, index: usize, kind: NoticeKind, ratio: Option<f64>) -> FleetNotice {
        FleetNotice { node: self.machines[index].node().to_owned(), kind, ratio, differs: None }
    }

    fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.machines.len()).filter(|&index| !(self.is_wrong)(index))
    }
}

/// Machines that are too fast, found by the rules for slow machines with the sign turned. They are not measured again,
/// so they must also be faster than is usual in their group.
fn fast(of: &Counted) -> Vec<FleetNotice> {
    let turned: Vec<Machine> = of
        .machines
        .iter()
        .map(|machine| Machine { slow: -machine.slow, explained: -machine.explained, ..machine.clone() })
        .collect();
    let groups = groups(of.hardware, &turned, |index| !(of.is_wrong)(index), of.question);
    let mut found = Vec::new();
    for (group, slow_side) in groups.iter().zip(of.groups).filter(|(group, _)| group.compares()) {
        // In a small group with slow machines the normal ones may look too fast.
        if group.members.len() < ROBUST_FROM
            && !slow_side.suspects(of.machines, of.question.least_effect).is_empty()
        {
            continue;
        }
        for index in group.suspects(&turned, of.question.least_effect) {
            let distance = turned[index].left() - group.centre;
            if group.is_beyond_reach(distance, turned[index].error) {
                let ratio = finite((-sign(of.question) * distance).exp());
                found.push(of.notice(index, NoticeKind::Fast, ratio));
            }
        }
    }
    found
}

/// Machines whose runs scatter more than is usual.
fn scatter(of: &Counted) -> Vec<FleetNotice> {
    let known: Vec<(usize, f64)> = of
        .indices()
        .filter_map(|index| Some((index, of.machines[index].scatter.filter(|&scatter| scatter > 0.0)?.ln())))
        .collect();
    let mut by_group: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (index, log) in &known {
        by_group.entry(of.hardware.of[*index]).or_default().push(*log);
    }
    let Some(overall) = median(&known.iter().map(|(_, log)| *log).collect::<Vec<_>>()) else {
        return Vec::new();
    };
    let usual = |index: usize| {
        let group = by_group.get(&of.hardware.of[index]).filter(|logs| logs.len() >= FEW_FROM);
        group.and_then(|logs| median(logs)).unwrap_or(overall)
    };
    let distances: Vec<f64> = known.iter().map(|(index, log)| log - usual(*index)).collect();
    // Computing how far scatter usually reaches takes long, and in most fleets no machine comes near that limit.
    let is_far =
        |((_, log), distance): (&(usize, f64), &f64)| *distance > SCATTER_FAR && log.exp() > SCATTER_LEAST;
    if !known.iter().zip(&distances).any(is_far) {
        return Vec::new();
    }
    let reach = match known.len() {
        n if n >= ROBUST_FROM => SlowSide::of(&distances, 0.0).reach(of.question.false_flags / n as f64),
        n if n >= FEW_FROM => SCATTER_OF_FEW.0.ln(),
        _ => return Vec::new(),
    };
    let is_few = known.len() < ROBUST_FROM;
    let beyond = known.iter().zip(&distances).filter(|((index, log), distance)| {
        let enough = !is_few || of.machines[*index].runs >= SCATTER_OF_FEW.1;
        **distance > reach.max(SCATTER_FAR) && log.exp() > SCATTER_LEAST && enough
    });
    beyond
        .map(|((index, _), distance)| of.notice(*index, NoticeKind::Scatter, finite(distance.exp())))
        .collect()
}

/// Machines with another number of runs than requested: fewer runs have a larger error, and failed runs should be
/// known.
fn other_runs(of: &Counted, runs: usize) -> Vec<FleetNotice> {
    let others = of.indices().filter(|&index| of.machines[index].runs != runs);
    others
        .map(|index| {
            let ratio = of.machines[index].runs as f64 / runs.max(1) as f64;
            of.notice(index, NoticeKind::Runs, Some(ratio))
        })
        .collect()
}

/// Machines with another value of a fact than nearly all machines of their group.
fn facts(of: &Counted) -> Vec<FleetNotice> {
    of.groups
        .iter()
        .filter(|group| group.members.len() >= FEW_FROM)
        .flat_map(|group| of_group(of, group))
        .collect()
}

fn of_group(of: &Counted, group: &Group) -> Vec<FleetNotice> {
    let mut told: BTreeMap<&str, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
    for &index in &group.members {
        for (fact, value) in &of.machines[index].record.facts {
            if role_of(fact) == FactRole::Candidate {
                told.entry(fact).or_default().entry(value).or_default().push(index);
            }
        }
    }
    let mut found = Vec::new();
    for (fact, values) in told {
        let all: usize = values.values().map(Vec::len).sum();
        let Some((&usual, most)) = values.iter().max_by_key(|(_, machines)| machines.len()) else { continue };
        let differing = all - most.len();
        if all < FEW_FROM || differing == 0 || differing > (DIFFERING * all as f64).max(1.0) as usize {
            continue;
        }
        for (&value, machines) in values.iter().filter(|(value, _)| **value != usual) {
            let differs = FactDifference {
                fact: fact.to_owned(),
                value: value.to_owned(),
                usual: usual.to_owned(),
                usual_machines: most.len(),
                shared_machines: machines.len() - 1,
            };
            found.extend(machines.iter().map(|&index| FleetNotice {
                differs: Some(differs.clone()),
                ..of.notice(index, NoticeKind::Fact, None)
            }));
        }
    }
    found
}
