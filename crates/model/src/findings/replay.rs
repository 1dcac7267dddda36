//! Findings of a replay: how a rule decides comparisons that are drawn from a recorded session of identical programs.

use serde::{Deserialize, Serialize};

/// An effect that was injected into comparisons of identical programs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    /// No effect.
    Nothing,
    /// Every run of B takes `ratio` times as long.
    Shift {
        /// Factor by which every run of B takes longer: 1.05 for 5 %.
        ratio: f64,
    },
    /// Some runs of B take much longer.
    Tail {
        /// Probability that a run of B takes longer.
        share: f64,
        /// Factor by which a slow run of B takes longer.
        ratio: f64,
    },
    /// All runs of a block but the first take longer, whether they are runs of A or of B.
    CarryOver {
        /// Factor by which every run of a block but the first takes longer.
        ratio: f64,
    },
}

/// Results of the comparisons with one injected effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayRow {
    pub injected: Injected,
    pub comparisons: usize,
    /// Number of comparisons that ended as *different* with the right sign; with either sign if no difference was
    /// injected.
    pub different: usize,
    /// Exact 95 % interval of the probability of `different` (Clopper and Pearson 1934).
    pub different_interval_95: [f64; 2],
    /// Number of comparisons that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    /// Number of comparisons that ended as *equivalent*, in typical runs alone or as a whole.
    pub equivalent: usize,
    /// Exact 95 % interval of the probability of `equivalent`.
    pub equivalent_interval_95: [f64; 2],
    /// Number of comparisons that ended as *equivalent* as a whole.
    pub equivalent_whole: usize,
    /// Number of comparisons that were not decided.
    pub inconclusive: usize,
    /// Median number of pairs over the comparisons.
    pub pairs_median: f64,
    /// 90th percentile of the number of pairs over the comparisons.
    pub pairs_p90: f64,
}

/// Findings of a replay: how a rule decides on the machine in its state during the recorded session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayFindings {
    /// Where the recorded runs come from, as text.
    pub source: String,
    pub pairs: usize,
    /// Number of successive blocks that are drawn at a time, so that the dependence between neighbouring blocks
    /// remains.
    pub run_length: usize,
    /// Median time in seconds from the start of one pair to the start of the next.
    pub pair_s: f64,
    /// Number of pairs after which an undecided comparison ends. With a time limit, more pairs may fit.
    pub max_pairs: usize,
    /// Seconds after which an undecided comparison ends; `None` without a time limit.
    pub limit_s: Option<f64>,
    /// Margin of the first metric as a ratio minus one; an amount is divided by the session's typical reading. `None`
    /// in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Results, one row for each injected effect.
    pub rows: Vec<ReplayRow>,
    /// Duration in seconds, including the recording of the session if it was recorded for the replay.
    pub elapsed_s: f64,
}
