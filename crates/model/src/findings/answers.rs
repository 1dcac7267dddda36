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
    /// `after_itself` over `after_another`: one where no command leaves anything to the next.
    pub carried: RatioInterval,
    /// Whether something is shown to be carried over.
    pub is_shown: bool,
    /// Whether runs after themselves alone decided, since both part.
    pub decides: bool,
    /// Where the two part: where that comes from, as runs show that follow their own command over the border of two blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<RiseSource>,
}

/// Source of a difference between the first and the second of two runs in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiseSource {
    /// The command before left something: it is gone where a command follows itself.
    AnotherCommand,
    /// The program itself, such as one that is slow in every second run: it stays where a command follows itself.
    Itself,
    /// Too few runs follow their own command to tell.
    Unclear,
}

/// Shares of two modes of runs: a lower one and an upper one, which is the slow one of times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeShares {
    /// Centre of the lower mode, in the unit of the metric.
    pub low: f64,
    /// Centre of the upper mode.
    pub high: f64,
    /// Runs with more than this belong to the upper mode.
    pub cut: f64,
    /// Share of the runs of A in the upper mode, 0 to 1.
    pub share_a: f64,
    /// The interval of that share at the level of the comparison, for as many independent runs as these are worth.
    pub share_a_interval: [f64; 2],
    /// Share of the runs of B in the upper mode.
    pub share_b: f64,
    /// The interval of that share.
    pub share_b_interval: [f64; 2],
    /// The command that is shown to be in the upper mode more often; absent where neither is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
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
