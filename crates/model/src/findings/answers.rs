//! Parts of the findings of a comparison: verdicts, gates, effects, and dropped pairs.

use serde::{Deserialize, Serialize};

use super::numbers::{high_ratio_end, low_ratio_end, ratio_end};
use crate::{Bound, GateQuestion, Metric};

/// The answer to the question whether command B differs from command A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A difference is shown: in typical runs, in slow runs or in the mean.
    Different,
    /// The typical runs, at least, are shown to differ by less than the margin.
    Equivalent,
    /// No difference and no equivalence was shown within the limits of time and pairs.
    Inconclusive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The verdict is about the source of the programs, which were linked anew in every block.
    Source,
    /// The verdict is about these binaries, whose layout was not varied.
    Binaries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The runs of A and B were interleaved in one session on one machine.
    WithinSession,
    /// Other sessions of the same two programs agree, or the programs were compared in several sessions.
    Replicated,
    /// The reference was measured at another time, so that drift in between is not excluded.
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

/// The reason why a pair of runs was dropped. No reason depends on which command was faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedReason {
    FailedRun,
    /// The deciding metric could not be read in a run of the pair.
    NotMeasured,
    /// The hypervisor took more than the allowed part of the pair's time.
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

/// Shares of the variance of a pair's log ratio by source, which add up to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VarianceBudget {
    /// Share between setups (stack displacement, CPU), beyond the variance between runs of one setup; `None` if setups
    /// are not repeated.
    pub layout: Option<f64>,
    /// Share between runs of one program in one setup; `None` if runs are not repeated in a setup.
    pub process: Option<f64>,
    /// Share of the order of the commands within a block, and of drift over the session.
    pub order: f64,
    /// Share of the variance that the other sources do not explain.
    pub residual: f64,
    /// Standard deviation of the log ratio of a pair.
    pub pair_sd: f64,
    /// Autocorrelation of the log ratios of successive pairs.
    pub autocorrelation: f64,
    /// Ratio of readings at the second position within a block to those at the first.
    pub position_ratio: f64,
    /// Lower end of the 95 % interval of `position_ratio`.
    pub position_low_ratio: f64,
    pub position_high_ratio: f64,
}

/// A metric that does not decide the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Secondary {
    pub metric: Metric,
    /// Estimated effect, B over A.
    pub effect_ratio: f64,
    /// Lower end of the interval of `effect_ratio` at the error level of the comparison.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub ci_low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub ci_high_ratio: f64,
    /// Sign-flip p-value, adjusted by Holm's method over all metrics that do not decide.
    pub p_adjusted: f64,
    /// Whether the adjusted p-value is at most the error level.
    pub different: bool,
    /// Whether some readings cover the first thread of the command alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
}

/// Limits of the knowledge about the effect in a comparison in which some readings are bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundedEffect {
    /// Whether the true ratio B over A is equal to, at least, or at most the ratio of the readings; `None` if the
    /// readings bound it on neither side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Bound>,
    /// Whether some readings of A are bounds.
    pub a: bool,
    /// Whether some readings of B are bounds.
    pub b: bool,
}

/// The runs for which an *equivalent* is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// All runs: typical runs, the share of pairs in which one command is much slower, the mean, and the spread.
    Whole,
    /// Typical runs alone.
    Typical,
}

/// The part of the runs in which a *different* is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceIn {
    /// In typical runs.
    Typical,
    /// In some runs, which are much slower than typical ones.
    Tail,
    /// In the mean; typical runs need not differ.
    Mean,
}

/// Answer to the question of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateState {
    /// The difference is shown to lie beyond the margin on the side that the gate asks about.
    Beyond,
    /// The difference is shown not to lie beyond the margin on the side that the gate asks about.
    Within,
    /// Not known: nothing about the margin was shown before time or pairs were used up.
    Undecided,
}

/// A gate of a comparison, with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub question: GateQuestion,
    /// The margin as a ratio minus one: 0.01 for 1 %.
    pub margin: f64,
    pub state: GateState,
    /// The smallest change, as a ratio minus one, that nine of ten comparisons with as many pairs would have found,
    /// negative if the gate asks about lower readings; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
}

/// The ratio of the means, slow runs included, with an interval that is valid at any moment at which sampling stops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanRatio {
    /// Mean of B over mean of A, where readings beyond the cap count as the cap.
    pub ratio: f64,
    /// Lower end of the interval of `ratio`.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub high_ratio: f64,
    /// Ratio of the means without any cap, which has no interval; `None` in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_ratio: Option<f64>,
    /// The cap, as a multiple of the typical reading of a command; `None` in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<f64>,
    /// Numbers of readings of A and of B that were capped.
    #[serde(default)]
    pub capped: [usize; 2],
}

/// Effect of a run on the next one: the ratio B over A in runs that follow their own command, and that in runs that
/// follow the other command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarryOver {
    /// Ratio B over A in runs that follow a run of the same command.
    pub after_itself: RatioInterval,
    /// Ratio B over A in the first runs of each command in a block, which follow the other command or by chance their
    /// own.
    pub after_another: RatioInterval,
    /// `after_itself` over `after_another`; 1 if no command affects the next run.
    pub carried: RatioInterval,
    /// Whether an effect of a run on the next one is shown.
    pub is_shown: bool,
    /// Whether only runs that follow their own command decided, because `carried` is not 1.
    pub decides: bool,
    /// The origin of the difference between the two ratios, judged by first runs that follow their own command across
    /// the border of two blocks; `None` if the ratios do not differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<RiseSource>,
}

/// Origin of a difference between the first and the second of two successive runs of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiseSource {
    /// An after-effect of the command before, which disappears where a command follows itself.
    AnotherCommand,
    /// The program itself, such as one that is slow in every second run. The difference remains where a command follows
    /// itself.
    Itself,
    /// Not known, because too few first runs follow their own command.
    Unclear,
}

/// Shares of the runs in each of two modes, which are clusters of readings. For times, the upper mode is the slow one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeShares {
    /// Centre of the lower mode, in the unit of the metric.
    pub low: f64,
    pub high: f64,
    /// Reading above which a run belongs to the upper mode, in the unit of the metric.
    pub cut: f64,
    /// Share of the runs of A in the upper mode, 0 to 1.
    pub share_a: f64,
    /// Interval of `share_a` at the error level of the comparison. The runs are correlated, so it is computed for the
    /// smaller number of independent runs with the same variance.
    pub share_a_interval: [f64; 2],
    pub share_b: f64,
    pub share_b_interval: [f64; 2],
    /// The command that is shown to have more runs in the upper mode; `None` if that is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// Comparison of the spreads of two commands: the distances of two successive runs of the same command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadChange {
    /// Usual distance of two successive runs of either command, as a share of a run's reading.
    pub usual: f64,
    /// Usual distance of two successive runs of A, and that of two of B, as shares of a run's reading; `None` in findings
    /// that an earlier version stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_each: Option<[f64; 2]>,
    /// Distance of two successive runs of B minus that of two runs of A, as a share of a run's reading.
    pub difference: f64,
    /// Lower end of the interval of `difference`.
    pub low: f64,
    pub high: f64,
    /// Largest absolute `difference` that counts as none.
    pub margin: f64,
    pub verdict: Verdict,
}

/// Numbers of pairs that were dropped for waiting, steal, migrations or throttling, by the command that had more of it
/// in the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedLean {
    /// Number of dropped pairs in which A had more of the waiting, steal, migrations or throttling.
    pub a: usize,
    /// Number of dropped pairs in which B had more of the waiting, steal, migrations or throttling.
    pub b: usize,
    /// Whether `a` or `b` is larger than chance allows, so that *equivalent* is not concluded.
    pub leans: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The reference, with which the candidate is compared.
    A,
    /// The candidate.
    B,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// Ratio B over A.
    pub ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub high_ratio: f64,
}

/// The ratio of two commands at one quantile of their readings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileShift {
    /// The quantile as a share: 0.5 is the median.
    pub quantile: f64,
    /// Ratio of the quantile of B to that of A.
    pub ratio: f64,
    /// Lower end of the band for `ratio` that holds for all quantiles together.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub high_ratio: f64,
}

impl QuantileShift {
    /// Whether the band excludes that both commands are equal at this quantile.
    pub fn is_apart(&self) -> bool {
        self.low_ratio > 1.0 || self.high_ratio < 1.0
    }
}

/// Shares of the pairs in which one command was much slower than the other. If typical runs differ, the typical ratio
/// is divided out first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// Largest difference between `share_b` and `share_a` that counts as none.
    pub margin: f64,
    /// The ratio of the two runs of a pair from which the pair counts.
    pub threshold_ratio: f64,
    /// Share of all pairs in which B was slower than A by `threshold_ratio`.
    pub share_b: f64,
    /// Lower and upper end of the interval of `share_b`.
    pub share_b_interval: [f64; 2],
    /// Share of all pairs in which A was slower than B by `threshold_ratio`.
    pub share_a: f64,
    /// Lower and upper end of the interval of `share_a`.
    pub share_a_interval: [f64; 2],
    /// The smallest difference between the two shares that is excluded.
    pub excess_excluded: f64,
    /// The command whose readings are shown to be higher in some runs; `None` if that is shown of neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// The effect in one of several sessions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEffect {
    /// Ratio B over A in this session.
    pub effect_ratio: f64,
    pub pairs: usize,
}

/// The joint result of several sessions in which the same programs were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replication {
    /// Result of each session, in the order of time.
    pub sessions: Vec<SessionEffect>,
    /// Standard deviation of the log ratio between sessions, beyond the errors within sessions.
    pub between_sd: f64,
    /// Lower end of the interval in which the ratio of a further session will lie, at the error level of the
    /// comparison.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub next_low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub next_high_ratio: f64,
    /// Number of pairs per session that gives the most information in a given time; `None` if sessions differ by no
    /// more than the errors within them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_per_session: Option<usize>,
}

/// Counts of two commands that were equal in every run of each command, so that they are compared as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactCounts {
    pub a: u64,
    pub b: u64,
    /// Number of runs of each command, or of the one that has fewer.
    pub runs: u32,
}

impl ExactCounts {
    /// Ratio B over A. If exactly one count is zero, half an event is added to both: the ratio stays finite and keeps
    /// its direction. 1 if both are equal.
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
