//! Findings of a calibration: how often comparisons of identical programs, and of programs with an injected difference,
//! came to each verdict.

use serde::{Deserialize, Serialize};

/// Number of times that the rule of another tool called identical programs different, given as many runs as that tool
/// makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalCount {
    pub rule: String,
    /// Number of comparisons with enough runs for the rule.
    pub comparisons: usize,
    /// Number of comparisons that the rule called different.
    pub false_verdicts: usize,
}

/// Counts over the comparisons of identical programs that were made under one kind of disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AaStratum {
    /// Name of the disturbance: `plain` (none), `drift`, `layout` or `busy-sibling`.
    pub name: String,
    pub comparisons: usize,
    /// Number of comparisons that ended as *different* although both programs are the same.
    pub false_verdicts: usize,
    pub equivalent: usize,
    pub inconclusive: usize,
    /// Exact one-sided 95 % upper bound of the rate of *different* among the comparisons that ended as *different* or
    /// *equivalent* (Clopper and Pearson 1934); 1 if there are none.
    pub rate_upper_95: f64,
    pub pairs_mean: f64,
    /// Counts for the rules of other tools. A rule that never had enough runs is left out.
    pub rivals: Vec<RivalCount>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerResult {
    /// Name of the kind of disturbance under which the difference was injected.
    pub stratum: String,
    /// True ratio of the work of B over A.
    pub true_ratio: f64,
    pub comparisons: usize,
    /// Number of comparisons that ended as *different* with the right sign.
    pub found: usize,
    /// Exact one-sided 95 % lower bound of the probability of `found`.
    #[serde(default)]
    pub found_lower_95: f64,
    /// Number of comparisons that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    pub equivalent: usize,
    /// Number of comparisons that ended as *equivalent* although the true difference is the margin or more.
    #[serde(default)]
    pub false_equivalent: usize,
    /// Exact one-sided 95 % upper bound of the probability of a false *equivalent*; `None` if the true difference is
    /// within the margin.
    #[serde(default)]
    pub false_equivalent_upper_95: Option<f64>,
    pub pairs_mean: f64,
    /// Mean (geometric) of the estimated ratios B over A.
    pub effect_mean_ratio: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AaFindings {
    pub strata: Vec<AaStratum>,
    pub power: Vec<PowerResult>,
    pub elapsed_s: f64,
}
