//! Findings of a sweep: whether a factor changes the time, at which levels, by how much, and with which period.

use serde::{Deserialize, Serialize};

use crate::{Metric, StoppedBy};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepAnswer {
    /// Levels differ beyond drift and chance, and by more than the margin.
    Effect,
    /// Any effect of the factor is within the margin; `difference_high_ratio` is the bound.
    NoEffect,
    /// No effect, and no bound within the margin, was shown within the limits that were set.
    Undecided,
}

/// A level of the factor that was visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelFindings {
    /// Index of the command that ran at this level.
    pub command: u16,
    pub level: String,
    /// The level as a number; `None` for levels that are words.
    pub number: Option<f64>,
    /// Number of levels that this one represents, itself included. Levels that are necessarily equal to it are not run.
    pub stands_for: usize,
    /// Measured runs, failed ones included.
    pub runs: usize,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// Exit status of the first failed run, or 128 + the signal.
    pub failure_exit_status: Option<i32>,
    /// Median of the successful runs after drift was removed, in the unit of the metric (nanoseconds for times); `None`
    /// if no run succeeded.
    pub median_ns: Option<f64>,
    /// 95 % interval of `median_ns` for this level by itself: low end.
    pub low_ns: Option<f64>,
    pub high_ns: Option<f64>,
    /// Ratio of the level to the median of all levels, with drift removed.
    pub ratio: Option<f64>,
}

/// A level that stands out from the median of the levels, with an interval that holds for all peaks at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    pub level: String,
    /// The level as a number; `None` for levels that are words.
    pub number: Option<f64>,
    /// The level over the median of all levels; below 1 for a faster level.
    pub ratio: f64,
    /// Low end of the simultaneous interval (max-T).
    pub ci_low_ratio: f64,
    pub ci_high_ratio: f64,
    /// p-value adjusted over all levels that were tested (Westfall and Young).
    pub p_adjusted: f64,
    /// Blocks from which the interval is computed. Unless all levels were candidates, these are fresh blocks, which
    /// took no part in choosing the level.
    pub blocks: usize,
}

/// A pattern that repeats at equal distances of the levels' numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// The distance, in the unit of the factor.
    pub period: f64,
    /// Low end of the 95 % interval of `period`.
    pub low: f64,
    pub high: f64,
    /// Share of the variance between levels that the pattern explains, 0 to 1.
    pub explained_share: f64,
    /// Permutation p-value over all periods that were searched.
    pub p_value: f64,
    /// Known cause of this period on this kind of machine; `None` if the interval contains no known period.
    pub likely_cause: Option<String>,
}

/// Contribution of one factor of a product, or of the interaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPart {
    /// Name of the factor; `A x B` for the interaction.
    pub factor: String,
    /// Share of the variance, as in `variance_share` of the whole.
    pub variance_share: f64,
    /// Low end of the interval of `variance_share` at the level of the sweep.
    pub variance_share_low: f64,
    pub variance_share_high: f64,
}

/// A level at which the command fails more often than elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailingLevel {
    pub level: String,
    /// Measured runs at the level.
    pub runs: usize,
    /// Runs at the level that did not end with status 0.
    pub failures: usize,
    /// Exit status of the first failed run, or 128 + the signal.
    pub exit_status: i32,
    /// p-value of the number of failures under the hypothesis that the level does not matter, adjusted over the levels.
    pub p_adjusted: f64,
}

/// A level at which runs that are slow for this level are more frequent than at other levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowLevel {
    pub level: String,
    /// Runs at the level that have a reading.
    pub runs: usize,
    /// Runs far above the median of the level.
    pub slow_runs: usize,
    /// Median of the session over the median of the level.
    pub ratio: f64,
    /// Probability of at least as many slow runs under the hypothesis that the level does not matter, adjusted over the
    /// levels.
    pub p_adjusted: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepFinding {
    /// The document's field `effect` says whether the answer is [`SweepAnswer::Effect`].
    pub answer: SweepAnswer,
    /// Permutation p-value at the look that decided, or at the last look.
    pub p_value: f64,
    /// Allowed probability of a false effect over all looks.
    pub level: f64,
    /// Root mean square difference between two levels, as a ratio: the typical change of the time between levels. With
    /// two levels, their difference.
    pub difference_ratio: f64,
    /// Low end of the interval of `difference_ratio` at the level of the sweep.
    pub difference_low_ratio: f64,
    /// High end of the interval of `difference_ratio`: a larger typical difference is excluded.
    pub difference_high_ratio: f64,
    /// Deviations of a single visited level from the median beyond this ratio are excluded, at the level of the sweep;
    /// a factor of a million if nothing is excluded.
    pub largest_excluded_ratio: f64,
    /// The margin within which differences count as none, as a ratio.
    pub margin: f64,
    /// The margin as an amount, in the unit in which the metric is stored; `None` if it was stated as a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Share of the variance of the log time between levels. The shares of levels, drift and residual add up to one.
    pub variance_share: f64,
    /// Low end of the interval of `variance_share` at the level of the sweep.
    pub variance_share_low: f64,
    pub variance_share_high: f64,
    /// Share of the variance due to drift, before drift was removed.
    pub drift_share: f64,
    /// Correlation over levels between two halves of the blocks, corrected to the whole (Spearman 1910, Brown 1910);
    /// `None` for fewer than four levels or blocks.
    pub repeatability: Option<f64>,
    /// Low end of the 95 % interval of `repeatability`.
    pub repeatability_low: Option<f64>,
    pub repeatability_high: Option<f64>,
    /// `None` if no period was found.
    pub period: Option<Period>,
    /// Levels that stand out, largest deviation first, at most sixteen.
    pub peaks: Vec<Peak>,
    /// Number of all levels that stand out.
    pub peaks_total: usize,
    /// Levels at which the command fails more often than elsewhere.
    pub failing: Vec<FailingLevel>,
    /// Levels at which runs are slow more often than elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<SlowLevel>,
    /// Main effects and interaction, for a product of two factors.
    pub parts: Vec<SweepPart>,
}

/// A stage of the plan that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepStage {
    /// `coarse`, `scan` or `confirm`.
    pub stage: String,
    /// Levels that each block of the stage visited.
    pub levels: usize,
    pub blocks: usize,
}

/// Findings of a sweep in a further metric, which has its own stages and its own stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlsoSwept {
    pub metric: Metric,
    /// Levels that were visited for this metric.
    pub levels: Vec<LevelFindings>,
    pub finding: SweepFinding,
    pub stages: Vec<SweepStage>,
    pub stopped_by: StoppedBy,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepFindings {
    /// Name of the factor; for a product, two names joined by ` x `.
    pub factor: String,
    /// Unit of the levels' numbers, for example `bytes`; `None` if they have none.
    pub unit: Option<String>,
    /// The metric that decides; with several metrics the first, to which the fields below belong.
    pub metric: Metric,
    pub levels: Vec<LevelFindings>,
    /// Number of requested levels.
    pub levels_asked: usize,
    /// Number of distinct levels. Levels that are necessarily equal count once.
    pub levels_distinct: usize,
    pub finding: SweepFinding,
    pub stages: Vec<SweepStage>,
    pub stopped_by: StoppedBy,
    /// Measured runs.
    pub runs_done: usize,
    /// Runs of an exhaustive sweep for comparison: a hundred at every requested level.
    pub runs_exhaustive: usize,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    pub elapsed_s: f64,
    /// Findings in further metrics. All metrics have an equal part of the level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoSwept>,
}

impl SweepFindings {
    /// Findings of each metric as if it were the only one; the first metric comes first.
    pub fn by_metric(&self) -> Vec<SweepFindings> {
        let first = SweepFindings { also: Vec::new(), ..self.clone() };
        let other = |also: &AlsoSwept| SweepFindings {
            metric: also.metric,
            levels: also.levels.clone(),
            finding: also.finding.clone(),
            stages: also.stages.clone(),
            stopped_by: also.stopped_by,
            ..first.clone()
        };
        std::iter::once(first.clone()).chain(self.also.iter().map(other)).collect()
    }

    pub fn has_effect(&self) -> bool {
        let findings = std::iter::once(&self.finding).chain(self.also.iter().map(|also| &also.finding));
        findings.into_iter().any(|finding| finding.answer == SweepAnswer::Effect)
    }
}
