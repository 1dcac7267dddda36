//! What follows from a sweep: does a factor move the time, where, how much, and with which period.

use serde::{Deserialize, Serialize};

use crate::{Metric, StoppedBy};

/// The answer to the question whether the factor changes the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepAnswer {
    /// Levels differ beyond drift and chance, and by more than the margin.
    Effect,
    /// Whatever the factor does is within the margin; `difference_high_ratio` says how much is excluded.
    NoEffect,
    /// Neither could be shown within the limits that were set.
    Undecided,
}

/// One level of the factor that was visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelFindings {
    /// Index of the command that ran at this level.
    pub command: u16,
    /// Name of the level.
    pub level: String,
    /// The level as a number, where it is one.
    pub number: Option<f64>,
    /// How many levels it stands for, itself included: those that must be equal to it are not run.
    pub stands_for: usize,
    /// Measured runs, failed ones included.
    pub runs: usize,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// How the first failed run ended: the status, or 128 + the signal.
    pub failure_exit_status: Option<i32>,
    /// Median of the successful runs after drift was removed, in the unit of the metric: of times nanoseconds; absent when
    /// none was successful.
    pub median_ns: Option<f64>,
    /// Low end of its 95 % interval, for this level by itself.
    pub low_ns: Option<f64>,
    /// High end of it.
    pub high_ns: Option<f64>,
    /// This level over the median of all levels, drift removed.
    pub ratio: Option<f64>,
}

/// A level that stands out from the median of the levels, with an interval that holds for all peaks at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Name of the level.
    pub level: String,
    /// The level as a number, where it is one.
    pub number: Option<f64>,
    /// The level over the median of all levels; below one for a level that is faster.
    pub ratio: f64,
    /// Low end of the simultaneous interval (max-T).
    pub ci_low_ratio: f64,
    /// High end of it.
    pub ci_high_ratio: f64,
    /// Westfall and Young's adjusted p-value over all levels that were looked at.
    pub p_adjusted: f64,
    /// Blocks that the interval rests on: fresh ones, which took no part in choosing the level, unless all levels were
    /// candidates.
    pub blocks: usize,
}

/// A pattern that returns at equal distances of the level's number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// The distance, in the unit of the factor.
    pub period: f64,
    /// Low end of its 95 % interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Share of the variance between levels that the pattern explains, 0 to 1.
    pub explained_share: f64,
    /// Permutation p-value over all periods that were looked for.
    pub p_value: f64,
    /// What has this period on this kind of machine, when the interval contains it.
    pub likely_cause: Option<String>,
}

/// What one factor of a product, or the two together, contributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPart {
    /// Name of the factor; `A x B` for the interaction.
    pub factor: String,
    /// Its share of the variance, as `variance_share` of the whole.
    pub variance_share: f64,
    /// Low end of its interval at the level of the sweep.
    pub variance_share_low: f64,
    /// High end of it.
    pub variance_share_high: f64,
}

/// A level at which the subject fails more often than elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailingLevel {
    /// Name of the level.
    pub level: String,
    /// Measured runs there.
    pub runs: usize,
    /// Runs there that did not end with status 0.
    pub failures: usize,
    /// How the first of them ended: the status, or 128 + the signal.
    pub exit_status: i32,
    /// Probability of as many failures if the level did not matter, adjusted over the levels.
    pub p_adjusted: f64,
}

/// The answer of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepFinding {
    /// The answer. The document's `effect` is whether this is [`SweepAnswer::Effect`].
    pub answer: SweepAnswer,
    /// Permutation p-value at the look that decided, or at the last.
    pub p_value: f64,
    /// Probability of a false effect that was allowed over all looks.
    pub level: f64,
    /// Root mean square difference between two levels, as a ratio: by how much the time changes, typically, when
    /// the level changes. With two levels it is their difference.
    pub difference_ratio: f64,
    /// Low end of its interval at the level of the sweep.
    pub difference_low_ratio: f64,
    /// High end of it: a larger typical difference is excluded.
    pub difference_high_ratio: f64,
    /// Deviations of any one visited level from the median beyond this ratio are excluded, at the level of the sweep; a
    /// factor of a million where nothing is.
    pub largest_excluded_ratio: f64,
    /// The margin within which differences count as none, as a ratio.
    pub margin: f64,
    /// The amount that was asked for in its place, in the unit in which the metric is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Share of the variance of the log time between levels. With drift and residual it makes one.
    pub variance_share: f64,
    /// Low end of its interval at the level of the sweep.
    pub variance_share_low: f64,
    /// High end of it.
    pub variance_share_high: f64,
    /// Share of the variance that drift had, before it was removed.
    pub drift_share: f64,
    /// Correlation over levels between two halves of the blocks, corrected to the whole (Spearman 1910, Brown 1910);
    /// absent for fewer than four levels or blocks.
    pub repeatability: Option<f64>,
    /// Low end of its 95 % interval.
    pub repeatability_low: Option<f64>,
    /// High end of it.
    pub repeatability_high: Option<f64>,
    /// The period, if there is one.
    pub period: Option<Period>,
    /// Levels that stand out, largest deviation first, at most sixteen.
    pub peaks: Vec<Peak>,
    /// How many levels stand out altogether.
    pub peaks_total: usize,
    /// Levels at which the subject fails more often than elsewhere.
    pub failing: Vec<FailingLevel>,
    /// Main effects and interaction, for a product of two factors.
    pub parts: Vec<SweepPart>,
}

/// One stage of the plan as it was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepStage {
    /// `coarse`, `scan` or `confirm`.
    pub stage: String,
    /// Levels that each block of the stage visited.
    pub levels: usize,
    /// Blocks of the stage.
    pub blocks: usize,
}

/// What a sweep found in a further metric, in the runs that this metric's own course asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlsoSwept {
    /// The metric.
    pub metric: Metric,
    /// The levels that were visited for it.
    pub levels: Vec<LevelFindings>,
    /// What was found.
    pub finding: SweepFinding,
    /// The plan as it was carried out for it.
    pub stages: Vec<SweepStage>,
    /// What ended it.
    pub stopped_by: StoppedBy,
}

/// Findings of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepFindings {
    /// Name of the factor; two names with ` x ` between them for a product.
    pub factor: String,
    /// Unit of the levels' numbers, where they have one: `bytes`.
    pub unit: Option<String>,
    /// The metric that decides; of several the first, to which the fields below belong.
    pub metric: Metric,
    /// The levels that were visited, in their order.
    pub levels: Vec<LevelFindings>,
    /// Levels that were asked for.
    pub levels_asked: usize,
    /// Levels that differ at all: those that must be equal count once.
    pub levels_distinct: usize,
    /// What was found.
    pub finding: SweepFinding,
    /// The plan as it was carried out.
    pub stages: Vec<SweepStage>,
    /// What ended it.
    pub stopped_by: StoppedBy,
    /// Measured runs.
    pub runs_done: usize,
    /// Runs of the exhaustive sweep: a hundred of every level that was asked for.
    pub runs_exhaustive: usize,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    /// Wall time of the experiment in seconds.
    pub elapsed_s: f64,
    /// What was found in further metrics. The level is shared: each has an equal part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoSwept>,
}

impl SweepFindings {
    /// What was found in each metric, as if it had been the only one; the first one first.
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

    /// Whether the factor has an effect on any of the metrics.
    pub fn has_effect(&self) -> bool {
        let findings = std::iter::once(&self.finding).chain(self.also.iter().map(|also| &also.finding));
        findings.into_iter().any(|finding| finding.answer == SweepAnswer::Effect)
    }
}
