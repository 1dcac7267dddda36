//! Figures that are computed from counts of the same run.

use serde::{Deserialize, Serialize};

/// A figure that is computed from the counts of each run, summarised over the runs of one command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// Name of the figure, such as `branch misses`.
    pub name: String,
    /// Formula of the figure, with the names of the metrics.
    pub formula: String,
    /// Unit of the figure, such as `%`, `per 1000 instructions` or `GHz`; empty for a plain ratio.
    pub unit: String,
    /// Number of runs in which all counts of the formula were read.
    pub n: usize,
    /// Median of the figure over `n` runs.
    pub median: f64,
    /// Lower end of the 95 % interval of `median`, by order statistics; `None` for fewer than six runs, which give no
    /// interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval of `median`; `None` for fewer than six runs.
    pub high: Option<f64>,
}
