//! What follows from runs over a fleet: who is odd, which fact goes with it, one program against another, and changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Delivery, Metric, Remeasurement, Verdict};

/// What is said of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// Its program gave another answer than those of the other machines, or several.
    WrongAnswer,
    /// Slower than its group, also when it was measured again.
    Confirmed,
    /// Slower than its group by one measurement.
    Suspect,
    /// It was slower, and what it says varies too much to confirm or to clear it.
    Noisy,
    /// It was slower, and was not when it was measured again.
    Cleared,
    /// It gave no figure.
    Missing,
    /// Nothing is wrong with it that this run could see.
    Normal,
}

impl NodeState {
    /// All of them, the worst first.
    pub const ALL: [NodeState; 7] = [
        NodeState::WrongAnswer,
        NodeState::Confirmed,
        NodeState::Suspect,
        NodeState::Noisy,
        NodeState::Cleared,
        NodeState::Missing,
        NodeState::Normal,
    ];

    /// The word for it, which is that of documents too.
    pub fn word(self) -> &'static str {
        match self {
            NodeState::WrongAnswer => "wrong-answer",
            NodeState::Confirmed => "confirmed",
            NodeState::Suspect => "suspect",
            NodeState::Noisy => "noisy",
            NodeState::Cleared => "cleared",
            NodeState::Missing => "missing",
            NodeState::Normal => "normal",
        }
    }
}

/// One fact in which a machine differs from its group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDifference {
    /// The fact.
    pub fact: String,
    /// What the machine has.
    pub value: String,
    /// What most of its group have.
    pub usual: String,
    /// Machines of the group that have what is usual.
    pub usual_machines: usize,
    /// Other machines of the group that have what this one has.
    pub shared_machines: usize,
}

/// One machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNode {
    /// Its name.
    pub node: String,
    /// Its group, by its index in `groups`; absent when it gave no facts.
    pub group: Option<usize>,
    /// Runs that count.
    pub runs: usize,
    /// Median of its runs in the unit of the metric; in the first measurement of all.
    pub median: Option<f64>,
    /// How far it is on the slow side of its group, in robust standard deviations of the group; absent where the group
    /// is too small or has no spread.
    pub z: Option<f64>,
    /// Its median over that of its group, or, where it was measured again, over that of the machines beside it.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval of that ratio.
    pub low: Option<f64>,
    /// High end of it.
    pub high: Option<f64>,
    /// What is said of it.
    pub state: NodeState,
    /// Why, in one line, where the figures do not say it all.
    pub reason: Option<String>,
    /// Rounds in which it was measured again beside machines of its group.
    pub rounds: usize,
    /// What its own noise check warns of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Facts in which it differs from most of its group; for machines that are not normal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<FactDifference>,
    /// All its facts.
    pub facts: BTreeMap<String, String>,
}

/// By which rule the machines of a group are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupRule {
    /// By robust z, median and median absolute deviation of the group.
    Robust,
    /// More than half of the machines say exactly the same: the spread is taken from the runs.
    ZeroSpread,
    /// Too few machines for a spread between them: nobody is a suspect by z, only by a difference beyond all runs.
    Few,
    /// Two machines: which of them is odd cannot be told.
    Pair,
    /// One machine: there is nothing to compare it with.
    Alone,
}

/// Machines of the same hardware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetGroup {
    /// The facts that make them the same.
    pub facts: BTreeMap<String, String>,
    /// How many there are that gave figures.
    pub machines: usize,
    /// Median of their medians in the unit of the metric.
    pub median: Option<f64>,
    /// By which rule they are judged.
    pub rule: GroupRule,
    /// Standard deviation between machines, as a share of the median.
    pub between: Option<f64>,
    /// Standard deviation between blocks of runs of one machine.
    pub between_runs: Option<f64>,
    /// Standard deviation of runs within a block.
    pub within: Option<f64>,
    /// Robust standard deviation of the machines' medians, which is what z is counted in.
    pub spread: Option<f64>,
    /// The slowest machine over the fastest.
    pub max_min_ratio: Option<f64>,
    /// The z from which on a machine is suspect.
    pub z_threshold: Option<f64>,
    /// The smallest slowdown that this design finds in 8 of 10 machines that have it, as a ratio above 1.
    pub smallest_detectable: Option<f64>,
}

/// Machines of one value of a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactValue {
    /// The value; for a reading, its range.
    pub value: String,
    /// Machines that have it.
    pub machines: usize,
    /// Those of them that are slow: suspect, confirmed or noisy; in a comparison, those that go against the fleet.
    pub slow: usize,
    /// Their median over that of the other machines of the same groups.
    pub effect_ratio: f64,
}

/// A fact that goes with being slow, over the whole fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactExplained {
    /// The fact.
    pub fact: String,
    /// Other facts that divide the machines in the same way, so that nobody can tell them apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_as: Vec<String>,
    /// The value that stands out; for a reading, `more` or `less`.
    pub value: String,
    /// The values that most machines have, the slowest first.
    pub values: Vec<FactValue>,
    /// Machines that have the value that stands out.
    pub machines: usize,
    /// Machines that were looked at.
    pub of_machines: usize,
    /// Slow machines that have it.
    pub slow: usize,
    /// Slow machines in all.
    pub of_slow: usize,
    /// Probability of so much by chance, over all facts that were looked at.
    pub p_value: f64,
    /// Machines that have it over those that have not.
    pub effect_ratio: f64,
    /// Low end of its 95 % interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
}

/// What the programs of a fleet answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetAnswer {
    /// The command, by its index.
    pub command: u16,
    /// The group; absent where all groups answer alike.
    pub group: Option<usize>,
    /// SHA-256 of the answer.
    pub sha256: String,
    /// Nodes that gave it, and no other.
    pub machines: usize,
    /// Whether most of the group gave it. Where none has a majority, nobody knows which one is right.
    pub majority: bool,
}

/// Findings of `fleet`: who is odd among machines that should be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetFindings {
    /// UUID of the run.
    pub fleet: String,
    /// What was measured.
    pub command: String,
    /// What is judged.
    pub metric: Metric,
    /// Slowdowns up to this share are nobody's concern: 0.03.
    pub least_effect: f64,
    /// Machines of a fleet without any odd one that are flagged all the same, on average: the budget of the threshold.
    pub false_flags: f64,
    /// One entry per machine, the worst first.
    pub nodes: Vec<FleetNode>,
    /// One entry per hardware.
    pub groups: Vec<FleetGroup>,
    /// Facts that go with being slow.
    pub facts_explained: Vec<FactExplained>,
    /// Facts that were looked at.
    pub facts_tested: Vec<String>,
    /// Answers, where not all are the same.
    pub answers: Vec<FleetAnswer>,
    /// Whom to measure again; absent when nobody is suspect or all has been done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
    /// Deliveries that are no record that counts.
    pub deliveries: Vec<Delivery>,
}

/// The two programs on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineEffect {
    /// The machine.
    pub node: String,
    /// Pairs of blocks that count.
    pub pairs: usize,
    /// B over A; absent where the machine gave none.
    pub effect_ratio: Option<f64>,
    /// Low end of its 95 % interval, over the pairs of this machine.
    pub low: Option<f64>,
    /// High end of it.
    pub high: Option<f64>,
    /// Why it does not count.
    pub reason: Option<String>,
    /// Its facts.
    pub facts: BTreeMap<String, String>,
}

/// Findings of `fleet compare`: one program against another, with machines as the unit of replication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetCompareFindings {
    /// UUID of the run.
    pub fleet: String,
    /// The first program.
    pub a: String,
    /// The second.
    pub b: String,
    /// What is judged.
    pub metric: Metric,
    /// Differences up to this share count as none.
    pub margin: f64,
    /// The verdict over the fleet.
    pub verdict: Verdict,
    /// Machines that count.
    pub machines: usize,
    /// B over A over the machines.
    pub effect_ratio: Option<f64>,
    /// Low end of its 95 % interval for another machine's mean, over the machines.
    pub low: Option<f64>,
    /// High end of it.
    pub high: Option<f64>,
    /// Probability of so much by chance if B and A are the same, by Student's test over the machines.
    pub p_value: Option<f64>,
    /// The same by turning the signs of the machines' effects, which assumes no distribution.
    pub p_sign_flip: Option<f64>,
    /// Standard deviation of the effect between machines beyond what their own runs explain, as a share.
    pub between: Option<f64>,
    /// One entry per machine, from the one that B suits least.
    pub nodes: Vec<MachineEffect>,
    /// Facts that divide the machines by the effect.
    pub facts_explained: Vec<FactExplained>,
    /// The effect on the machines without the value that stands out most; absent when no fact does.
    pub elsewhere: Option<EffectElsewhere>,
    /// Answers, where not all are the same.
    pub answers: Vec<FleetAnswer>,
    /// Machines on which B answers something else than A; absent where there are none.
    #[serde(default)]
    pub answers_differ: Option<AnswersDiffer>,
    /// Deliveries that are no record that counts.
    pub deliveries: Vec<Delivery>,
}

/// Two programs that do not answer the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswersDiffer {
    /// On how many machines.
    pub machines: usize,
    /// Of how many that gave one answer of each.
    pub of: usize,
}

/// The effect on the machines that a fact does not set apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectElsewhere {
    /// How many they are.
    pub machines: usize,
    /// B over A.
    pub effect_ratio: f64,
    /// Low end of its 95 % interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
}

/// One visit to a machine: what `watch` keeps of a node's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeVisit {
    /// The machine.
    pub node: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// When, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median of its runs, in the unit of the metric.
    pub median: f64,
    /// What was known of the machine then.
    pub facts: BTreeMap<String, String>,
}

/// A fact that was another one afterwards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactChange {
    /// The fact.
    pub fact: String,
    /// Before; absent where it was not known.
    pub before: Option<String>,
    /// Afterwards.
    pub after: Option<String>,
}

/// A change of a machine's figures in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// The first visit of the new level, from 0.
    pub at: usize,
    /// When that was, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median before, back to the change before, in the unit of the metric.
    pub before: f64,
    /// Median afterwards, up to the next change.
    pub after: f64,
    /// After over before.
    pub effect_ratio: f64,
    /// Low end of its 95 % interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Probability of so much by chance somewhere in the series.
    pub p_value: f64,
    /// Share of false ones to be expected among all changes up to this p, over all machines (Benjamini and Hochberg).
    pub q_value: f64,
    /// Facts that changed between the two visits around it, or one visit to either side.
    pub facts: Vec<FactChange>,
}

/// One machine over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedNode {
    /// The machine.
    pub node: String,
    /// Median of each visit, in the unit of the metric.
    pub medians: Vec<f64>,
    /// When each was, in nanoseconds since 1970, UTC.
    pub at_utc_ns: Vec<i64>,
    /// Changes, in their order in time.
    pub changes: Vec<ChangePoint>,
    /// Why the machine cannot be judged, where it cannot.
    pub reason: Option<String>,
}

/// A change of a fact after which machines are slower or faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SinceFact {
    /// The fact, before and afterwards.
    #[serde(flatten)]
    pub change: FactChange,
    /// Machines on which it changed while they were watched.
    pub machines: usize,
    /// Those of them whose figures changed with it.
    pub with_change: usize,
    /// Median of what followed on all of them: after over before.
    pub effect_ratio: f64,
    /// Low end of its 95 % interval over the machines; absent for fewer than three.
    pub low: Option<f64>,
    /// High end of it.
    pub high: Option<f64>,
}

/// Findings of `fleet watch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetWatchFindings {
    /// What was measured.
    pub command: String,
    /// What is judged.
    pub metric: Metric,
    /// Probability of a change where there is none, for one machine: 0.01.
    pub alpha: f64,
    /// The fewest visits between two changes.
    pub min_segment: usize,
    /// One entry per machine, those with changes first.
    pub nodes: Vec<WatchedNode>,
    /// Facts after whose change machines differ.
    pub since: Vec<SinceFact>,
}
