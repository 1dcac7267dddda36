//! Findings of an explanation: how much of the variation of the time each factor causes.

use serde::{Deserialize, Serialize};

use super::numbers::{high_ratio_end, low_ratio_end, ratio_end};
use crate::{Metric, Variant};

/// Effect of one level of a factor, with the effects of the other factors taken out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelEffect {
    pub level: String,
    pub runs: usize,
    /// Ratio of the time at this level to the mean over all levels of the factor, the other factors held equal.
    pub ratio: f64,
    /// Lower end of the 95 % interval of `ratio`.
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub ci_low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub ci_high_ratio: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// The factor: `env-size`, `heap`, `layout`, `cpu`, `order`, `drift` or `residual`. The levels of `env-size` and
    /// `heap` are sixteenths of a page; `env-size-place` and `heap-place` are the position within the sixteenth.
    pub factor: String,
    /// Share of the variance of the log time of a run. The shares of all components add up to one.
    pub variance_share: f64,
    /// Lower end of the 95 % interval of `variance_share`.
    pub low: f64,
    pub high: f64,
    /// Contribution of the factor to the difference between the slowest and the fastest tenth of the runs, in
    /// percentage points.
    pub points_percent: f64,
    /// p-value of the factor, adjusted over the factors by Holm's method: of a randomisation test for factors that were
    /// drawn, of an F test for `order` and `drift`; `None` for the residual.
    pub p_adjusted: Option<f64>,
    /// Share of the information about the factor that the design separates from the other factors, 1 when orthogonal;
    /// `None` for the residual.
    pub efficiency: Option<f64>,
    /// Whether the levels are a random sample of many, so that the interval of the share allows for levels that were
    /// not run.
    pub is_sample: bool,
    /// Levels in their order; empty for the residual. With many levels, only the slowest and the fastest that were run.
    pub levels: Vec<LevelEffect>,
}

/// Interaction of two factors: their joint effect beyond their separate effects, which is a part of the residual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    pub factors: [String; 2],
    /// Share of the interaction in the variance of the log time of a run.
    pub variance_share: f64,
    /// Lower end of the 95 % interval of `variance_share`.
    pub low: f64,
    pub high: f64,
    /// p-value of a randomisation test, adjusted over factors and interactions by Holm's method.
    pub p_adjusted: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainFindings {
    /// The metric that is explained: a time.
    pub metric: Metric,
    /// Parts of the variation, one entry per factor, the largest first, `residual` last.
    pub components: Vec<Component>,
    /// The largest of the significant interactions, or the largest of all if none is significant; `None` with too few
    /// runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction: Option<Interaction>,
    /// Geometric mean of the slowest tenth of the runs over that of the fastest tenth, outliers winsorised. The
    /// `points_percent` of all components add up to this difference.
    pub worst_over_best_ratio: f64,
    /// 95 % interval of `worst_over_best_ratio`; `None` with fewer than ten blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_over_best_interval: Option<[f64; 2]>,
    pub runs: usize,
    pub failures: usize,
    pub blocks: usize,
    /// Allowed probability that any factor without an effect is called significant.
    pub level: f64,
    /// Median of the metric over all runs; `None` without runs.
    pub median_ns: Option<f64>,
    /// 95 % interval of `median_ns`; `None` with too few runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_interval_ns: Option<[f64; 2]>,
    /// Median wall time of an empty static program under the same condition, never subtracted.
    pub floor_ns: Option<f64>,
    pub elapsed_s: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
}
