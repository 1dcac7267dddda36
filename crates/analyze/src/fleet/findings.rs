//! The findings of a run over a fleet: the state of every machine, with the figures that show it.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{
    DeliveryState, FactDifference, FactRole, FleetEvidence, FleetFindings, FleetNode, GroupRule, NodeRecord,
    NodeState, Remeasurement, role_of,
};
use fauxplat_stats::describe::median;
use fauxplat_stats::distribution::t_upper_quantile;

use super::FleetQuestion;
use super::again::{Decided, Rounds, plan};
use super::answers::{Answers, answers};
use super::estimate::{Estimate, finite};
use super::explained::{Explanation, Subject, explain};
use super::group::{FEW_FROM, Group, groups};
use super::hardware::Hardware;
use super::machine::{Machine, first_records, know_errors, sign};
use super::notices::{Counted, notices};

/// Compares the machines of a fleet. Equal evidence and an equal question give equal findings on every computer.
pub fn fleet_findings(evidence: &FleetEvidence, question: &FleetQuestion) -> FleetFindings {
    let fleet = Fleet::of(evidence, question);
    let suspects = fleet.suspects();
    let planned = || plan(&fleet.groups, &fleet.machines, &suspects, &fleet.wrong);
    let again = evidence.again.clone().or_else(planned);
    let decided = fleet.decided(&suspects, again.as_ref());
    let mut nodes: Vec<FleetNode> =
        (0..fleet.machines.len()).map(|index| fleet.node(index, &decided)).collect();
    let is_slow: Vec<bool> = fleet.subjects.iter().map(|&index| is_slow(nodes[index].state)).collect();
    let notices = fleet.notices();
    nodes.extend(fleet.missing());
    sort_worst_first(&mut nodes, sign(question));
    FleetFindings {
        fleet: evidence.fleet.clone(),
        definition_sha256: evidence.plan.definition_sha256.clone(),
        started_utc_ns: first_records(evidence).map(|record| record.started_utc_ns).min(),
        command: evidence.commands.get(usize::from(question.command)).cloned().unwrap_or_default(),
        metric: question.metric,
        least_effect: question.least_effect,
        false_flags: question.false_flags,
        nodes,
        notices,
        groups: fleet.groups.iter().map(|group| group.finding(&fleet.machines, question)).collect(),
        facts_tested: fleet.explanation.tested.clone(),
        facts_explained: fleet.explanation.findings(&is_slow),
        answers: fleet.answers.told,
        again: again.filter(|plan| !is_done(plan, evidence)),
        deliveries: evidence.deliveries.clone(),
    }
}

/// Whether a machine in this state counts as slow when facts are tested as explanations.
fn is_slow(state: NodeState) -> bool {
    matches!(state, NodeState::Suspect | NodeState::Confirmed | NodeState::Noisy)
}

/// Whether every node of the plan has reported in each round. A plan without rounds only names nodes that are not
/// measured again, and is never done.
fn is_done(plan: &Remeasurement, evidence: &FleetEvidence) -> bool {
    let records = evidence.records.iter().map(|it| (it.round, it.node.as_str()));
    let deliveries = evidence.deliveries.iter().map(|it| (it.round, it.node.as_str()));
    let heard: BTreeSet<(u32, &str)> = records.chain(deliveries).collect();
    let is_heard = |(round, nodes): (u32, &Vec<String>)| {
        nodes.iter().all(|node| heard.contains(&(round, node.as_str())))
    };
    !plan.rounds.is_empty() && (1..).zip(&plan.rounds).all(is_heard)
}

fn sort_worst_first(nodes: &mut [FleetNode], sign: f64) {
    let slow = |node: &FleetNode| sign * node.effect_ratio.map_or(0.0, f64::ln);
    nodes.sort_by(|a, b| {
        a.state.cmp(&b.state).then(slow(b).total_cmp(&slow(a))).then_with(|| a.node.cmp(&b.node))
    });
}

/// Number of machines by name of a fact and its value.
type Told<'a> = BTreeMap<&'a str, BTreeMap<&'a str, usize>>;

/// The evidence of a fleet, prepared for comparison. Numbers of machines are indices into `machines`.
struct Fleet<'a> {
    evidence: &'a FleetEvidence,
    question: &'a FleetQuestion,
    machines: Vec<Machine<'a>>,
    hardware: Hardware,
    /// Groups of machines, in the order of `hardware.kinds`.
    groups: Vec<Group>,
    /// Values of facts among the machines of each group.
    told: Vec<Told<'a>>,
    answers: Answers,
    /// Facts that are associated with slowness among the machines `subjects`.
    explanation: Explanation<'a>,
    subjects: Vec<usize>,
    /// Machines with wrong answers, which did other work, so that their times are not compared.
    wrong: BTreeSet<usize>,
}

impl<'a> Fleet<'a> {
    fn of(evidence: &'a FleetEvidence, question: &'a FleetQuestion) -> Self {
        let mut machines: Vec<Machine> =
            first_records(evidence).filter_map(|record| Machine::of(record, question)).collect();
        know_errors(&mut machines);
        let hardware = Hardware::of(&machines);
        let kind_of: BTreeMap<&str, usize> =
            machines.iter().map(Machine::node).zip(hardware.of.iter().copied()).collect();
        let answers = answers(evidence, &kind_of);
        let is_wrong = |index: &usize| answers.wrong.contains_key(machines[*index].node());
        let wrong: BTreeSet<usize> = (0..machines.len()).filter(is_wrong).collect();
        let (subjects, explanation) = explanation(&mut machines, &hardware, &wrong, question);
        let groups = groups(&hardware, &machines, |index| !wrong.contains(&index), question);
        let told = told(&hardware, &machines, &wrong);
        Fleet { evidence, question, machines, hardware, groups, told, answers, explanation, subjects, wrong }
    }

    fn group(&self, index: usize) -> &Group {
        &self.groups[self.hardware.of[index]]
    }

    fn suspects(&self) -> Vec<usize> {
        let of = |group: &Group| group.suspects(&self.machines, self.question.least_effect);
        self.groups.iter().flat_map(of).collect()
    }

    fn decided(&self, suspects: &[usize], again: Option<&Remeasurement>) -> BTreeMap<usize, Decided> {
        let rounds = Rounds::of(self.evidence, &self.machines, self.question);
        let plans = again.map_or(&[][..], |plan| &plan.suspects);
        let left_out = again.map_or(&[][..], |plan| &plan.left_out);
        let by_node: BTreeMap<&str, _> = plans.iter().map(|plan| (plan.node.as_str(), plan)).collect();
        let why: BTreeMap<&str, &str> =
            left_out.iter().map(|left| (left.node.as_str(), left.reason.as_str())).collect();
        let late =
            self.evidence.again.as_ref().map(|_| "it was not suspect when the suspects were measured again");
        let decide = |&index: &usize| {
            let node = self.machines[index].node();
            let decided = match by_node.get(node) {
                Some(plan) => rounds.decide(plan, self.group(index), self.question.least_effect),
                None => Decided::not_again(why.get(node).copied().or(late)),
            };
            (index, decided)
        };
        suspects.iter().map(decide).collect()
    }

    fn node(&self, index: usize, decided: &BTreeMap<usize, Decided>) -> FleetNode {
        let (machine, group) = (&self.machines[index], self.group(index));
        let again = decided.get(&index);
        let wrong = self.answers.wrong.get(machine.node());
        let state = match (wrong, again) {
            (Some(_), _) => NodeState::WrongAnswer,
            (None, Some(again)) => again.state,
            (None, None) if !group.compares() => NodeState::Uncompared,
            (None, None) => NodeState::Normal,
        };
        let not_compared = || (!group.compares()).then(|| self.why_uncompared(group, state));
        let effect = again.and_then(|again| again.effect).or_else(|| self.first_effect(machine, group));
        let ratios = effect.map(|effect| effect.ratios(sign(self.question)).map(finite));
        let [effect_ratio, low, high] = ratios.unwrap_or([None; 3]);
        FleetNode {
            node: machine.node().to_owned(),
            group: Some(self.hardware.of[index]),
            runs: machine.runs,
            median: finite((sign(self.question) * machine.slow).exp()),
            z: group.z(machine),
            effect_ratio,
            low,
            high,
            explained_ratio: finite((sign(self.question) * machine.explained).exp())
                .filter(|_| machine.explained != 0.0),
            state,
            reason: wrong
                .cloned()
                .or_else(not_compared)
                .or_else(|| again.and_then(|again| again.reason.clone())),
            rounds: again.map_or(0, |again| again.rounds),
            warnings: machine.record.noise.warnings.clone(),
            differs: self.differs(index, state),
            facts: machine.record.facts.clone(),
        }
    }

    /// Says why a machine is not compared with others of its hardware, and gives the ratio of its group to the fleet's
    /// median.
    fn why_uncompared(&self, group: &Group, state: NodeState) -> String {
        let alone = match group.rule {
            GroupRule::Pair => "of two machines of this hardware it is unknown which one is odd",
            _ => "no other machine has its hardware",
        };
        let beside = group.beside_fleet.and_then(|beside| finite((sign(self.question) * beside).exp()));
        let beside = beside.map_or(String::new(), |ratio| format!("; {ratio:.2} times the fleet's median"));
        let doubt = if state == NodeState::Suspect { ", far from all of the fleet" } else { "" };
        format!("{alone}{beside}{doubt}")
    }

    fn notices(&self) -> Vec<fauxplat_model::FleetNotice> {
        let is_wrong = |index: usize| self.wrong.contains(&index);
        let counted = Counted {
            machines: &self.machines,
            hardware: &self.hardware,
            groups: &self.groups,
            question: self.question,
            is_wrong: &is_wrong,
        };
        notices(&counted, self.evidence.runs)
    }

    /// Log ratio of a machine to the centre of its group, by the first measurement; `None` for the only machine of its
    /// hardware.
    fn first_effect(&self, machine: &Machine, group: &Group) -> Option<Estimate> {
        if matches!(group.rule, GroupRule::Alone) {
            return None;
        }
        let members = group.members.len() as f64;
        let error = machine.error.hypot(group.spread / members.sqrt());
        let df = (machine.runs as f64 - 1.0).max(members - 1.0);
        let half = t_upper_quantile(0.025, df) * error;
        let at = machine.left() - group.centre;
        Some(Estimate { at, low: at - half, high: at + half, error })
    }

    fn differs(&self, index: usize, state: NodeState) -> Vec<FactDifference> {
        if matches!(state, NodeState::Normal | NodeState::Uncompared) {
            return Vec::new();
        }
        let kind = self.hardware.of[index];
        let counts_itself = !self.wrong.contains(&index);
        let facts = self.machines[index].record.facts.iter();
        let of_group = |(fact, value): (&String, &String)| {
            difference(fact, value, self.told[kind].get(fact.as_str())?, counts_itself)
        };
        facts.filter_map(of_group).collect()
    }

    /// Nodes that were asked for a measurement and delivered no figure.
    fn missing(&self) -> Vec<FleetNode> {
        let with_figures: BTreeSet<&str> = self.machines.iter().map(Machine::node).collect();
        let records: BTreeMap<&str, &NodeRecord> =
            self.evidence.records.iter().map(|it| (it.node.as_str(), it)).collect();
        let asked = self.evidence.deliveries.iter().map(|it| it.node.as_str()).chain(records.keys().copied());
        let missing: BTreeSet<&str> = asked.filter(|node| !with_figures.contains(node)).collect();
        missing.into_iter().map(|node| self.without_figures(node, records.get(node).copied())).collect()
    }

    fn without_figures(&self, node: &str, record: Option<&NodeRecord>) -> FleetNode {
        let facts = record.map_or_else(BTreeMap::new, |record| record.facts.clone());
        let wrong = self.answers.wrong.get(node);
        FleetNode {
            node: node.to_owned(),
            group: record.and_then(|_| self.hardware.kind_of(&facts)),
            runs: 0,
            median: None,
            z: None,
            effect_ratio: None,
            low: None,
            high: None,
            explained_ratio: None,
            state: match wrong {
                Some(_) => NodeState::WrongAnswer,
                None if record.is_none() && self.is_unreached(node) => NodeState::Unreached,
                None => NodeState::Missing,
            },
            reason: wrong.cloned().or_else(|| Some(self.why_missing(node, record))),
            rounds: 0,
            warnings: record.map_or_else(Vec::new, |record| record.noise.warnings.clone()),
            differs: Vec::new(),
            facts,
        }
    }

    fn is_unreached(&self, node: &str) -> bool {
        let mut of_node = self.evidence.deliveries.iter().filter(|it| it.node == node);
        of_node.all(|it| it.state == DeliveryState::Unreached)
    }

    fn why_missing(&self, node: &str, record: Option<&NodeRecord>) -> String {
        let failure = record.and_then(|record| record.failures.first()).map(|failure| failure.reason.clone());
        let of_node = self.evidence.deliveries.iter().filter(|it| it.node == node && it.round == 0);
        let delivery = of_node.max_by_key(|it| it.attempt).map(|it| match &it.reason {
            Some(reason) => format!("{}: {reason}", it.state.words()),
            None => it.state.words().to_owned(),
        });
        let metric = self.question.metric.title();
        failure.or(delivery).unwrap_or_else(|| format!("its record has no {metric} above zero"))
    }
}

/// Returns the machines among which facts that explain slowness were sought, and these facts. Groups with fewer than
/// [`FEW_FROM`] members are left out. The part of the slowness that settings explain is stored in `explained` of each
/// machine and subtracted later; otherwise a subgroup with another setting would widen the spread by which all machines
/// are judged.
fn explanation<'a>(
    machines: &mut [Machine<'a>],
    hardware: &Hardware,
    wrong: &BTreeSet<usize>,
    question: &FleetQuestion,
) -> (Vec<usize>, Explanation<'a>) {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); hardware.kinds.len()];
    for (index, &kind) in hardware.of.iter().enumerate().filter(|(index, _)| !wrong.contains(index)) {
        members[kind].push(index);
    }
    let mut of: Vec<(usize, Subject<'a>)> = Vec::new();
    for (kind, members) in members.iter().enumerate().filter(|(_, members)| members.len() >= FEW_FROM) {
        let slow: Vec<f64> = members.iter().map(|&index| machines[index].slow).collect();
        let centre = median(&slow).unwrap_or(0.0);
        of.extend(members.iter().map(|&index| {
            let machine = &machines[index];
            let facts = &machine.record.facts;
            (index, Subject { facts, value: machine.slow - centre, stratum: kind as u32, slow: false })
        }));
    }
    of.sort_by_key(|(index, _)| *index);
    let (indices, subjects): (Vec<usize>, Vec<Subject>) = of.into_iter().unzip();
    let explanation = explain(&subjects, sign(question), question.seed);
    for (&index, shift) in indices.iter().zip(explanation.shifts(&subjects)) {
        machines[index].explained = shift;
    }
    (indices, explanation)
}

/// For each group, the number of machines by fact and value; machines with wrong answers are left out.
fn told<'a>(hardware: &Hardware, machines: &[Machine<'a>], wrong: &BTreeSet<usize>) -> Vec<Told<'a>> {
    let mut told: Vec<Told> = vec![Told::new(); hardware.kinds.len()];
    for (index, machine) in machines.iter().enumerate().filter(|(index, _)| !wrong.contains(index)) {
        for (fact, value) in &machine.record.facts {
            *told[hardware.of[index]].entry(fact).or_default().entry(value).or_default() += 1;
        }
    }
    told
}

/// Describes a fact whose value on a machine differs from the value of more than half of the group's other machines;
/// `None` if it does not, or if they have no such value in common.
fn difference(
    fact: &str,
    value: &str,
    counts: &BTreeMap<&str, usize>,
    counts_itself: bool,
) -> Option<FactDifference> {
    if role_of(fact) != FactRole::Candidate {
        return None;
    }
    let own = usize::from(counts_itself);
    let shared_machines = counts.get(value).map_or(0, |&count| count - own);
    let others = counts.values().sum::<usize>() - own;
    let (&usual, &usual_machines) =
        counts.iter().filter(|(it, _)| **it != value).max_by_key(|(_, count)| **count)?;
    (2 * usual_machines > others).then(|| FactDifference {
        fact: fact.to_owned(),
        value: value.to_owned(),
        usual: usual.to_owned(),
        usual_machines,
        shared_machines,
    })
}
