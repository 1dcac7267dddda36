//! Parts of the findings of a comparison: verdicts, gates, effects, and what was dropped.

use serde::{Deserialize, Serialize};

use crate::{Bound, GateQuestion, Metric};

/// The answer to the question whether B differs from A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval excludes zero.
    Different,
    /// The interval lies within the margin.
    Equivalent,
    /// No difference and no equivalence was shown within the limits that were set.
    Inconclusive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The source: both programs were linked anew in every block.
    Source,
    /// The pair of binaries: their layout was not varied.
    Binaries,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    Verdict,
    MaxPairs,
    MaxTime,
    /// The user interrupted the comparison.
    Interrupt,
}

/// The reason why a pair was dropped. Every reason treats A and B alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedReason {
    FailedRun,
    /// The deciding metric could not be read in a run of the pair.
    NotMeasured,
    /// The hypervisor took more than the allowed share of the pair's time.
    HeavySteal,
    /// A run of the pair migrated between CPUs much more than usual.
    MigrationStorm,
    /// The control group was throttled during the pair.
    Throttled,
    /// Other programs kept a single-threaded command of the pair waiting for its CPU.
    Preempted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub reason: DroppedReason,
    pub pairs: usize,
}

/// Sources of the variance of the log ratio of a pair, as shares that add up to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VarianceBudget {
    /// Between setups (stack displacement, CPU), beyond the difference between runs of one setup. `None` if setups are
    /// not repeated.
    pub layout: Option<f64>,
    /// Between runs of one program in one setup.
    pub process: Option<f64>,
    /// Position in the pair and drift over the session.
    pub order: f64,
    /// Variance that the other sources do not explain.
    pub residual: f64,
    /// Standard deviation of the log ratio of a pair.
    pub pair_sd: f64,
    /// Lag-1 autocorrelation of the log ratios.
    pub autocorrelation: f64,
    /// Second position over first position.
    pub position_ratio: f64,
    /// 95 % interval of `position_ratio`: low end.
    pub position_low_ratio: f64,
    pub position_high_ratio: f64,
}

/// A metric that does not decide the comparison, with its Holm-adjusted p-value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Secondary {
    pub metric: Metric,
    /// Estimated effect, B over A.
    pub effect_ratio: f64,
    /// Interval of `effect_ratio` at the level of the comparison: low end.
    pub ci_low_ratio: f64,
    pub ci_high_ratio: f64,
    /// Sign-flip p-value, adjusted over the secondary metrics by Holm's method.
    pub p_adjusted: f64,
    /// Whether the adjusted p-value is below the level.
    pub different: bool,
    /// Whether readings cover the command's first thread alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
}

/// Effect of a comparison in which readings are bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundedEffect {
    /// Whether the true B over A is at least or at most the ratio of the readings; `None` if the readings bound it on
    /// neither side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Bound>,
    /// Whether readings of A are bounds.
    pub a: bool,
    /// Whether readings of B are bounds.
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
    /// The difference is shown to lie beyond the margin on the side of the question.
    Beyond,
    /// The difference is shown not to lie beyond the margin on that side.
    Within,
    /// No answer was shown before time or pairs were used up.
    Undecided,
}

/// The answer to the question of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub question: GateQuestion,
    /// The margin as a share, 0.01 for 1 %.
    pub margin: f64,
    pub state: GateState,
    /// The change, as a ratio minus one, that nine of ten such comparisons would have found; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
}

/// The ratio of the means, slow runs included, with an interval that holds at whatever moment sampling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanRatio {
    /// Mean of B over mean of A, readings beyond the cap counted as the cap.
    pub ratio: f64,
    /// Low end of the interval.
    pub low_ratio: f64,
    pub high_ratio: f64,
    /// Ratio of the plain means, without any cap and without an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_ratio: Option<f64>,
    /// Cap as a multiple of the typical reading of a command. Readings beyond the cap count as the cap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<f64>,
    /// Readings of A and of B that were capped.
    #[serde(default)]
    pub capped: [usize; 2],
}

/// Effect of the order of runs: B over A in runs that follow their own command, against B over A in runs that follow
/// the other command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarryOver {
    /// B over A where each run follows a run of the same command.
    pub after_itself: RatioInterval,
    /// B over A in the first runs of blocks, which follow the other command or by chance their own.
    pub after_another: RatioInterval,
    /// `after_itself` over `after_another`; 1 if no command affects the next run.
    pub carried: RatioInterval,
    /// Whether a carried-over effect is shown.
    pub is_shown: bool,
    /// Whether only runs that follow their own command decided, because the two ratios differ.
    pub decides: bool,
    /// If the two ratios differ: the origin of the difference, judged by runs that follow their own command across the
    /// border of two blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<RiseSource>,
}

/// Source of a difference between the first and the second of two runs in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiseSource {
    /// The preceding command had an after-effect, which disappears where a command follows itself.
    AnotherCommand,
    /// The program itself, such as one that is slow in every second run. The difference remains where a command follows
    /// itself.
    Itself,
    /// Too few runs follow their own command to decide.
    Unclear,
}

/// Shares of two modes of runs. For times, the upper mode is the slow one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeShares {
    /// Centre of the lower mode, in the unit of the metric.
    pub low: f64,
    pub high: f64,
    /// Runs with a reading above the cut belong to the upper mode.
    pub cut: f64,
    /// Share of the runs of A in the upper mode, 0 to 1.
    pub share_a: f64,
    /// Interval of `share_a` at the level of the comparison, for the number of independent runs that is equivalent to
    /// these correlated runs.
    pub share_a_interval: [f64; 2],
    pub share_b: f64,
    pub share_b_interval: [f64; 2],
    /// The command that is shown to be in the upper mode more often; `None` if neither is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// Difference between two successive runs of one command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadChange {
    /// Usual distance of two successive runs, both commands together, as a share of a run.
    pub usual: f64,
    /// Distance between two runs of B minus the distance between two runs of A, as a share of a run.
    pub difference: f64,
    /// Low end of the interval of `difference`.
    pub low: f64,
    pub high: f64,
    /// Differences up to this count as none.
    pub margin: f64,
    pub verdict: Verdict,
}

/// Pairs dropped for waiting or steal, by the command that waited more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedLean {
    /// Dropped pairs in which A waited more.
    pub a: usize,
    /// Dropped pairs in which B waited more.
    pub b: usize,
    /// Whether more dropped pairs lie on one side than chance allows, so that an *equivalent* is withheld.
    pub leans: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The reference.
    A,
    /// The candidate.
    B,
}

/// Logarithm that stands in documents for the end of an interval that excludes nothing, since JSON has no infinity: a
/// factor of nearly a million, or its inverse.
pub const NO_BOUND_LOG: f64 = 13.8;

/// Whether an end of an interval of ratios is [`NO_BOUND_LOG`] and so excludes nothing. A large ratio alone does not
/// mean that.
pub fn is_no_bound(ratio: f64) -> bool {
    !ratio.is_finite() || (ratio.ln().abs() - NO_BOUND_LOG).abs() < 1e-9
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// B over A.
    pub ratio: f64,
    pub low_ratio: f64,
    pub high_ratio: f64,
}

/// The difference between two commands at one quantile of their readings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileShift {
    /// Share of the readings below the quantile.
    pub quantile: f64,
    /// The quantile of B over that of A.
    pub ratio: f64,
    /// Low end of the band that holds for all quantiles together.
    pub low_ratio: f64,
    pub high_ratio: f64,
}

impl QuantileShift {
    /// Whether the band excludes that both commands are equal at this quantile.
    pub fn is_apart(&self) -> bool {
        self.low_ratio > 1.0 || self.high_ratio < 1.0
    }
}

/// Pairs in which one command was much slower than the other. If typical runs differ, their effect is removed first: a
/// pair counts if its distance from the effect exceeds the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// Excess of such pairs to one side that counts as none, as a share of all pairs.
    pub margin: f64,
    /// The ratio from which a pair counts.
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
    /// The command whose readings were shown to be higher in some runs; `None` if neither was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// A session among several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEffect {
    /// B over A.
    pub effect_ratio: f64,
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
    pub next_high_ratio: f64,
    /// Pairs per session that use the time best; `None` if sessions differ by no more than their pairs explain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_per_session: Option<usize>,
}

/// Counts that were equal in every run of a command, so that they are compared as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactCounts {
    pub a: u64,
    pub b: u64,
    /// Runs of each command.
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
