//! Findings of a comparison.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use super::answers::{
    BoundedEffect, CarryOver, DifferenceIn, Dropped, DroppedLean, ExactCounts, Extent, Gate, GateState,
    Grade, MeanRatio, ModeShares, QuantileShift, RatioInterval, Replication, Scope, Secondary, Side,
    SpreadChange, StoppedBy, Tail, VarianceBudget, Verdict,
};
use super::numbers::known;
use crate::{Estimand, GateQuestion, GateSide, Metric, ProfileFindings, RunFindings, Variant};

fn inconclusive() -> Verdict {
    Verdict::Inconclusive
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub a: String,
    pub b: String,
    /// The metric that decides.
    pub metric: Metric,
    pub verdict: Verdict,
    pub scope: Scope,
    pub grade: Grade,
    /// The runs for which an *equivalent* holds; `None` for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The part of the runs in which a *different* was shown; empty for other verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub difference_in: Vec<DifferenceIn>,
    /// Whether a *different* in typical runs is larger than the margin; `None` if neither larger nor smaller was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_margin: Option<bool>,
    /// Pairs in which one command was much slower; `None` if the tail was not analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
    #[serde(default)]
    pub estimand: Estimand,
    /// The answer to the question of a gate; `None` without a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The typical pair if the mean decides. `None` if the typical pair itself decides and is in `effect_ratio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<RatioInterval>,
    /// Mean of B over mean of A, with its interval; `None` with too few pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<MeanRatio>,
    #[serde(default = "inconclusive")]
    pub mean_verdict: Verdict,
    /// Effects of commands on the next run; `None` if no command ran twice in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_over: Option<CarryOver>,
    /// Difference between the spreads of B and of A; `None` if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<SpreadChange>,
    /// B over A in the early and in the late half, if these differ so much that the answer is withheld.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halves: Option<[f64; 2]>,
    /// Whether no single shift explains the differences, so that the estimate is the median of the pairs.
    #[serde(default)]
    pub is_mixture: bool,
    /// Shares of two modes in the runs of both commands; `None` if neither command has two modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<ModeShares>,
    /// Pairs dropped for waiting or steal, by the command that waited more; `None` if no pair was dropped for that
    /// reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_lean: Option<DroppedLean>,
    /// Shift function: the ratio at each quantile from the fastest tenth to the slowest runs, with a simultaneous band
    /// at the level; empty with too few pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<QuantileShift>,
    /// B over A: the shift between typical runs at which the deciding test sees no difference. NaN if no pair was
    /// analysed.
    #[serde(deserialize_with = "known")]
    pub effect_ratio: f64,
    /// Repeated interval of the sequential design: low end.
    pub ci_low_ratio: f64,
    pub ci_high_ratio: f64,
    /// Low end of the BCa bootstrap interval over clusters at the same level, for the full report.
    pub bootstrap_low_ratio: f64,
    pub bootstrap_high_ratio: f64,
    /// Sign-flip randomisation p-value (an e-process's `1/E` with `anytime`); Holm-adjusted over commands.
    pub p_value: f64,
    /// Allowed probability of a false *different*.
    pub level: f64,
    pub margin: f64,
    /// The margin in the unit of the metric, if it was stated as an amount; `margin` is then its ratio to the
    /// typical reading of both commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Whether the decision rule was the e-process.
    pub anytime: bool,
    pub pairs: usize,
    pub dropped_pairs: usize,
    pub dropped: Vec<Dropped>,
    pub stopped_by: StoppedBy,
    /// For *inconclusive*: the number of pairs that would probably decide.
    pub pairs_needed: Option<usize>,
    pub variance: VarianceBudget,
    /// Metrics that are not decided; present only in the comparison of the first decided metric.
    pub secondary: Vec<Secondary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<Replication>,
    /// Exact counts that decided; `None` unless every run of each command gave the same count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactCounts>,
    /// The effect if readings are bounds. A *different* then has only one end of its interval, and *equivalent* is
    /// impossible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounded: Option<BoundedEffect>,
    /// Whether readings cover the first thread of each command alone, and a command may have more threads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
}

impl Comparison {
    /// Whether the estimate says that B is better: lower for a time or a resource, higher for a rate.
    pub fn b_is_better(&self) -> bool {
        let (higher, lower) = match self.tail.as_ref().filter(|_| self.is_told_by_its_tail()) {
            // A difference in the tail has its own direction: the side on which it was shown.
            Some(Tail { side: Some(side), .. }) => (*side == Side::B, *side == Side::A),
            Some(tail) => (tail.share_b > tail.share_a, tail.share_b < tail.share_a),
            None => {
                let mean = self.mean.filter(|_| self.is_told_by_its_mean()).map(|mean| mean.ratio);
                let ratio = mean.unwrap_or(self.effect_ratio);
                (ratio > 1.0, ratio < 1.0)
            }
        };
        if self.metric.more_is_better() { higher } else { lower }
    }

    /// Whether a *different* was shown in the mean alone, neither in typical runs nor in slow ones.
    pub fn is_told_by_its_mean(&self) -> bool {
        self.estimand == Estimand::Typical && self.difference_in == [DifferenceIn::Mean]
    }

    /// The command whose readings are higher in some runs, if a difference in the tail was shown. Documents of earlier
    /// versions do not record the side; then the shares decide.
    pub fn tail_side(&self) -> Option<Side> {
        let tail = self.tail.as_ref().filter(|_| self.difference_in.contains(&DifferenceIn::Tail))?;
        let by_share = if tail.share_b >= tail.share_a { Side::B } else { Side::A };
        Some(tail.side.unwrap_or(by_share))
    }

    /// Whether the relevant part of a *different* lies in the tail: typical runs do not differ, or by less than the
    /// margin.
    pub fn is_told_by_its_tail(&self) -> bool {
        self.difference_in.contains(&DifferenceIn::Tail) && self.beyond_margin != Some(true)
    }

    /// Whether a gate counts this difference: in the tail, or in the mean or typical runs by more than the margin,
    /// judged by the nearer end of the interval.
    pub fn is_different_beyond_margin(&self) -> bool {
        let in_tail = self.difference_in.contains(&DifferenceIn::Tail);
        let in_mean = self.difference_in.contains(&DifferenceIn::Mean) && self.is_mean_beyond_margin();
        self.verdict == Verdict::Different && (in_tail || in_mean || self.beyond_margin == Some(true))
    }

    /// Whether the interval of the mean ratio lies beyond the margin.
    fn is_mean_beyond_margin(&self) -> bool {
        let margin = 1.0 + self.margin;
        self.mean.is_some_and(|mean| mean.low_ratio > margin || mean.high_ratio < 1.0 / margin)
    }

    /// State of a gate with this question. A comparison that no gate steered answers by its interval.
    pub fn gate_state(&self, question: GateQuestion) -> GateState {
        if let Some(gate) = self.gate.filter(|gate| gate.question == question) {
            return gate.state;
        }
        let margin = 1.0 + self.margin;
        let is_asked = match question {
            GateQuestion::Different => true,
            GateQuestion::Slower => !self.b_is_better(),
            GateQuestion::Faster => self.b_is_better(),
        };
        let (is_high, is_low) = (self.ci_high_ratio > margin, self.ci_low_ratio < 1.0 / margin);
        let is_open = match question.side(self.metric) {
            GateSide::Higher => is_high,
            GateSide::Lower => is_low,
            GateSide::Either => is_high || is_low,
        };
        match (self.is_different_beyond_margin() && is_asked, is_open) {
            (true, _) => GateState::Beyond,
            (false, false) => GateState::Within,
            (false, true) => GateState::Undecided,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricChange {
    pub metric: Metric,
    /// B over A, with its interval at the level of the comparison.
    pub change: RatioInterval,
    /// Whether the metric is unchanged within the margin.
    pub is_same: bool,
    /// The margin as a ratio: the metric's own if it was decided, else the margin of the first metric. `None` in
    /// documents of earlier versions, which applied the margin of the first metric to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// A figure computed from counts, in two commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DerivedChange {
    pub name: String,
    /// Unit; empty for a plain ratio.
    pub unit: String,
    /// Median in A.
    pub a: f64,
    /// Median in B.
    pub b: f64,
}

/// A count and a time that contradict each other, such as fewer instructions in more time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Name of the reference.
    pub a: String,
    /// Name of the candidate.
    pub b: String,
    /// Change of the count, which measures the work.
    pub count: MetricChange,
    /// Change of the time.
    pub time: MetricChange,
    /// Costs of a unit of work that differ between the two commands.
    pub derived: Vec<DerivedChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareFindings {
    /// Findings of each command, as `run` reports them.
    pub commands: Vec<RunFindings>,
    /// Comparisons of all commands with the first, metric by metric; then the comparison of the winner with the
    /// runner-up, unless it is among them.
    pub comparisons: Vec<Comparison>,
    /// Index of the command that is shown to be faster than the runner-up.
    pub winner: Option<usize>,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    pub elapsed_s: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duet_cpus: Option<[Cpu; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// Location of the difference by function, from further runs that were sampled and not timed; `None` if no profile
    /// was requested, or if no difference between the commands was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<ProfileFindings>>,
}

impl CompareFindings {
    /// The metrics that were decided, in the order of the command line.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        for comparison in &self.comparisons {
            if !metrics.contains(&comparison.metric) {
                metrics.push(comparison.metric);
            }
        }
        metrics
    }

    /// The comparisons of the given number of candidates with the first command, in all metrics.
    pub fn with_first(&self, candidates: usize) -> &[Comparison] {
        let of_all = candidates * self.metrics().len();
        &self.comparisons[..of_all.min(self.comparisons.len())]
    }

    /// The comparisons of [`CompareFindings::with_first`], to be modified.
    pub fn with_first_mut(&mut self, candidates: usize) -> &mut [Comparison] {
        let of_all = self.with_first(candidates).len();
        &mut self.comparisons[..of_all]
    }
}
