//! Figures that are computed from counts of the same run.

use serde::{Deserialize, Serialize};

/// A figure that is computed from the counts of each run, summarised over the runs of one command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// Name of the figure, such as `branch misses`.
    pub name: String,
    /// Formula in the names of the metrics.
    pub formula: String,
    /// The unit: `%`, `per 1000 instructions`, `GHz`; empty for a plain ratio.
    pub unit: String,
    /// Runs in which all counts of the formula were read.
    pub n: usize,
    /// Median over these `n` runs.
    pub median: f64,
    /// Low end of the 95 % interval of `median`, by order statistics; `None` for fewer than six runs, which give no
    /// interval.
    pub low: Option<f64>,
    /// High end of the interval; `None` as for `low`.
    pub high: Option<f64>,
}
