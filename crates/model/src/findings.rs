//! What follows from the samples.

use serde::{Deserialize, Serialize};

use crate::{Metric, Outcome};

/// Location and spread of one metric over the measured runs of one command, in the unit of the metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The metric.
    pub metric: Metric,
    /// Number of runs.
    pub n: usize,
    /// Median.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Low end of the 95 % interval of the median, by order statistics.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Sample standard deviation; zero for one run.
    pub sd: f64,
    /// Smallest reading.
    pub min: f64,
    /// Largest reading.
    pub max: f64,
    /// 5th, 25th, 75th and 95th percentile.
    pub percentiles: [f64; 4],
    /// Readings further than three scaled median absolute deviations above the median.
    pub outliers: usize,
}

/// One process of the tree of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Process id of the parent at creation.
    pub parent: u32,
    /// Its last command line.
    pub command: String,
    /// User and system CPU time of all its threads.
    pub cpu_ns: u64,
    /// From creation to exit.
    pub wall_ns: u64,
    /// Its own largest resident set.
    pub peak_memory_bytes: u64,
    /// Threads that it had over its life.
    pub threads: u32,
    /// How it ended; absent if it outlived the command and was ended.
    pub outcome: Option<Outcome>,
}

/// Findings about one command that was run by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    /// One summary per metric that was measured.
    pub summaries: Vec<Summary>,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// Runs that left processes behind.
    pub runs_with_left_behind: usize,
    /// The process tree, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Process>,
}

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
}

/// How often a rival's rule called identical programs different on the same schedules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalCount {
    /// Name of the rule.
    pub rule: String,
    /// Comparisons that it judged.
    pub comparisons: usize,
    /// Comparisons that it called different.
    pub false_verdicts: usize,
}

/// One stratum of an A/A calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AaStratum {
    /// `plain`, `drift`, `layout` or `busy-sibling`.
    pub name: String,
    /// Comparisons made.
    pub comparisons: usize,
    /// Comparisons that ended as *different* although both programs are the same.
    pub false_verdicts: usize,
    /// Comparisons that ended as *equivalent*.
    pub equivalent: usize,
    /// Comparisons that ended as *inconclusive*.
    pub inconclusive: usize,
    /// Exact one-sided 95 % upper bound of the false rate (Clopper and Pearson 1934).
    pub rate_upper_95: f64,
    /// Mean number of pairs.
    pub pairs_mean: f64,
    /// The rivals' rules on the same schedules.
    pub rivals: Vec<RivalCount>,
}

/// Power: how often a true difference was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerResult {
    /// Stratum in which it was tried.
    pub stratum: String,
    /// True ratio of the work of B over A.
    pub true_ratio: f64,
    /// Comparisons made.
    pub comparisons: usize,
    /// Comparisons that ended as *different* with the right sign.
    pub found: usize,
    /// Comparisons that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    /// Comparisons that ended as *equivalent*.
    pub equivalent: usize,
    /// Mean number of pairs.
    pub pairs_mean: f64,
    /// Mean of the estimated effects, as a ratio.
    pub effect_mean_ratio: f64,
}

/// Findings of an A/A calibration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AaFindings {
    /// One entry per stratum.
    pub strata: Vec<AaStratum>,
    /// One entry per true ratio and stratum.
    pub power: Vec<PowerResult>,
    /// Wall time of the experiment in seconds.
    pub elapsed_s: f64,
}
