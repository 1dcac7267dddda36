//! Findings of a calibration.

use serde::{Deserialize, Serialize};

/// Number of times that the rule of another tool called identical programs different, given as many runs as that tool
/// makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalCount {
    pub rule: String,
    /// Comparisons with enough runs for the rule.
    pub comparisons: usize,
    /// Comparisons that the rule called different.
    pub false_verdicts: usize,
}

/// A stratum of an A/A calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AaStratum {
    /// `plain`, `drift`, `layout` or `busy-sibling`.
    pub name: String,
    pub comparisons: usize,
    /// Comparisons that ended as *different* although both programs are the same.
    pub false_verdicts: usize,
    pub equivalent: usize,
    pub inconclusive: usize,
    /// Exact one-sided 95 % upper bound of the rate of *different* among the comparisons that were decided (Clopper and
    /// Pearson 1934); 1 if none was decided.
    pub rate_upper_95: f64,
    pub pairs_mean: f64,
    /// Counts of the rules of other tools. A rule that never had enough runs is left out.
    pub rivals: Vec<RivalCount>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerResult {
    /// Stratum in which the difference was injected.
    pub stratum: String,
    /// True ratio of the work of B over A.
    pub true_ratio: f64,
    pub comparisons: usize,
    /// Comparisons that ended as *different* with the right sign.
    pub found: usize,
    /// Exact one-sided 95 % lower bound of the rate of `found`.
    #[serde(default)]
    pub found_lower_95: f64,
    /// Comparisons that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    pub equivalent: usize,
    /// Comparisons that ended as *equivalent* although the true difference is the margin or more.
    #[serde(default)]
    pub false_equivalent: usize,
    /// Exact one-sided 95 % upper bound of the rate of false *equivalent*; `None` if the true difference is within
    /// the margin.
    #[serde(default)]
    pub false_equivalent_upper_95: Option<f64>,
    pub pairs_mean: f64,
    /// Mean of the estimated effects, as a ratio.
    pub effect_mean_ratio: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AaFindings {
    pub strata: Vec<AaStratum>,
    pub power: Vec<PowerResult>,
    pub elapsed_s: f64,
}
