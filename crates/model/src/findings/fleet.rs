//! Findings of a fleet of machines: odd machines, facts that explain them, and comparisons of programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Delivery, DifferenceIn, Extent, Metric, Remeasurement, Side, Verdict};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// The output of the program differs from that on the other machines, or from run to run.
    WrongAnswer,
    /// Slower than the machine's group, and again in a repeated measurement.
    Confirmed,
    /// Slower than the machine's group in one measurement.
    Suspect,
    /// Slower at first; the readings of the repeated measurement vary too much to confirm or clear the machine.
    Noisy,
    /// Slower at first, but not in the repeated measurement.
    Cleared,
    /// The machine was asked and delivered no figure.
    Missing,
    /// The machine could not be asked. `reason` holds the message of the tool that distributes work to the fleet.
    Unreached,
    /// The machine has figures, but there is no machine of the same hardware to compare it with.
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

/// A fact whose value on a machine differs from that on most machines of its group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDifference {
    pub fact: String,
    /// Value on this machine.
    pub value: String,
    /// Value on most machines of the group.
    pub usual: String,
    /// Number of machines of the group with the usual value.
    pub usual_machines: usize,
    /// Number of other machines of the group with the same value as this machine.
    pub shared_machines: usize,
}

/// Kind of an observation about a machine beside slowness in the compared metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// Faster than the machines of its group.
    Fast,
    /// The runs of the machine vary more than those of other machines.
    Scatter,
    /// The machine made another number of runs than requested.
    Runs,
    /// A fact has another value than on nearly all machines of the group.
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

/// An observation about a machine beside slowness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNotice {
    pub node: String,
    pub kind: NoticeKind,
    /// Ratio of a figure of the machine to that of its group: of times for `fast`, of the spread of runs for `scatter`;
    /// for `runs`, of the number of runs to the requested one.
    pub ratio: Option<f64>,
    /// The fact that differs, if `kind` is `fact`; otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<FactDifference>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetNode {
    pub node: String,
    /// Index of the machine's group in `groups`; `None` if the machine delivered no facts.
    pub group: Option<usize>,
    pub runs: usize,
    /// Median of the runs of the first measurement, in the unit of the metric.
    pub median: Option<f64>,
    /// Distance from the centre of the group towards the slow side, in robust standard deviations of the group; `None`
    /// if the group is too small or has no spread.
    pub z: Option<f64>,
    /// Median reading of the machine over that of its group, or, if it was measured again, over that of the machines
    /// beside it. The part that the machine's facts explain is left out.
    pub effect_ratio: Option<f64>,
    /// Lower end of the 95 % interval of `effect_ratio`.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval of `effect_ratio`.
    pub high: Option<f64>,
    /// The part of the machine's slowness that its facts explain, as a ratio; `None` if they explain nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_ratio: Option<f64>,
    pub state: NodeState,
    /// Reason for the state in one line; `None` if the figures show it.
    pub reason: Option<String>,
    /// Number of rounds in which the machine was measured again beside machines of its group.
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
    /// By the median and the median absolute deviation of the group.
    Robust,
    /// More than half of the machines have exactly the same median, so the spread is taken from the runs.
    ZeroSpread,
    /// The group has fewer than eight machines in a larger fleet, so the spread is that within all groups of the fleet.
    Pooled,
    /// Group and fleet have too few machines for a robust spread. Machines are suspect by their distance from the
    /// others.
    Few,
    /// The group has two machines, which cannot show which of them is odd.
    Pair,
    /// The group has a single machine, which cannot be compared.
    Alone,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetGroup {
    /// The identifying facts that all machines of the group share.
    pub facts: BTreeMap<String, String>,
    /// Number of machines of the group that delivered figures.
    pub machines: usize,
    /// Median over the machines of their median readings, in the unit of the metric.
    pub median: Option<f64>,
    pub rule: GroupRule,
    /// Standard deviation between the machines, of log readings.
    pub between: Option<f64>,
    /// Standard deviation between blocks of runs on one machine, of log readings.
    pub between_runs: Option<f64>,
    /// Standard deviation between runs within a block, of log readings.
    pub within: Option<f64>,
    /// Robust standard deviation of the machines' median log readings, which is the unit of [`FleetNode::z`].
    pub spread: Option<f64>,
    pub max_min_ratio: Option<f64>,
    /// The value of [`FleetNode::z`] above which a machine is suspect.
    pub z_threshold: Option<f64>,
    /// The smallest slowdown that is found on 8 of 10 machines that have it, as a ratio above 1.
    pub smallest_detectable: Option<f64>,
    /// Median of the group over that of the whole fleet; `None` unless the fleet has groups of fewer than eight
    /// machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet_ratio: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactValue {
    /// The value; for a fact that is a number, a range.
    pub value: String,
    pub machines: usize,
    /// Number of machines with the value that are suspect, confirmed or noisy; in a comparison of programs, of those
    /// whose effect differs from that of the fleet towards zero or the opposite sign.
    pub slow: usize,
    /// Median reading of the machines with the value over that of all other machines, each reading relative to its
    /// group's.
    pub effect_ratio: f64,
}

/// A fact that is associated with slowness over the whole fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactExplained {
    pub fact: String,
    /// Other facts that divide the machines in the same way, and so cannot be distinguished from `fact`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_as: Vec<String>,
    /// The value that stands out; for a fact that is a number, `more` or `less`.
    pub value: String,
    /// The most common values of the fact, the slowest first.
    pub values: Vec<FactValue>,
    /// Number of machines with the value that stands out.
    pub machines: usize,
    /// Number of machines that were tested.
    pub of_machines: usize,
    /// Number of slow machines with the value that stands out.
    pub slow: usize,
    pub of_slow: usize,
    /// p-value of the association, adjusted for all facts that were tested.
    pub p_value: f64,
    /// Typical reading of the machines with the value that stands out over that of the machines without it in the same
    /// groups.
    pub effect_ratio: f64,
    /// Lower end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetAnswer {
    /// Index of the command.
    pub command: u16,
    /// Index of the group; `None` if the machines belong to no group.
    pub group: Option<usize>,
    /// SHA-256 of the output.
    pub sha256: String,
    /// Number of machines that gave this output and no other.
    pub machines: usize,
    /// Whether more than half of the machines that are compared gave this output. Without a majority, no output can be
    /// called right.
    pub majority: bool,
}

/// Findings of `fleet run`: odd machines among machines that should be alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetFindings {
    pub fleet: String,
    /// SHA-256 of the definition, by which several runs of the same definition are recognised.
    #[serde(default)]
    pub definition_sha256: String,
    /// Time at which the first machine began, in nanoseconds since 1970, UTC; `None` if no machine delivered a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_utc_ns: Option<i64>,
    pub command: String,
    pub metric: Metric,
    /// Slowdown up to which machines are not reported, as a ratio minus one, such as 0.03.
    pub least_effect: f64,
    /// Expected number of false flags in a fleet without any odd machine, from which thresholds follow.
    pub false_flags: f64,
    /// States of the machines, the worst first.
    pub nodes: Vec<FleetNode>,
    #[serde(default)]
    pub notices: Vec<FleetNotice>,
    pub groups: Vec<FleetGroup>,
    pub facts_explained: Vec<FactExplained>,
    pub facts_tested: Vec<String>,
    /// Outputs of the program, as hashes; empty if all are equal.
    pub answers: Vec<FleetAnswer>,
    /// Machines to measure again; `None` if no machine is suspect or all have been measured again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Remeasurement>,
    /// Attempts to obtain records from nodes that gave no record, or no usable one.
    pub deliveries: Vec<Delivery>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineEffect {
    pub node: String,
    /// Number of blocks with both programs that were analysed.
    pub pairs: usize,
    /// Ratio B over A on this machine; `None` if no block has both programs.
    pub effect_ratio: Option<f64>,
    /// Lower end of the 95 % interval of `effect_ratio`, over the blocks of this machine.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Why the machine was left out of the analysis; `None` if it was not.
    pub reason: Option<String>,
    pub facts: BTreeMap<String, String>,
}

/// Findings of `fleet compare`: one program against another, where each machine counts as one value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetCompareFindings {
    pub fleet: String,
    pub a: String,
    pub b: String,
    pub metric: Metric,
    /// Largest difference that counts as none, as a ratio minus one.
    pub margin: f64,
    pub verdict: Verdict,
    /// The runs for which an *equivalent* is shown; `None` for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The parts of the runs in which a *different* is shown; empty for other verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub difference_in: Vec<DifferenceIn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<FleetMean>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<FleetTail>,
    pub machines: usize,
    /// Geometric mean over the machines of the ratio B over A.
    pub effect_ratio: Option<f64>,
    /// Lower end of the 95 % interval of `effect_ratio`, over the machines.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// p-value of Student's test over the machines that B and A are equal.
    pub p_value: Option<f64>,
    /// p-value of a test that flips the signs of the machines' log ratios, which assumes no normal distribution.
    pub p_sign_flip: Option<f64>,
    /// Standard deviation of the log ratio between machines, beyond the errors of each machine.
    pub between: Option<f64>,
    /// Effects on each machine; the machine on which B is worst comes first.
    pub nodes: Vec<MachineEffect>,
    /// Facts by whose values the effect differs between machines.
    pub facts_explained: Vec<FactExplained>,
    /// The effect on the machines without the value that stands out most; `None` if no fact explains the effect.
    pub elsewhere: Option<EffectElsewhere>,
    /// Outputs of the programs, as hashes; empty if all are equal.
    pub answers: Vec<FleetAnswer>,
    /// Machines on which B has another output than A; `None` if there are none.
    #[serde(default)]
    pub answers_differ: Option<AnswersDiffer>,
    /// Attempts to obtain records from nodes that gave no record, or no usable one.
    pub deliveries: Vec<Delivery>,
}

/// The ratio of the means of two programs, computed on each machine by itself and combined over the machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetMean {
    /// Geometric mean over the machines of the mean of B over the mean of A, where readings beyond the cap count as the
    /// cap.
    pub ratio: f64,
    /// Lower end of the interval of `ratio` at a fifth of the error level.
    pub low_ratio: f64,
    pub high_ratio: f64,
    /// Geometric mean of the ratios without any cap, which has no interval.
    pub plain_ratio: f64,
    /// The cap, as a multiple of the typical reading of a program on its machine.
    pub cap: f64,
    /// Numbers of readings of A and of B that were capped.
    pub capped: [usize; 2],
    pub verdict: Verdict,
}

/// Shares of slow runs of two programs. A run is compared with the typical run of its program on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetTail {
    /// Largest difference of the shares of slow runs that counts as none.
    pub margin: f64,
    /// Multiple of the typical run above which a run is slow.
    pub threshold_ratio: f64,
    /// Mean over the machines of the share of slow runs of A.
    pub share_a: f64,
    /// Mean over the machines of the share of slow runs of B.
    pub share_b: f64,
    /// `share_b` minus `share_a`.
    pub excess: f64,
    /// Lower end of the interval of `excess` over the machines, at a fifth of the error level.
    pub low: f64,
    pub high: f64,
    /// The smallest absolute `excess` that is excluded, by the machines and by the number of runs.
    pub excess_excluded: f64,
    /// The program that is shown to have more slow runs; `None` if that is shown of neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswersDiffer {
    pub machines: usize,
    /// Number of machines that gave exactly one output for each program.
    pub of: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectElsewhere {
    pub machines: usize,
    pub effect_ratio: f64,
    /// Lower end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    pub high: f64,
}
