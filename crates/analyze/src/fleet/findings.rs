//! The findings of a run over a fleet: every machine with what is said of it.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{
    FactDifference, FactRole, FleetEvidence, FleetFindings, FleetNode, GroupRule, NodeRecord, NodeState,
    Remeasurement, role_of,
};
use fauxplat_stats::distribution::t_upper_quantile;

use super::FleetQuestion;
use super::again::{Decided, Rounds, plan};
use super::answers::{Answers, answers};
use super::estimate::{Estimate, finite};
use super::explained::{Subject, explained};
use super::group::{Group, Hardware, groups, identity};
use super::machine::{Machine, first_records, sign};

/// Findings of `evidence` about every machine. Equal evidence and an equal question give equal findings everywhere.
pub fn fleet_findings(evidence: &FleetEvidence, question: &FleetQuestion) -> FleetFindings {
    let fleet = Fleet::of(evidence, question);
    let suspects = fleet.suspects();
    let planned = || plan(&fleet.groups, &fleet.machines, &suspects, &fleet.wrong);
    let again = evidence.again.clone().or_else(planned);
    let decided = fleet.decided(&suspects, again.as_ref());
    let mut nodes: Vec<FleetNode> =
        (0..fleet.machines.len()).map(|index| fleet.node(index, &decided)).collect();
    let (facts_explained, facts_tested) = fleet.explained(&nodes);
    nodes.extend(fleet.missing());
    sort_worst_first(&mut nodes, sign(question));
    FleetFindings {
        fleet: evidence.fleet.clone(),
        command: evidence.commands.get(usize::from(question.command)).cloned().unwrap_or_default(),
        metric: question.metric,
        least_effect: question.least_effect,
        false_flags: question.false_flags,
        nodes,
        groups: fleet.groups.iter().map(|group| group.finding(&fleet.machines, question)).collect(),
        facts_explained,
        facts_tested,
        answers: fleet.answers.told,
        again: again.filter(|plan| !is_done(plan, evidence)),
        deliveries: evidence.deliveries.clone(),
    }
}

/// Whether every node of the plan was heard of in each of its rounds. A plan without rounds only names the nodes that
/// are left out.
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

/// Number of machines by fact and value.
type Told<'a> = BTreeMap<&'a str, BTreeMap<&'a str, usize>>;

/// All that the machines say, by their index.
struct Fleet<'a> {
    evidence: &'a FleetEvidence,
    question: &'a FleetQuestion,
    machines: Vec<Machine<'a>>,
    hardware: Hardware,
    /// In the order of the hardware.
    groups: Vec<Group>,
    /// Statements of each group's machines about facts.
    told: Vec<Told<'a>>,
    answers: Answers,
    /// Machines that answered wrongly: they did other work, and their time is not held against that of the others.
    wrong: BTreeSet<usize>,
}

impl<'a> Fleet<'a> {
    fn of(evidence: &'a FleetEvidence, question: &'a FleetQuestion) -> Self {
        let machines: Vec<Machine> =
            first_records(evidence).filter_map(|record| Machine::of(record, question)).collect();
        let hardware = Hardware::of(&machines);
        let kind_of: BTreeMap<&str, usize> =
            machines.iter().map(Machine::node).zip(hardware.of.iter().copied()).collect();
        let answers = answers(evidence, &kind_of);
        let is_wrong = |index: &usize| answers.wrong.contains_key(machines[*index].node());
        let wrong: BTreeSet<usize> = (0..machines.len()).filter(is_wrong).collect();
        let groups = groups(&hardware, &machines, |index| !wrong.contains(&index), question);
        let told = told(&hardware, &machines, &wrong);
        Fleet { evidence, question, machines, hardware, groups, told, answers, wrong }
    }

    fn group(&self, index: usize) -> &Group {
        &self.groups[self.hardware.of[index]]
    }

    fn suspects(&self) -> Vec<usize> {
        let of = |group: &Group| group.suspects(&self.machines, self.question.least_effect);
        self.groups.iter().flat_map(of).collect()
    }

    /// Outcome of every suspect.
    fn decided(&self, suspects: &[usize], again: Option<&Remeasurement>) -> BTreeMap<usize, Decided> {
        let rounds = Rounds::of(self.evidence, self.question);
        let plans = again.map_or(&[][..], |plan| &plan.suspects);
        let left_out = again.map_or(&[][..], |plan| &plan.left_out);
        let by_node: BTreeMap<&str, _> = plans.iter().map(|plan| (plan.node.as_str(), plan)).collect();
        let why: BTreeMap<&str, &str> =
            left_out.iter().map(|left| (left.node.as_str(), left.reason.as_str())).collect();
        let late =
            self.evidence.again.as_ref().map(|_| "it was not suspect when the others were measured again");
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
            (None, None) => NodeState::Normal,
        };
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
            state,
            reason: wrong.cloned().or_else(|| again.and_then(|again| again.reason.clone())),
            rounds: again.map_or(0, |again| again.rounds),
            warnings: machine.record.noise.warnings.clone(),
            differs: self.differs(index, state),
            facts: machine.record.facts.clone(),
        }
    }

    /// Ratio of a machine to the middle of its group, by the first measurement.
    fn first_effect(&self, machine: &Machine, group: &Group) -> Option<Estimate> {
        if matches!(group.rule, GroupRule::Alone) {
            return None;
        }
        let members = group.members.len() as f64;
        let error = machine.error.hypot(group.spread / members.sqrt());
        let df = (machine.runs as f64 - 1.0).max(members - 1.0);
        let half = t_upper_quantile(0.025, df) * error;
        let at = machine.slow - group.centre;
        Some(Estimate { at, low: at - half, high: at + half, error })
    }

    fn differs(&self, index: usize, state: NodeState) -> Vec<FactDifference> {
        if state == NodeState::Normal {
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

    /// Facts that go with being slow; machines that have none to compare them with are left out.
    fn explained(&self, nodes: &[FleetNode]) -> (Vec<fauxplat_model::FactExplained>, Vec<String>) {
        let slow = |state| matches!(state, NodeState::Suspect | NodeState::Confirmed | NodeState::Noisy);
        let subject = |(index, node): (usize, &FleetNode)| Subject {
            facts: &self.machines[index].record.facts,
            value: self.machines[index].slow - self.group(index).centre,
            stratum: self.hardware.of[index] as u32,
            slow: slow(node.state),
        };
        let counts = |index: &usize| {
            !self.wrong.contains(index)
                && !matches!(self.group(*index).rule, GroupRule::Alone | GroupRule::Pair)
        };
        let of = nodes.iter().enumerate().filter(|(index, _)| counts(index));
        let subjects: Vec<Subject> = of.map(subject).collect();
        explained(&subjects, sign(self.question), self.question.seed)
    }

    /// Nodes that were asked and gave no figure.
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
            group: record.and_then(|_| self.hardware.kinds.iter().position(|kind| *kind == identity(&facts))),
            runs: 0,
            median: None,
            z: None,
            effect_ratio: None,
            low: None,
            high: None,
            state: if wrong.is_some() { NodeState::WrongAnswer } else { NodeState::Missing },
            reason: wrong.cloned().or_else(|| Some(self.why_missing(node, record))),
            rounds: 0,
            warnings: record.map_or_else(Vec::new, |record| record.noise.warnings.clone()),
            differs: Vec::new(),
            facts,
        }
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

/// Number of machines of each group by fact and value; machines that answered wrongly are left out.
fn told<'a>(hardware: &Hardware, machines: &[Machine<'a>], wrong: &BTreeSet<usize>) -> Vec<Told<'a>> {
    let mut told: Vec<Told> = vec![Told::new(); hardware.kinds.len()];
    for (index, machine) in machines.iter().enumerate().filter(|(index, _)| !wrong.contains(index)) {
        for (fact, value) in &machine.record.facts {
            *told[hardware.of[index]].entry(fact).or_default().entry(value).or_default() += 1;
        }
    }
    told
}

/// A fact of which most of the others say something else.
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
