//! What follows from an explanation: which factor has how much of the variation.

use serde::{Deserialize, Serialize};

use crate::Metric;

/// One level of a factor, with what it does by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelEffect {
    /// Name of the level.
    pub level: String,
    /// Runs at this level.
    pub runs: usize,
    /// The level over the mean of all levels of its factor, the other factors held equal.
    pub ratio: f64,
    /// Low end of its 95 % interval.
    pub ci_low_ratio: f64,
    /// High end of it.
    pub ci_high_ratio: f64,
}

/// What one factor contributes to the variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// The factor: `env-size`, `heap`, `layout`, `cpu`, `order`, `drift` or `residual`.
    pub factor: String,
    /// Share of the variance of the log time of a run; the shares of all components make one.
    pub variance_share: f64,
    /// Low end of its 95 % interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Part of the difference between the worst and the best setting, in percentage points.
    pub points_percent: f64,
    /// Randomisation p-value of the factor, adjusted over the factors by Holm's method; absent for the residual.
    pub p_adjusted: Option<f64>,
    /// Its levels, in their order; empty where levels have no names (the residual).
    pub levels: Vec<LevelEffect>,
}

/// Findings of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainFindings {
    /// The metric that is explained: a time.
    pub metric: Metric,
    /// One entry per factor, the largest part first, `residual` last.
    pub components: Vec<Component>,
    /// The slowest over the fastest setting of all factors, as a ratio: what the points add up to.
    pub worst_over_best_ratio: f64,
    /// Share of the spread between single runs that the design could not hold apart, 0 when it is balanced.
    pub confounded_share: f64,
    /// Measured runs that were analysed.
    pub runs: usize,
    /// Measured runs that failed, or that could not be read.
    pub failures: usize,
    /// Blocks.
    pub blocks: usize,
    /// Probability of a factor being named without cause that was allowed.
    pub level: f64,
    /// Median of the metric over all runs.
    pub median_ns: f64,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    /// Wall time of the experiment in seconds.
    pub elapsed_s: f64,
}
