//! Findings of a comparison.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use super::answers::{
    BoundedEffect, CarryOver, DifferenceIn, Dropped, DroppedLean, ExactCounts, Extent, Gate, GateState,
    Grade, MeanRatio, ModeShares, QuantileShift, RatioInterval, Replication, Scope, Secondary, Side,
    SpreadChange, StoppedBy, Tail, VarianceBudget, Verdict,
};
use super::numbers::{high_ratio_end, known, low_ratio_end, ratio_end};
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
    /// The runs for which an *equivalent* is shown; `None` for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The parts of the runs in which a *different* is shown; empty for other verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub difference_in: Vec<DifferenceIn>,
    /// Whether a *different* in typical runs is shown to be larger (`true`) or smaller (`false`) than the margin;
    /// `None` if neither is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_margin: Option<bool>,
    /// Shares of pairs in which one command was much slower; `None` if slow runs were not analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
    #[serde(default)]
    pub estimand: Estimand,
    /// The gate with its answer; `None` without a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Ratio of typical runs if the mean decides; `None` if typical runs decide, whose ratio is `effect_ratio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<RatioInterval>,
    /// Mean of B over mean of A, with its interval; `None` with too few pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<MeanRatio>,
    #[serde(default = "inconclusive")]
    pub mean_verdict: Verdict,
    /// Effects of a run on the next one; `None` if commands did not run twice in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_over: Option<CarryOver>,
    /// Comparison of the spreads of B and of A; `None` if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<SpreadChange>,
    /// Ratio B over A in the early and in the late half of the session, each by the mean of the log ratios of its pairs
    /// with extreme ones capped; `None` unless they differ so much that nothing is concluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halves: Option<[f64; 2]>,
    /// Numbers of pairs with a large difference in the early and in the late half of the session; `None` unless so many
    /// more came in one half that nothing is concluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail_halves: Option<[usize; 2]>,
    /// Whether no common ratio explains the pairs, by the bands of the quantiles, and the estimate is the median of
    /// their ratios.
    #[serde(default)]
    pub is_mixture: bool,
    /// Shares of the runs of both commands in two modes; `None` if the readings of neither command have two modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<ModeShares>,
    /// Dropped pairs by the command that waited more; `None` if no pair was dropped for waiting, steal, migrations or
    /// throttling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_lean: Option<DroppedLean>,
    /// Shift function: the ratio B over A at each quantile from the fastest tenth to the slowest runs, with a band that
    /// holds for all quantiles at the error level; empty with too few pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<QuantileShift>,
    /// Ratio B over A at which the deciding test sees no difference between typical runs. NaN if no pair was analysed.
    #[serde(deserialize_with = "known")]
    pub effect_ratio: f64,
    /// Lower end of the interval of `effect_ratio`, which holds at all looks at the data together.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub ci_low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub ci_high_ratio: f64,
    /// Lower end of the BCa bootstrap interval over clusters at the same error level, which the full report shows.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub bootstrap_low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub bootstrap_high_ratio: f64,
    /// p-value of the sign-flip randomisation test, or with `anytime` the inverse of the e-process; adjusted over
    /// commands by Holm's method.
    pub p_value: f64,
    /// Allowed probability of a false *different* over all looks at the data.
    pub level: f64,
    pub margin: f64,
    /// The margin in the unit of the metric, if it was stated as an amount; `margin` is then its ratio to the typical
    /// reading of both commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Whether the anytime-valid test (an e-process) decided.
    pub anytime: bool,
    pub pairs: usize,
    pub dropped_pairs: usize,
    pub dropped: Vec<Dropped>,
    pub stopped_by: StoppedBy,
    /// Number of pairs that would probably decide an *inconclusive* comparison; `None` for other verdicts, or if no
    /// number would.
    pub pairs_needed: Option<usize>,
    pub variance: VarianceBudget,
    /// Metrics that do not decide; only in the comparison of the first deciding metric.
    pub secondary: Vec<Secondary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<Replication>,
    /// Counts that decided; `None` unless every run of each command gave the same count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactCounts>,
    /// Restrictions of the effect if some readings are bounds, otherwise `None`. The interval of a *different* then has
    /// only one end, and *equivalent* is impossible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounded: Option<BoundedEffect>,
    /// Whether some readings cover the first thread of a command alone although the command may have more threads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
}

impl Comparison {
    /// Whether B is better by the estimate: lower in a time or a resource, higher in a rate.
    pub fn b_is_better(&self) -> bool {
        let (higher, lower) = match self.tail.as_ref().filter(|_| self.is_told_by_its_tail()) {
            // A difference in slow runs has its own direction: the side on which it was shown.
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

    /// Whether a *different* is shown in the mean alone, neither in typical runs nor in slow ones.
    pub fn is_told_by_its_mean(&self) -> bool {
        self.estimand == Estimand::Typical && self.difference_in == [DifferenceIn::Mean]
    }

    /// The command whose readings are higher in some runs, if a difference in slow runs is shown; otherwise `None`.
    /// Documents of earlier versions do not record the side, which is then taken from the shares.
    pub fn tail_side(&self) -> Option<Side> {
        let tail = self.tail.as_ref().filter(|_| self.difference_in.contains(&DifferenceIn::Tail))?;
        let by_share = if tail.share_b >= tail.share_a { Side::B } else { Side::A };
        Some(tail.side.unwrap_or(by_share))
    }

    /// Whether a *different* is described by its slow runs: they differ, and typical runs do not differ by more than
    /// the margin.
    pub fn is_told_by_its_tail(&self) -> bool {
        self.difference_in.contains(&DifferenceIn::Tail) && self.beyond_margin != Some(true)
    }

    /// Whether the difference lies in slow runs, or in the mean or typical runs by more than the margin; a gate counts
    /// such differences.
    pub fn is_different_beyond_margin(&self) -> bool {
        let in_tail = self.difference_in.contains(&DifferenceIn::Tail);
        let in_mean = self.difference_in.contains(&DifferenceIn::Mean) && self.is_mean_beyond_margin();
        self.verdict == Verdict::Different && (in_tail || in_mean || self.beyond_margin == Some(true))
    }

    /// Whether the interval of the ratio of the means lies beyond the margin.
    fn is_mean_beyond_margin(&self) -> bool {
        let margin = 1.0 + self.margin;
        self.mean.is_some_and(|mean| mean.low_ratio > margin || mean.high_ratio < 1.0 / margin)
    }

    /// Answer to a gate's question: the recorded one if the comparison was made with that gate, otherwise derived from
    /// the interval.
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
    /// Ratio B over A, with its interval at the error level of the comparison.
    pub change: RatioInterval,
    /// Whether the whole interval of `change` lies within the margin.
    pub is_same: bool,
    /// The margin as a ratio minus one: the metric's own if it decides, otherwise that of the first metric. `None` in
    /// documents of earlier versions, which used the margin of the first metric for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// Medians of a figure computed from counts, in two commands that differ in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DerivedChange {
    pub name: String,
    /// Unit of the figure; empty for a plain ratio.
    pub unit: String,
    /// Median of the figure in A.
    pub a: f64,
    /// Median of the figure in B.
    pub b: f64,
}

/// A count and a time that contradict each other, such as fewer instructions in more time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Name of the reference command.
    pub a: String,
    /// Name of the candidate command.
    pub b: String,
    /// Change of a count that measures the work, such as instructions.
    pub count: MetricChange,
    /// Change of wall time or CPU time.
    pub time: MetricChange,
    /// Figures per unit of work, such as cycles per instruction, that differ between the two commands.
    pub derived: Vec<DerivedChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareFindings {
    /// Findings of each command, as `run` reports them.
    pub commands: Vec<RunFindings>,
    /// Comparisons of all commands with the first, metric by metric, followed by the comparison of the fastest command
    /// with the second fastest, unless it is among them.
    pub comparisons: Vec<Comparison>,
    /// Index of the command that is shown to be faster than the second fastest; `None` if none is.
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
    /// By how much the time of each function differs, from further runs that were sampled and not timed; `None` if no
    /// profile was requested, or if no difference between the commands was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<ProfileFindings>>,
}

impl CompareFindings {
    /// The metrics that decide, in the order of the command line.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        for comparison in &self.comparisons {
            if !metrics.contains(&comparison.metric) {
                metrics.push(comparison.metric);
            }
        }
        metrics
    }

    /// The comparisons of `candidates` commands with the first one, in all metrics.
    pub fn with_first(&self, candidates: usize) -> &[Comparison] {
        let of_all = candidates * self.metrics().len();
        &self.comparisons[..of_all.min(self.comparisons.len())]
    }

    /// The comparisons that [`CompareFindings::with_first`] returns, to be modified.
    pub fn with_first_mut(&mut self, candidates: usize) -> &mut [Comparison] {
        let of_all = self.with_first(candidates).len();
        &mut self.comparisons[..of_all]
    }
}
