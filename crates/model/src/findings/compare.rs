//! What follows from a comparison.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::{Metric, RunFindings, Variant};

/// The answer to the question whether B differs from A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval excludes zero.
    Different,
    /// The interval lies within the margin.
    Equivalent,
    /// Neither, within the limits that were set.
    Inconclusive,
}

/// What the verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The source: both programs were linked anew in every block.
    Source,
    /// This pair of binaries: their layout was not varied.
    Binaries,
}

/// How far the verdict reaches in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// One session on one machine; runs of A and B were interleaved.
    WithinSession,
    /// The variance between earlier sessions was taken into account.
    Replicated,
    /// A was measured at another time: drift between the two is not excluded.
    AgainstBaseline,
}

/// What ended the comparison.
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

/// Why a pair was dropped. Every reason looks at A and B alike.
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
    /// How many pairs.
    pub pairs: usize,
}

/// Where the variance of the log ratio of a pair comes from: shares of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VarianceBudget {
    /// Between setups (stack displacement, CPU), beyond what runs of one setup differ. Absent when setups are not repeated.
    pub layout: Option<f64>,
    /// Between runs of one program in one setup.
    pub process: Option<f64>,
    /// Position in the pair and drift over the session.
    pub order: f64,
    /// What is left.
    pub residual: f64,
    /// Standard deviation of the log ratio of a pair.
    pub pair_sd: f64,
    /// Lag-1 autocorrelation of the log ratios.
    pub autocorrelation: f64,
    /// Second position over first position, as a ratio.
    pub position_ratio: f64,
    /// Low end of its 95 % interval.
    pub position_low_ratio: f64,
    /// High end of it.
    pub position_high_ratio: f64,
}

/// A metric that does not decide, with its Holm-adjusted p-value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Secondary {
    /// The metric.
    pub metric: Metric,
    /// B over A.
    pub effect_ratio: f64,
    /// Low end of the interval at the level of the comparison.
    pub ci_low_ratio: f64,
    /// High end of it.
    pub ci_high_ratio: f64,
    /// Sign-flip p-value, adjusted over the secondary metrics by Holm's method.
    pub p_adjusted: f64,
    /// Whether the adjusted p-value is below the level.
    pub different: bool,
}

/// One comparison of two commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the reference.
    pub a: String,
    /// Name of the candidate.
    pub b: String,
    /// The metric that decides.
    pub metric: Metric,
    /// The answer.
    pub verdict: Verdict,
    /// What it is about.
    pub scope: Scope,
    /// How far it reaches in time.
    pub grade: Grade,
    /// B over A: winsorised mean of the log ratios, as a ratio.
    pub effect_ratio: f64,
    /// Low end of the repeated interval of the sequential design.
    pub ci_low_ratio: f64,
    /// High end of it.
    pub ci_high_ratio: f64,
    /// BCa bootstrap interval over clusters at the same level, for the full report.
    pub bootstrap_low_ratio: f64,
    /// High end of it.
    pub bootstrap_high_ratio: f64,
    /// Sign-flip randomisation p-value (an e-process's `1/E` with `anytime`); Holm-adjusted over commands.
    pub p_value: f64,
    /// Probability of a false *different* that was allowed.
    pub level: f64,
    /// Margin of equivalence, as a ratio.
    pub margin: f64,
    /// Whether the rule was the e-process.
    pub anytime: bool,
    /// Pairs that were analysed.
    pub pairs: usize,
    /// Pairs that were dropped, all reasons together.
    pub dropped_pairs: usize,
    /// Pairs that were dropped, by reason.
    pub dropped: Vec<Dropped>,
    /// What ended it.
    pub stopped_by: StoppedBy,
    /// For *inconclusive*: how many pairs would probably decide.
    pub pairs_needed: Option<usize>,
    /// Where the variance comes from.
    pub variance: VarianceBudget,
    /// The other metrics.
    pub secondary: Vec<Secondary>,
}

impl Comparison {
    /// Whether B is better by the estimate: less of a time or of a resource, more of a rate.
    pub fn b_is_better(&self) -> bool {
        match self.metric.more_is_better() {
            true => self.effect_ratio > 1.0,
            false => self.effect_ratio < 1.0,
        }
    }
}

/// Findings of a comparison of several commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareFindings {
    /// Per command, as `run` gives them.
    pub commands: Vec<RunFindings>,
    /// All against the first.
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
}
