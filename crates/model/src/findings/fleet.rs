//! Findings of a fleet: odd machines, facts that explain them, and comparisons of programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Delivery, DifferenceIn, Extent, Metric, Remeasurement, Side, Verdict};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// The program gave a different answer than on the other machines, or several answers.
    WrongAnswer,
    /// Slower than the group, also in a repeated measurement.
    Confirmed,
    /// Slower than the group in one measurement.
    Suspect,
    /// Slower at first; the readings vary too much to confirm or clear the machine.
    Noisy,
    /// Slower at first, but not in the repeated measurement.
    Cleared,
    /// The machine was asked and delivered no figure.
    Missing,
    /// The machine could not be asked. `reason` holds the message of the engine.
    Unreached,
    /// The machine has figures, but no machine of its identity to be compared with.
    Uncompared,
    /// No anomaly was seen in this run.
    Normal,
}

impl NodeState {
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
    pub fact: String,
    /// Value on this machine.
    pub value: String,
    /// Value on most machines of the group.
    pub usual: String,
    /// Machines of the group with the usual value.
    pub usual_machines: usize,
    /// Other machines of the group with the same value as this machine.
    pub shared_machines: usize,
}

/// Kind of an observation about a machine other than slowness in the judged figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// Faster than the machines of its group.
    Fast,
    /// Runs differ more from each other than the runs of other machines.
    Scatter,
    /// The number of runs is not the requested number.
    Runs,
    /// A fact in which nearly all machines of the group agree has a different value.
    Fact,
}

impl NoticeKind {
    pub const ALL: [NoticeKind; 4] =
        [NoticeKind::Fast, NoticeKind::Scatter, NoticeKind::Runs, NoticeKind::Fact];

    pub fn word(self) -> &'static str {
        match self {
            NoticeKind::Fast => "fast",
            NoticeKind::Scatter => "scatter",
            NoticeKind::Runs => "runs",
            NoticeKind::Fact => "fact",
        }
    }
}

/// An observation about a machine. Each kind has its own budget of false observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNotice {
    pub node: String,
    pub kind: NoticeKind,
    /// Figure of the machine over that of its group: of times for `fast`, of the spread of runs for `scatter`, of the
    /// number of runs for `runs`.
    pub ratio: Option<f64>,
    /// The differing fact, if `kind` is `fact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<FactDifference>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNode {
    pub node: String,
    /// Index in `groups`; `None` if the machine delivered no facts.
    pub group: Option<usize>,
    pub runs: usize,
    /// Median of the runs of the first measurement, in the unit of the metric.
    pub median: Option<f64>,
    /// Distance on the slow side of the group, in robust standard deviations of the group; `None` if the group is too
    /// small or has no spread.
    pub z: Option<f64>,
    /// Median of the machine over that of its group, or, if it was measured again, over that of the machines beside it.
    /// The part that the machine's facts explain is left out.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: Option<f64>,
    /// High end of the interval of `effect_ratio`.
    pub high: Option<f64>,
    /// The part of the machine's slowness that its facts explain, as a ratio; `None` if they explain nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_ratio: Option<f64>,
    pub state: NodeState,
    /// Reason for the state in one line, if the figures do not explain it.
    pub reason: Option<String>,
    /// Rounds in which the machine was measured again beside machines of its group.
    pub rounds: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Facts in which the machine differs from most of its group; empty for normal machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<FactDifference>,
    pub facts: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupRule {
    /// Robust z: median and median absolute deviation of the group.
    Robust,
    /// More than half of the machines have exactly the same median. The spread is taken from the runs.
    ZeroSpread,
    /// Fewer than eight machines in a larger fleet. The spread is that within all groups of the fleet.
    Pooled,
    /// Too few machines, also in the whole fleet, for a spread between them. Machines are suspect by their distance
    /// from the others.
    Few,
    /// Two machines: nothing shows which of them is odd.
    Pair,
    /// A single machine: nothing to compare it with.
    Alone,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetGroup {
    /// The facts that all machines of the group share.
    pub facts: BTreeMap<String, String>,
    /// Number of machines that delivered figures.
    pub machines: usize,
    /// Median of the machines' medians, in the unit of the metric.
    pub median: Option<f64>,
    pub rule: GroupRule,
    /// Standard deviation between machines, as a share of the median.
    pub between: Option<f64>,
    /// Standard deviation between blocks of runs of one machine.
    pub between_runs: Option<f64>,
    /// Standard deviation of runs within a block.
    pub within: Option<f64>,
    /// Robust standard deviation of the machines' medians, the unit of `z`.
    pub spread: Option<f64>,
    pub max_min_ratio: Option<f64>,
    /// The value of `z` from which a machine is suspect.
    pub z_threshold: Option<f64>,
    /// The smallest slowdown that this design finds on 8 of 10 affected machines, as a ratio above 1.
    pub smallest_detectable: Option<f64>,
    /// Median of the group over that of the whole fleet, if the fleet has groups of fewer than eight machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet_ratio: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactValue {
    /// The value; for a numeric reading, its range.
    pub value: String,
    pub machines: usize,
    /// Machines with the value that are suspect, confirmed or noisy. In a comparison, machines whose effect is opposite
    /// to that of the fleet.
    pub slow: usize,
    /// Median of these machines over that of the other machines of the same groups.
    pub effect_ratio: f64,
}

/// A fact that is associated with slowness over the whole fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactExplained {
    pub fact: String,
    /// Other facts that divide the machines in the same way and so cannot be distinguished from this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_as: Vec<String>,
    /// The value that stands out; for a numeric reading, `more` or `less`.
    pub value: String,
    /// The most common values, the slowest first.
    pub values: Vec<FactValue>,
    /// Machines with the value that stands out.
    pub machines: usize,
    /// Machines that were tested.
    pub of_machines: usize,
    /// Slow machines with the value that stands out.
    pub slow: usize,
    pub of_slow: usize,
    /// p-value of the association, adjusted for all facts that were tested.
    pub p_value: f64,
    /// Machines with the value over machines without it.
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetAnswer {
    /// Index of the command.
    pub command: u16,
    /// Index of the group; `None` if all groups gave the same answer.
    pub group: Option<usize>,
    /// SHA-256 of the answer.
    pub sha256: String,
    /// Nodes that gave this answer and no other.
    pub machines: usize,
    /// Whether most of the group gave this answer. Without a majority, no answer can be called right.
    pub majority: bool,
}

/// Findings of `fleet run`: odd machines among machines that should be alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetFindings {
    pub fleet: String,
    /// SHA-256 of the definition. Runs of one definition are recognised by this digest.
    #[serde(default)]
    pub definition_sha256: String,
    /// Time at which the first machine began, in nanoseconds since 1970, UTC; `None` if no machine began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_utc_ns: Option<i64>,
    pub command: String,
    pub metric: Metric,
    /// Slowdowns up to this share are ignored, such as 0.03.
    pub least_effect: f64,
    /// Expected number of false flags in a fleet without any odd machine, from which the threshold follows.
    pub false_flags: f64,
    /// Entries: one per machine, the worst first.
    pub nodes: Vec<FleetNode>,
    #[serde(default)]
    pub notices: Vec<FleetNotice>,
    pub groups: Vec<FleetGroup>,
    pub facts_explained: Vec<FactExplained>,
    pub facts_tested: Vec<String>,
    /// Answers of the programs; empty if all are equal.
    pub answers: Vec<FleetAnswer>,
    /// Machines to measure again; `None` if no machine is suspect or all have been measured again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
    /// Deliveries that hold no usable record.
    pub deliveries: Vec<Delivery>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineEffect {
    pub node: String,
    /// Pairs of blocks that were analysed.
    pub pairs: usize,
    /// B over A; `None` if the machine delivered no pairs.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval of `effect_ratio`, over the pairs of this machine.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Why the machine was left out of the analysis.
    pub reason: Option<String>,
    pub facts: BTreeMap<String, String>,
}

/// Findings of `fleet compare`: one program against another, with machines as the unit of replication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetCompareFindings {
    pub fleet: String,
    pub a: String,
    pub b: String,
    pub metric: Metric,
    /// Differences up to this share count as no difference.
    pub margin: f64,
    pub verdict: Verdict,
    /// The runs for which an *equivalent* holds; `None` for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The part of the runs in which a *different* was shown; empty for other verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub difference_in: Vec<DifferenceIn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<FleetMean>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<FleetTail>,
    pub machines: usize,
    /// Mean of B over A over the machines.
    pub effect_ratio: Option<f64>,
    /// Low end of the 95 % interval, over the machines, for the mean of a further machine.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// p-value of Student's test over the machines, under the hypothesis that B and A are equal.
    pub p_value: Option<f64>,
    /// p-value by flipping the signs of the machines' effects, which assumes no distribution.
    pub p_sign_flip: Option<f64>,
    /// Standard deviation of the effect between machines beyond the spread of their own runs, as a share.
    pub between: Option<f64>,
    /// Entries: one per machine. The machine on which B is worst comes first.
    pub nodes: Vec<MachineEffect>,
    /// Facts that divide the machines by the effect.
    pub facts_explained: Vec<FactExplained>,
    /// The effect on the machines without the value that stands out most; `None` if no fact explains the effect.
    pub elsewhere: Option<EffectElsewhere>,
    /// Answers of the programs; empty if all are equal.
    pub answers: Vec<FleetAnswer>,
    /// Machines on which B gives a different answer than A; `None` if there are none.
    #[serde(default)]
    pub answers_differ: Option<AnswersDiffer>,
    /// Deliveries that hold no usable record.
    pub deliveries: Vec<Delivery>,
}

/// The ratio of the means of two programs, computed on each machine by itself and combined over the machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetMean {
    /// Geometric mean over the machines of: mean of B over mean of A.
    pub ratio: f64,
    /// Interval of `ratio` at a fifth of the level: low end.
    pub low_ratio: f64,
    pub high_ratio: f64,
    /// The ratio without any cap and without an interval.
    pub plain_ratio: f64,
    /// A reading beyond this multiple of the typical reading of its program on its machine counts as the multiple.
    pub cap: f64,
    /// Readings of A and of B that were capped.
    pub capped: [usize; 2],
    pub verdict: Verdict,
}

/// Slow runs of two programs. A run is judged against the typical run of its program on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetTail {
    /// An excess of slow runs up to this share counts as none.
    pub margin: f64,
    /// A run is slow if it takes more than this multiple of the typical run.
    pub threshold_ratio: f64,
    /// Mean over the machines of the share of slow runs of A.
    pub share_a: f64,
    /// Mean over the machines of the share of slow runs of B.
    pub share_b: f64,
    /// `share_b` minus `share_a`.
    pub excess: f64,
    /// Interval of `excess` over the machines, at a fifth of the level: low end.
    pub low: f64,
    pub high: f64,
    /// The smallest excess to either side that is excluded, by the machines and by the number of runs.
    pub excess_excluded: f64,
    /// The program that is shown to be slow in more runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswersDiffer {
    pub machines: usize,
    /// Machines that gave exactly one answer for each program.
    pub of: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectElsewhere {
    pub machines: usize,
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    pub high: f64,
}
