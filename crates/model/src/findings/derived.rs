//! Figures that are computed from counts of the same run.

use serde::{Deserialize, Serialize};

/// A figure that is computed in each run from what was counted in that run, over the runs of one command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// What it is called, such as `branch misses`.
    pub name: String,
    /// How it is computed, by the names of the metrics.
    pub formula: String,
    /// The unit: `%`, `per 1000 instructions`, `GHz`; empty for a plain ratio.
    pub unit: String,
    /// Runs that had all its parts.
    pub n: usize,
    /// Median over those runs.
    pub median: f64,
    /// Low end of its 95 % interval, by order statistics.
    pub low: f64,
    /// High end of it.
    pub high: f64,
}
