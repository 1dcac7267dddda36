//! What follows from a calibration.

use serde::{Deserialize, Serialize};

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
