//! What follows from a calibration.

use serde::{Deserialize, Serialize};

/// How often a rival's rule called identical programs different, with as many of the same runs as it makes itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalCount {
    /// Name of the rule.
    pub rule: String,
    /// Comparisons that had runs enough for it.
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
    /// Exact one-sided 95 % upper bound of the rate of *different* among the comparisons that came to an answer (Clopper
    /// and Pearson 1934); one if none did.
    pub rate_upper_95: f64,
    /// Mean number of pairs.
    pub pairs_mean: f64,
    /// The rivals' rules; none for which there were never runs enough.
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
    /// Exact one-sided 95 % lower bound of the rate at which it is found.
    #[serde(default)]
    pub found_lower_95: f64,
    /// Comparisons that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    /// Comparisons that ended as *equivalent*.
    pub equivalent: usize,
    /// Those of them that are false: the true difference is the margin or more.
    #[serde(default)]
    pub false_equivalent: usize,
    /// Exact one-sided 95 % upper bound of the rate of false *equivalent*; absent where the true difference is within
    /// the margin.
    #[serde(default)]
    pub false_equivalent_upper_95: Option<f64>,
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
