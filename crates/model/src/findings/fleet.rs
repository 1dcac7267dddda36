//! Findings of a fleet: odd machines, facts that explain them, and comparisons of programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Delivery, DifferenceIn, Extent, Metric, Remeasurement, Side, Verdict};

/// The verdict on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// The program gave another answer than on the other machines, or several answers.
    WrongAnswer,
    /// Slower than the group, also when measured again.
    Confirmed,
    /// Slower than the group in one measurement.
    Suspect,
    /// Slower at first; the readings vary too much to confirm or clear the machine.
    Noisy,
    /// Slower at first, but not when measured again.
    Cleared,
    /// The machine was asked and delivered no figure.
    Missing,
    /// The machine could not be asked: the engine says why.
    Unreached,
    /// The machine has figures, and none like it to be compared with.
    Uncompared,
    /// No anomaly was seen in this run.
    Normal,
}

impl NodeState {
    /// All states, the worst first.
    pub const ALL: [NodeState; 9] = [
        NodeState::WrongAnswer,
        NodeState::Confirmed,
        NodeState::Suspect,
        NodeState::Noisy,
        NodeState::Cleared,
        NodeState::Missing,
        NodeState::Unreached,
        NodeState::Uncompared,
        NodeState::Normal,
    ];

    /// The word in reports and documents.
    pub fn word(self) -> &'static str {
        match self {
            NodeState::WrongAnswer => "wrong-answer",
            NodeState::Confirmed => "confirmed",
            NodeState::Suspect => "suspect",
            NodeState::Noisy => "noisy",
            NodeState::Cleared => "cleared",
            NodeState::Missing => "missing",
            NodeState::Unreached => "unreached",
            NodeState::Uncompared => "uncompared",
            NodeState::Normal => "normal",
        }
    }
}

/// A fact in which a machine differs from its group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDifference {
    /// Name of the fact.
    pub fact: String,
    /// Value on this machine.
    pub value: String,
    /// Value on most machines of the group.
    pub usual: String,
    /// Machines of the group with the usual value.
    pub usual_machines: usize,
    /// Other machines of the group with the value of this machine.
    pub shared_machines: usize,
}

/// Observation about a machine that is no slowness by the figure that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// Faster than machines like it.
    Fast,
    /// Runs that differ more from each other than those of other machines.
    Scatter,
    /// Another number of runs than was asked for.
    Runs,
    /// A fact in which nearly all machines of the group agree has another value.
    Fact,
}

impl NoticeKind {
    /// All kinds, in the order of reports.
    pub const ALL: [NoticeKind; 4] =
        [NoticeKind::Fast, NoticeKind::Scatter, NoticeKind::Runs, NoticeKind::Fact];

    /// Word in documents.
    pub fn word(self) -> &'static str {
        match self {
            NoticeKind::Fast => "fast",
            NoticeKind::Scatter => "scatter",
            NoticeKind::Runs => "runs",
            NoticeKind::Fact => "fact",
        }
    }
}

/// An observation about a machine. Each kind has a budget of false ones of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNotice {
    /// The machine.
    pub node: String,
    /// Kind of the observation.
    pub kind: NoticeKind,
    /// Figure of the machine over that of its group: of times for `fast`, of the spread of runs for `scatter`, of the
    /// number of runs for `runs`.
    pub ratio: Option<f64>,
    /// The fact, of a `fact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<FactDifference>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNode {
    /// Name of the machine.
    pub node: String,
    /// Index of the machine's group in `groups`; `None` when the machine delivered no facts.
    pub group: Option<usize>,
    /// Runs that were analysed.
    pub runs: usize,
    /// Median of the runs of the first measurement, in the unit of the metric.
    pub median: Option<f64>,
    /// Distance on the slow side of the group, in robust standard deviations of the group; `None` where the group is
    /// too small or has no spread.
    pub z: Option<f64>,
    /// Median of the machine over that of its group, or, where it was measured again, over that of the machines beside
    /// it; beside what the machine's facts explain.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: Option<f64>,
    /// High end of the interval of `effect_ratio`.
    pub high: Option<f64>,
    /// The part of the machine's slowness that its facts explain, as a ratio; `None` where they explain nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_ratio: Option<f64>,
    /// The verdict on the machine.
    pub state: NodeState,
    /// Reason for the state in one line, where the figures do not explain it.
    pub reason: Option<String>,
    /// Rounds in which the machine was measured again beside machines of its group.
    pub rounds: usize,
    /// Warnings of the machine's own noise check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Facts in which the machine differs from most of its group; empty for normal machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<FactDifference>,
    /// All facts of the machine.
    pub facts: BTreeMap<String, String>,
}

/// The rule by which the machines of a group are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupRule {
    /// Robust z: median and median absolute deviation of the group.
    Robust,
    /// More than half of the machines have exactly the same median: the spread is taken from the runs.
    ZeroSpread,
    /// Fewer than eight machines in a fleet of more: the spread is that within all groups of the fleet.
    Pooled,
    /// Too few machines for a spread between them, in the whole fleet too. Machines are suspect by their distance from the
    /// others.
    Few,
    /// Two machines: nothing tells which of them is odd.
    Pair,
    /// A machine: there is nothing to compare it with.
    Alone,
}

/// Machines of the same hardware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetGroup {
    /// The facts that all machines of the group share.
    pub facts: BTreeMap<String, String>,
    /// Number of machines that delivered figures.
    pub machines: usize,
    /// Median of the machines' medians, in the unit of the metric.
    pub median: Option<f64>,
    /// The rule by which the machines are judged.
    pub rule: GroupRule,
    /// Standard deviation between machines, as a share of the median.
    pub between: Option<f64>,
    /// Standard deviation between blocks of runs of one machine.
    pub between_runs: Option<f64>,
    /// Standard deviation of runs within a block.
    pub within: Option<f64>,
    /// Robust standard deviation of the machines' medians, the unit of `z`.
    pub spread: Option<f64>,
    /// The slowest machine over the fastest.
    pub max_min_ratio: Option<f64>,
    /// The value of `z` from which on a machine is suspect.
    pub z_threshold: Option<f64>,
    /// The smallest slowdown that this design finds on 8 of 10 affected machines, as a ratio above 1.
    pub smallest_detectable: Option<f64>,
    /// Median of the group over that of the whole fleet, in a fleet that has groups of fewer than eight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet_ratio: Option<f64>,
}

/// The machines that share one value of a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactValue {
    /// The value; for a reading, its range.
    pub value: String,
    /// Machines with the value.
    pub machines: usize,
    /// Slow machines with the value: suspect, confirmed or noisy. In a comparison, machines whose effect is opposite to
    /// the fleet's.
    pub slow: usize,
    /// Median of these machines over that of the other machines of the same groups.
    pub effect_ratio: f64,
}

/// A fact that is associated with slowness, over the whole fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactExplained {
    /// Name of the fact.
    pub fact: String,
    /// Other facts that divide the machines in the same way, so that they cannot be told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_as: Vec<String>,
    /// The value that stands out; for a reading, `more` or `less`.
    pub value: String,
    /// The most common values, the slowest first.
    pub values: Vec<FactValue>,
    /// Machines with the value that stands out.
    pub machines: usize,
    /// Machines that were tested.
    pub of_machines: usize,
    /// Slow machines with the value that stands out.
    pub slow: usize,
    /// All slow machines.
    pub of_slow: usize,
    /// p-value of the association, over all facts that were tested.
    pub p_value: f64,
    /// Machines with the value over those without.
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    /// High end of the interval of `effect_ratio`.
    pub high: f64,
}

/// An answer that programs of a fleet gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetAnswer {
    /// Index of the command.
    pub command: u16,
    /// Index of the group; `None` where all groups answer alike.
    pub group: Option<usize>,
    /// SHA-256 of the answer.
    pub sha256: String,
    /// Nodes that gave this answer and no other.
    pub machines: usize,
    /// Whether most of the group gave this answer. Without a majority, no answer can be called right.
    pub majority: bool,
}

/// Findings of `fleet run`: odd machines among machines that should be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetFindings {
    /// UUID of the run.
    pub fleet: String,
    /// SHA-256 of the definition, by which runs of one definition are recognised.
    #[serde(default)]
    pub definition_sha256: String,
    /// Time at which the first machine began, in nanoseconds since 1970, UTC; `None` where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_utc_ns: Option<i64>,
    /// The command that was measured.
    pub command: String,
    /// The metric that is judged.
    pub metric: Metric,
    /// Slowdowns up to this share are ignored: 0.03.
    pub least_effect: f64,
    /// Expected number of false flags in a fleet without any odd machine: the budget of the threshold.
    pub false_flags: f64,
    /// An entry per machine, the worst first.
    pub nodes: Vec<FleetNode>,
    /// Observations beside slowness.
    #[serde(default)]
    pub notices: Vec<FleetNotice>,
    /// An entry per group of equal hardware.
    pub groups: Vec<FleetGroup>,
    /// Facts that are associated with slowness.
    pub facts_explained: Vec<FactExplained>,
    /// Facts that were tested.
    pub facts_tested: Vec<String>,
    /// Answers of the programs; empty where all are the same.
    pub answers: Vec<FleetAnswer>,
    /// Machines to measure again; `None` when no machine is suspect or all have been measured again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
    /// Deliveries that hold no usable record.
    pub deliveries: Vec<Delivery>,
}

/// Effect between the two programs on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineEffect {
    /// The machine.
    pub node: String,
    /// Pairs of blocks that were analysed.
    pub pairs: usize,
    /// B over A; `None` where the machine delivered no pairs.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval of `effect_ratio`, over the pairs of this machine.
    pub low: Option<f64>,
    /// High end of the interval of `effect_ratio`.
    pub high: Option<f64>,
    /// Why the machine was left out of the analysis.
    pub reason: Option<String>,
    /// Facts of the machine.
    pub facts: BTreeMap<String, String>,
}

/// Findings of `fleet compare`: one program against another, with machines as the unit of replication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetCompareFindings {
    /// UUID of the run.
    pub fleet: String,
    /// The first program.
    pub a: String,
    /// The second program.
    pub b: String,
    /// The metric that is judged.
    pub metric: Metric,
    /// Differences up to this share count as none.
    pub margin: f64,
    /// The verdict over the fleet.
    pub verdict: Verdict,
    /// The runs for which an *equivalent* holds; `None` for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The part of the runs in which a *different* was shown; empty for other verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub difference_in: Vec<DifferenceIn>,
    /// The ratio of the means over the machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<FleetMean>,
    /// Slow runs over the machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<FleetTail>,
    /// Machines that were analysed.
    pub machines: usize,
    /// Mean of B over A over the machines.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval, over the machines, for the mean of another machine.
    pub low: Option<f64>,
    /// High end of the interval for the mean of another machine.
    pub high: Option<f64>,
    /// p-value of Student's test over the machines, if B and A are the same.
    pub p_value: Option<f64>,
    /// p-value by flipping the signs of the machines' effects, which assumes no distribution.
    pub p_sign_flip: Option<f64>,
    /// Standard deviation of the effect between machines beyond the spread of their own runs, as a share.
    pub between: Option<f64>,
    /// An entry per machine, from the one on which B is worst.
    pub nodes: Vec<MachineEffect>,
    /// Facts that divide the machines by the effect.
    pub facts_explained: Vec<FactExplained>,
    /// The effect on the machines without the value that stands out most; `None` when no fact explains the effect.
    pub elsewhere: Option<EffectElsewhere>,
    /// Answers of the programs; empty where all are the same.
    pub answers: Vec<FleetAnswer>,
    /// Machines on which B gives another answer than A; `None` where there are none.
    #[serde(default)]
    pub answers_differ: Option<AnswersDiffer>,
    /// Deliveries that hold no usable record.
    pub deliveries: Vec<Delivery>,
}

/// The ratio of the means of two programs, each machine by itself, over the machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetMean {
    /// Geometric mean over the machines of mean of B over mean of A.
    pub ratio: f64,
    /// Low end of its interval, at a fifth of the level.
    pub low_ratio: f64,
    /// High end of it.
    pub high_ratio: f64,
    /// The ratio without any cap and without an interval.
    pub plain_ratio: f64,
    /// A reading beyond this many times what is typical of its program on its machine counts as that much.
    pub cap: f64,
    /// Readings of A and of B that were capped.
    pub capped: [usize; 2],
    /// Verdict on the means.
    pub verdict: Verdict,
}

/// Slow runs of two programs, each beside what is typical of its program on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetTail {
    /// An excess of slow runs up to this share counts as none.
    pub margin: f64,
    /// A run is slow that takes more than this many times the typical one.
    pub threshold_ratio: f64,
    /// Mean over the machines of the share of runs of A that are slow.
    pub share_a: f64,
    /// Mean over the machines of the share of runs of B.
    pub share_b: f64,
    /// `share_b` less `share_a`.
    pub excess: f64,
    /// Low end of its interval over the machines, at a fifth of the level.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// An excess to either side from which on it is excluded, by the machines and by the number of runs.
    pub excess_excluded: f64,
    /// The program that is shown to be slow in more runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Verdict on slow runs.
    pub verdict: Verdict,
}

/// Machines on which the two programs give different answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswersDiffer {
    /// Machines with different answers.
    pub machines: usize,
    /// Machines that gave exactly one answer for each program.
    pub of: usize,
}

/// The effect on the machines without the value of a fact that stands out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectElsewhere {
    /// Number of machines.
    pub machines: usize,
    /// B over A.
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    /// High end of the interval of `effect_ratio`.
    pub high: f64,
}
