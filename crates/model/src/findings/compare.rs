//! Findings of a comparison.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use super::numbers::known;
use crate::{Bound, Estimand, GateQuestion, GateSide, Metric, ProfileFindings, RunFindings, Variant};

/// The answer to the question whether B differs from A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval excludes zero.
    Different,
    /// The interval lies within the margin.
    Equivalent,
    /// Undecided: neither of the two was shown within the limits that were set.
    Inconclusive,
}

/// The population to which the verdict applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The source: both programs were linked anew in every block.
    Source,
    /// The pair of binaries: their layout was not varied.
    Binaries,
}

/// The time span to which the verdict applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// A session on one machine; runs of A and B were interleaved.
    WithinSession,
    /// Other sessions of this pair agree, or the pair was measured in several sessions.
    Replicated,
    /// The reference was measured at another time: drift between the two is not excluded.
    AgainstBaseline,
}

/// The reason why the comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// The rule reached a verdict.
    Verdict,
    /// The limit of pairs.
    MaxPairs,
    /// The limit of time.
    MaxTime,
    /// The user.
    Interrupt,
}

/// The reason why a pair was dropped. Every reason treats A and B alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedReason {
    /// A run of the pair failed.
    FailedRun,
    /// The deciding metric could not be read in a run of the pair.
    NotMeasured,
    /// The hypervisor took more than the allowed share of the pair's time.
    HeavySteal,
    /// A run of the pair migrated much more than usual.
    MigrationStorm,
    /// The control group was throttled during the pair.
    Throttled,
    /// Other programs kept a single-threaded command of the pair waiting for its CPU.
    Preempted,
}

/// Pairs dropped for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The reason.
    pub reason: DroppedReason,
    /// Number of pairs.
    pub pairs: usize,
}

/// Sources of the variance of the log ratio of a pair, as shares that add up to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VarianceBudget {
    /// Between setups (stack displacement, CPU), beyond the difference between runs of one setup. `None` when setups
    /// are not repeated.
    pub layout: Option<f64>,
    /// Between runs of one program in one setup.
    pub process: Option<f64>,
    /// Position in the pair and drift over the session.
    pub order: f64,
    /// The rest.
    pub residual: f64,
    /// Standard deviation of the log ratio of a pair.
    pub pair_sd: f64,
    /// Lag-1 autocorrelation of the log ratios.
    pub autocorrelation: f64,
    /// Second position over first position, as a ratio.
    pub position_ratio: f64,
    /// Low end of the 95 % interval of `position_ratio`.
    pub position_low_ratio: f64,
    /// High end of the interval of `position_ratio`.
    pub position_high_ratio: f64,
}

/// A metric that does not decide, with its Holm-adjusted p-value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Secondary {
    /// The metric.
    pub metric: Metric,
    /// Estimated effect, B over A.
    pub effect_ratio: f64,
    /// Low end of the interval of `effect_ratio` at the level of the comparison.
    pub ci_low_ratio: f64,
    /// High end of the interval of `effect_ratio`.
    pub ci_high_ratio: f64,
    /// Sign-flip p-value, adjusted over the secondary metrics by Holm's method.
    pub p_adjusted: f64,
    /// Whether the adjusted p-value is below the level.
    pub different: bool,
    /// Whether readings are of the command's first thread alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
}

/// Effect of a comparison in which readings are bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundedEffect {
    /// Whether B over A is at least or at most what the readings say; absent where nothing is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Bound>,
    /// Whether readings of A are bounds.
    pub a: bool,
    /// Whether readings of B are.
    pub b: bool,
}

/// The runs for which an *equivalent* holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Typical runs, the share of pairs in which one command is much slower, the mean, and the spread.
    Whole,
    /// Typical runs alone.
    Typical,
}

/// The part of the runs in which a *different* was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceIn {
    /// In typical runs.
    Typical,
    /// In some runs, which are much slower.
    Tail,
    /// In the mean, which the typical run need not share.
    Mean,
}

/// Outcome of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateState {
    /// The difference is shown to lie beyond the margin on the side that was asked about.
    Beyond,
    /// The difference is shown not to lie there.
    Within,
    /// Not shown either way when time or pairs were over.
    Undecided,
}

/// The answer to the question of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The question.
    pub question: GateQuestion,
    /// The margin, as a ratio.
    pub margin: f64,
    /// The answer.
    pub state: GateState,
    /// The change, as a ratio minus one, that nine of ten such comparisons would have found; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
}

/// The ratio of the means, slow runs included, with an interval that holds at whatever moment the sampling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanRatio {
    /// Mean of B over mean of A, readings beyond the cap counted as the cap.
    pub ratio: f64,
    /// Low end of the interval.
    pub low_ratio: f64,
    /// High end of the interval.
    pub high_ratio: f64,
    /// Ratio of the plain means, without any cap and without an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_ratio: Option<f64>,
    /// A reading beyond this many times the typical one of its command counts as that much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<f64>,
    /// Readings of A and of B that were capped.
    #[serde(default)]
    pub capped: [usize; 2],
}

/// Effect of the order of runs: differences between runs that follow their own command, and between those that follow
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarryOver {
    /// B over A where each follows a run of itself.
    pub after_itself: RatioInterval,
    /// B over A in first runs, which follow the other command or by chance their own.
    pub after_another: RatioInterval,
    /// The second over the first: one where no command leaves anything to the next.
    pub carried: RatioInterval,
    /// Whether something is shown to be carried over.
    pub is_shown: bool,
    /// Whether runs after themselves alone decided, since both part.
    pub decides: bool,
}

/// How far two runs of one command in a row lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadChange {
    /// Usual distance of two runs in a row, both commands together, as a share of a run.
    pub usual: f64,
    /// How much larger the distance of two runs of B is than that of two runs of A, as a share of a run.
    pub difference: f64,
    /// Low end of its interval.
    pub low: f64,
    /// High end of its interval.
    pub high: f64,
    /// Differences up to this count as none.
    pub margin: f64,
    /// Verdict on the spread.
    pub verdict: Verdict,
}

/// Pairs that were dropped for waiting or steal, by the command that waited more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedLean {
    /// Dropped pairs in which A waited more.
    pub a: usize,
    /// Dropped pairs in which B waited more.
    pub b: usize,
    /// Whether more of them lie on one side than chance allows, so that an *equivalent* is withheld.
    pub leans: bool,
}

/// Side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The reference.
    A,
    /// The candidate.
    B,
}

/// Logarithm that stands in documents for an end of an interval that excludes nothing, since JSON has no infinity: a
/// factor of nearly a million, or its inverse.
pub const NO_BOUND_LOG: f64 = 13.8;

/// Whether an end of an interval of ratios is [`NO_BOUND_LOG`] and excludes nothing. A large ratio alone is not such an
/// end.
pub fn is_no_bound(ratio: f64) -> bool {
    !ratio.is_finite() || (ratio.ln().abs() - NO_BOUND_LOG).abs() < 1e-9
}

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// B over A.
    pub ratio: f64,
    /// Low end of the interval of `ratio`.
    pub low_ratio: f64,
    /// High end of the interval of `ratio`.
    pub high_ratio: f64,
}

/// The difference between the two commands at one quantile of their readings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileShift {
    /// Share of the readings below the quantile.
    pub quantile: f64,
    /// The quantile of B over that of A.
    pub ratio: f64,
    /// Low end of the band that holds for all quantiles together.
    pub low_ratio: f64,
    /// High end of the band of `ratio`.
    pub high_ratio: f64,
}

impl QuantileShift {
    /// Whether the band excludes that both commands are equal at this quantile.
    pub fn is_apart(&self) -> bool {
        self.low_ratio > 1.0 || self.high_ratio < 1.0
    }
}

/// Pairs in which one command was much slower than the other. Where typical runs differ, their effect is removed first:
/// a pair counts if its distance from the effect exceeds the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// Excess of such pairs to one side that counts as none, as a share of all pairs.
    pub margin: f64,
    /// The ratio from which on a pair counts.
    pub threshold_ratio: f64,
    /// Share of pairs in which B was slower by the threshold.
    pub share_b: f64,
    /// Low and high end of the interval of `share_b`.
    pub share_b_interval: [f64; 2],
    /// Share of pairs in which A was slower by the threshold.
    pub share_a: f64,
    /// Low and high end of the interval of `share_a`.
    pub share_a_interval: [f64; 2],
    /// The least excess to one side that is excluded, as a share of all pairs.
    pub excess_excluded: f64,
    /// The command whose readings were shown to be higher in some runs; `None` where this was shown of neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// A session of several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEffect {
    /// B over A.
    pub effect_ratio: f64,
    /// Pairs that were analysed.
    pub pairs: usize,
}

/// The joint result of several sessions of one comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replication {
    /// Result of each session, in the order of time.
    pub sessions: Vec<SessionEffect>,
    /// Standard deviation of the log ratio between sessions, beyond what their pairs explain.
    pub between_sd: f64,
    /// Low end of the interval, at the level, in which the ratio of the next session will lie.
    pub next_low_ratio: f64,
    /// High end of the interval for the next session's ratio.
    pub next_high_ratio: f64,
    /// Pairs per session that use the time best; `None` where sessions differ by no more than their pairs explain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_per_session: Option<usize>,
}

/// Counts that were the same in each run of a command, so that they are compared as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactCounts {
    /// The count of A.
    pub a: u64,
    /// The count of B.
    pub b: u64,
    /// Runs of each command; all of them gave the same count.
    pub runs: u32,
}

impl ExactCounts {
    /// B over A. If one count is zero, half an event is added to both, as to the readings of a pair: the ratio stays
    /// finite and keeps its direction.
    pub fn ratio(&self) -> f64 {
        let half = if self.is_one_zero() { 0.5 } else { 0.0 };
        match self.a == self.b {
            true => 1.0,
            false => (self.b as f64 + half) / (self.a as f64 + half),
        }
    }

    /// Whether exactly one of the counts is zero, so that no ratio describes the difference.
    pub fn is_one_zero(&self) -> bool {
        (self.a == 0) != (self.b == 0)
    }
}

fn inconclusive() -> Verdict {
    Verdict::Inconclusive
}

/// A comparison of two commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the reference.
    pub a: String,
    /// Name of the candidate.
    pub b: String,
    /// The metric that decides.
    pub metric: Metric,
    /// The verdict.
    pub verdict: Verdict,
    /// The population to which the verdict applies.
    pub scope: Scope,
    /// The time span to which the verdict applies.
    pub grade: Grade,
    /// The runs for which an *equivalent* holds; `None` for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The part of the runs in which a *different* was shown; empty for other verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub difference_in: Vec<DifferenceIn>,
    /// Whether a *different* in typical runs is larger than the margin; `None` where neither was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_margin: Option<bool>,
    /// Pairs in which one command was much slower; `None` where the tail was not analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
    /// Whether the typical pair or the mean decides.
    #[serde(default)]
    pub estimand: Estimand,
    /// The answer to the question of a gate, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Mean of B over mean of A, with its interval; absent where there are too few pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<MeanRatio>,
    /// Verdict on the means.
    #[serde(default = "inconclusive")]
    pub mean_verdict: Verdict,
    /// Effects of commands on the next run; absent where no command ran twice in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_over: Option<CarryOver>,
    /// How much further runs of B lie apart than runs of A; absent where that was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<SpreadChange>,
    /// B over A in the early and in the late half, where these differ so much that the answer is withheld.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halves: Option<[f64; 2]>,
    /// Whether no shift explains the differences, so that the estimate is the median of the pairs.
    #[serde(default)]
    pub is_mixture: bool,
    /// Dropped pairs by the command that waited more; absent where none was dropped for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_lean: Option<DroppedLean>,
    /// Shift function: the ratio at each quantile from the fastest tenth to the slowest runs, with a plain band at the
    /// level; empty where there are too few pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<QuantileShift>,
    /// B over A, as a ratio: the shift between typical runs at which the deciding test sees no difference. NaN where no
    /// pair was analysed.
    #[serde(deserialize_with = "known")]
    pub effect_ratio: f64,
    /// Low end of the repeated interval of the sequential design.
    pub ci_low_ratio: f64,
    /// High end of the interval of `effect_ratio`.
    pub ci_high_ratio: f64,
    /// Low end of the BCa bootstrap interval over clusters at the same level, for the full report.
    pub bootstrap_low_ratio: f64,
    /// High end of the bootstrap interval.
    pub bootstrap_high_ratio: f64,
    /// Sign-flip randomisation p-value (an e-process's `1/E` with `anytime`); Holm-adjusted over commands.
    pub p_value: f64,
    /// Probability of a false *different* that was allowed.
    pub level: f64,
    /// Margin of equivalence, as a ratio.
    pub margin: f64,
    /// The margin in the unit of the metric, where it was stated as an amount; `margin` is then its ratio to the
    /// typical reading of both commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Whether the rule was the e-process.
    pub anytime: bool,
    /// Pairs that were analysed.
    pub pairs: usize,
    /// Pairs that were dropped, all reasons together.
    pub dropped_pairs: usize,
    /// Pairs that were dropped, by reason.
    pub dropped: Vec<Dropped>,
    /// The reason why the comparison ended.
    pub stopped_by: StoppedBy,
    /// For *inconclusive*: the number of pairs that would probably decide.
    pub pairs_needed: Option<usize>,
    /// Sources of the variance of the pairs.
    pub variance: VarianceBudget,
    /// Metrics that are not decided; given with the comparison of the first decided metric only.
    pub secondary: Vec<Secondary>,
    /// Joint result of several sessions of this experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<Replication>,
    /// Exact counts that decided; `None` unless the counts of both commands were the same in every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactCounts>,
    /// The effect, where readings are bounds. Then a *different* has one end of its interval alone, and
    /// *equivalent* is never said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounded: Option<BoundedEffect>,
    /// Whether readings are of the first thread of each command alone, and a command may have more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
}

impl Comparison {
    /// Whether B is better by the estimate: lower for a time or a resource, higher for a rate.
    pub fn b_is_better(&self) -> bool {
        let (higher, lower) = match self.tail.as_ref().filter(|_| self.is_told_by_its_tail()) {
            // A difference in the tail has a direction of its own, the one in which it was shown.
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

    /// Whether a *different* is one of the mean alone: neither typical runs nor slow ones were shown to differ.
    pub fn is_told_by_its_mean(&self) -> bool {
        self.estimand == Estimand::Typical && self.difference_in == [DifferenceIn::Mean]
    }

    /// The command whose readings are higher in some runs, where a difference in the tail was shown. Documents of
    /// earlier versions do not record the side; then the shares decide.
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

    /// Whether this is a difference that a gate counts: in the tail, or in typical runs by more than the margin, judged
    /// by the nearer end of the interval.
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

    /// State of a gate with this question. A comparison that was not steered by a gate answers by its interval.
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

/// The change of one metric between two commands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricChange {
    /// The metric.
    pub metric: Metric,
    /// B over A, with the interval at the level of the comparison.
    pub change: RatioInterval,
    /// Whether the metric is unchanged within the margin.
    pub is_same: bool,
    /// The margin as a ratio: the metric's own where it was decided, else the margin of the first metric. `None` in
    /// documents of earlier versions, which applied the margin of the first metric to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// A figure computed from counts, in two commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DerivedChange {
    /// Name of the figure.
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
    /// Change of the count, which stands for the work.
    pub count: MetricChange,
    /// Change of the time.
    pub time: MetricChange,
    /// Costs of a unit of the work that differ between the two commands.
    pub derived: Vec<DerivedChange>,
}

/// Findings of a comparison of several commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareFindings {
    /// Findings of each command, as `run` gives them.
    pub commands: Vec<RunFindings>,
    /// Comparisons of all commands with the first, metric by metric; then the comparison of the winner with the
    /// runner-up, where it is not among them.
    pub comparisons: Vec<Comparison>,
    /// Index of the command that is faster than the runner-up, with the comparison that shows it.
    pub winner: Option<usize>,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    /// Wall time of the experiment in seconds.
    pub elapsed_s: f64,
    /// Layouts in which the programs were built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// The two CPUs of a duet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duet_cpus: Option<[Cpu; 2]>,
    /// Counts and times that contradict each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// Location of the difference by function, from further runs that were sampled and not timed; `None` where no
    /// profile was requested, or where the commands were not told apart.
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

    /// The comparisons of this number of candidates with the first command, in all metrics.
    pub fn with_first(&self, candidates: usize) -> &[Comparison] {
        let of_all = candidates * self.metrics().len();
        &self.comparisons[..of_all.min(self.comparisons.len())]
    }
}
