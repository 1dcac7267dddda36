//! Findings of a replay: a recorded session of identical programs, and predictions for future comparisons.

use serde::{Deserialize, Serialize};

/// An effect that was injected into comparisons of identical programs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    /// No effect.
    Nothing,
    /// Every run of B takes `ratio` times as long.
    Shift {
        /// B over A.
        ratio: f64,
    },
    /// A share of the runs of B takes much longer.
    Tail {
        /// Probability that a run of B takes longer.
        share: f64,
        /// Factor by which such a run is longer.
        ratio: f64,
    },
    /// The second run of a block takes longer, whether it is a run of A or B.
    CarryOver {
        /// Factor by which the second run is longer.
        ratio: f64,
    },
}

/// Results of comparisons with one injected effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayRow {
    pub injected: Injected,
    pub comparisons: usize,
    /// Comparisons that ended as *different* with the right sign; with either sign if no sign is right.
    pub different: usize,
    /// Exact 95 % interval of the rate of `different` (Clopper and Pearson 1934).
    pub different_interval_95: [f64; 2],
    /// Comparisons that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    /// Comparisons that ended as *equivalent*, whether by typical runs alone or as a whole.
    pub equivalent: usize,
    /// Exact 95 % interval of the rate of `equivalent`.
    pub equivalent_interval_95: [f64; 2],
    /// Comparisons that ended as *equivalent* as a whole.
    pub equivalent_whole: usize,
    /// Comparisons that were not decided.
    pub inconclusive: usize,
    /// Median of the pairs that a comparison needed.
    pub pairs_median: f64,
    /// 90th percentile of the pairs that a comparison needed.
    pub pairs_p90: f64,
}

/// Findings of a replay: how the rule would decide on the machine in its state during the recorded session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayFindings {
    /// Origin of the recorded runs.
    pub source: String,
    pub pairs: usize,
    /// Number of successive blocks that are drawn together, so that neighbouring blocks stay together.
    pub run_length: usize,
    /// Median time in seconds from the start of one pair to the start of the next.
    pub pair_s: f64,
    /// Pairs after which an undecided comparison ends. With a time limit, more pairs may fit.
    pub max_pairs: usize,
    /// Seconds after which an undecided comparison ends; `None` without a time limit.
    pub limit_s: Option<f64>,
    /// Margin of the first metric as a ratio; an amount is converted with the session's typical reading. `None` in
    /// documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Entries: one per injected effect.
    pub rows: Vec<ReplayRow>,
    /// Duration in seconds, including the recording of the session if it was recorded for the replay.
    pub elapsed_s: f64,
}
