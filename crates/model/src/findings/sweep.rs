//! Findings of a sweep: whether the levels of a factor differ, which levels, by how much, and with which period.

use serde::{Deserialize, Serialize};

use super::numbers::{high_ratio_end, low_ratio_end, ratio_end};
use crate::{Metric, StoppedBy};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepAnswer {
    /// Levels differ beyond drift and chance, and by more than the margin.
    Effect,
    /// Typical differences between levels are shown to be within the margin; `difference_high_ratio` is their bound.
    NoEffect,
    /// No effect, and no absence of an effect, was shown within the limits of blocks and time.
    Undecided,
}

/// Findings about a level of the factor that was visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelFindings {
    /// Index of the command that ran at this level.
    pub command: u16,
    pub level: String,
    /// The level as a number; `None` for levels that are words.
    pub number: Option<f64>,
    /// Number of levels for which this one was run, itself included: others that cannot differ from it are not run.
    pub stands_for: usize,
    /// Number of measured runs, failed ones included.
    pub runs: usize,
    /// Number of runs that did not end with status 0.
    pub failures: usize,
    /// Exit status of the first failed run, or 128 + the signal; `None` if no run failed.
    pub failure_exit_status: Option<i32>,
    /// Median of the analysed runs after drift was removed, in the unit of the metric (nanoseconds for times); `None`
    /// if there are none.
    pub median_ns: Option<f64>,
    /// Lower end of the 95 % interval of `median_ns`, for this level by itself.
    pub low_ns: Option<f64>,
    pub high_ns: Option<f64>,
    /// Ratio of the readings at this level to the median of all levels, with drift removed.
    pub ratio: Option<f64>,
}

/// A level that stands out from the median of the levels, with an interval that holds for all peaks at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    pub level: String,
    /// The level as a number; `None` for levels that are words.
    pub number: Option<f64>,
    /// Ratio of the readings at this level to the median of all levels; below 1 for a faster level.
    pub ratio: f64,
    /// Lower end of the interval of `ratio`, which holds for all tested levels together (max-T).
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub ci_low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub ci_high_ratio: f64,
    /// p-value adjusted over all levels that were tested (Westfall and Young).
    pub p_adjusted: f64,
    /// Number of blocks from which the interval is computed. Unless all levels were tested, these blocks took no part
    /// in choosing the level.
    pub blocks: usize,
}

/// A pattern that repeats at equal distances of the levels' numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// The distance after which the pattern repeats, in the unit of the factor.
    pub period: f64,
    /// Lower end of the 95 % interval of `period`.
    pub low: f64,
    pub high: f64,
    /// Share of the variance between levels that the pattern explains, 0 to 1.
    pub explained_share: f64,
    /// p-value of a permutation test, over all periods that were searched.
    pub p_value: f64,
    /// Known cause of a pattern with this period; `None` if the interval contains no known period.
    pub likely_cause: Option<String>,
}

/// Share of one of two combined factors, or of their interaction, in the variance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPart {
    /// Name of the factor; `A x B` for the interaction.
    pub factor: String,
    /// Share of the variance of the log time, as [`SweepFinding::variance_share`] is for all levels.
    pub variance_share: f64,
    /// Lower end of the interval of `variance_share` at the error level of the sweep.
    pub variance_share_low: f64,
    pub variance_share_high: f64,
}

/// A level at which the command fails more often than elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailingLevel {
    pub level: String,
    /// Number of measured runs at the level.
    pub runs: usize,
    /// Number of runs at the level that did not end with status 0.
    pub failures: usize,
    /// Exit status of the first failed run, or 128 + the signal.
    pub exit_status: i32,
    /// Probability of at least as many failures if the level does not matter, adjusted over the levels.
    pub p_adjusted: f64,
}

/// A level at which more runs are much slower than the median of their level than at other levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowLevel {
    pub level: String,
    /// Number of runs at the level that have a reading.
    pub runs: usize,
    /// Number of runs far above the median of the level.
    pub slow_runs: usize,
    /// Median of the slow runs over the median of all runs at the level.
    pub ratio: f64,
    /// Probability of at least as many slow runs if the level does not matter, adjusted over the levels.
    pub p_adjusted: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepFinding {
    /// Whether levels differ. The document's field `effect` is true if the answer is [`SweepAnswer::Effect`].
    pub answer: SweepAnswer,
    /// p-value of a permutation test at the look at the data that decided, or at the last look.
    pub p_value: f64,
    /// Allowed probability of a false effect over all looks at the data.
    pub level: f64,
    /// Root mean square difference between two levels, as a ratio: by how much the time typically changes between
    /// levels. With two levels, their difference.
    pub difference_ratio: f64,
    /// Lower end of the interval of `difference_ratio` at the error level of the sweep.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub difference_low_ratio: f64,
    /// Upper end of the interval of `difference_ratio`: a larger typical difference is excluded.
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub difference_high_ratio: f64,
    /// Ratio to the median beyond which any single visited level is excluded to lie, at the error level of the sweep; no
    /// bound if nothing is excluded.
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub largest_excluded_ratio: f64,
    /// Largest difference that counts as none, as a ratio minus one.
    pub margin: f64,
    /// The margin as an amount, in the unit in which the metric is stored; `None` if it was stated as a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Share of the levels in the variance of the log time. The shares of levels, drift and residual add up to one.
    pub variance_share: f64,
    /// Lower end of the interval of `variance_share` at the error level of the sweep.
    pub variance_share_low: f64,
    pub variance_share_high: f64,
    /// Share of drift in the variance of the log time, before drift was removed.
    pub drift_share: f64,
    /// Correlation of the levels' effects between two halves of the blocks, converted to that of the whole (Spearman
    /// 1910, Brown 1910); `None` for fewer than four levels or blocks.
    pub repeatability: Option<f64>,
    /// Lower end of the 95 % interval of `repeatability`.
    pub repeatability_low: Option<f64>,
    pub repeatability_high: Option<f64>,
    /// Period at which the pattern of the levels repeats; `None` if none was found.
    pub period: Option<Period>,
    /// Levels that stand out from the median, the largest deviation first, at most sixteen.
    pub peaks: Vec<Peak>,
    /// Number of all levels that stand out, listed or not.
    pub peaks_total: usize,
    /// Levels at which the command fails significantly more often than at others.
    pub failing: Vec<FailingLevel>,
    /// Levels at which significantly more runs are slow than at others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<SlowLevel>,
    /// Shares of two combined factors and of their interaction; empty for a single factor.
    pub parts: Vec<SweepPart>,
}

/// A stage of a sweep that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepStage {
    /// `coarse`, `scan` or `confirm`.
    pub stage: String,
    /// Number of levels that each block of the stage visited.
    pub levels: usize,
    pub blocks: usize,
}

/// Findings of a sweep in a metric other than the first, which has its own stages and its own end.
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
    /// Name of the factor; two names joined by ` x ` if two factors are combined.
    pub factor: String,
    /// Unit of the levels' numbers, for example `bytes`; `None` if there is none.
    pub unit: Option<String>,
    /// The metric that decides; with several, the first of them, to which `levels`, `finding`, `stages` and
    /// `stopped_by` belong.
    pub metric: Metric,
    pub levels: Vec<LevelFindings>,
    /// Number of requested levels.
    pub levels_asked: usize,
    /// Number of levels that can differ from each other.
    pub levels_distinct: usize,
    pub finding: SweepFinding,
    pub stages: Vec<SweepStage>,
    pub stopped_by: StoppedBy,
    /// Number of measured runs.
    pub runs_done: usize,
    /// Number of runs of an exhaustive sweep, for comparison: a hundred at every requested level.
    pub runs_exhaustive: usize,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    pub elapsed_s: f64,
    /// Findings in the other metrics that decide; the error level is divided equally among all.
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
