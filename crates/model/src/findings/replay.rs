//! What a recorded session of identical programs says about comparisons that are still to be made.

use serde::{Deserialize, Serialize};

/// What was put into comparisons of identical programs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    /// Nothing.
    Nothing,
    /// Every run of B takes this many times as long.
    Shift {
        /// B over A.
        ratio: f64,
    },
    /// Some runs of B take much longer, the others do not.
    Tail {
        /// Probability that a run of B does.
        share: f64,
        /// How many times as long it takes.
        ratio: f64,
    },
    /// Whoever comes second in a block takes longer, A or B.
    CarryOver {
        /// How many times as long.
        ratio: f64,
    },
}

/// What comparisons with one thing put in came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayRow {
    /// What was put in.
    pub injected: Injected,
    /// Comparisons made.
    pub comparisons: usize,
    /// Those that ended as *different* with the right sign; with either sign where no sign is right.
    pub different: usize,
    /// Exact 95 % interval of the rate of those (Clopper and Pearson 1934).
    pub different_interval_95: [f64; 2],
    /// Those that ended as *different* with the wrong sign.
    pub wrong_sign: usize,
    /// Those that ended as *equivalent*, typical runs alone or as a whole.
    pub equivalent: usize,
    /// Exact 95 % interval of the rate of those.
    pub equivalent_interval_95: [f64; 2],
    /// Those of them that are *equivalent* as a whole.
    pub equivalent_whole: usize,
    /// Those that did not come to an answer.
    pub inconclusive: usize,
    /// Pairs that half of the comparisons needed at most.
    pub pairs_median: f64,
    /// Pairs that nine comparisons in ten needed at most.
    pub pairs_p90: f64,
}

/// Findings of a replay: what the rule would say on the machine as it was when the session was recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayFindings {
    /// Where the runs are from.
    pub source: String,
    /// Pairs that were recorded.
    pub pairs: usize,
    /// Blocks that were drawn together, so that neighbours stay neighbours.
    pub run_length: usize,
    /// Seconds from the beginning of one pair to that of the next, as a median.
    pub pair_s: f64,
    /// Pairs after which an undecided comparison ends; more fit where time is the limit.
    pub max_pairs: usize,
    /// Seconds after which an undecided comparison ends, where time is a limit.
    pub limit_s: Option<f64>,
    /// The margin of the first metric as a ratio: what one that is an amount is of what the session typically has. Absent in
    /// documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// One entry for each thing that was put in.
    pub rows: Vec<ReplayRow>,
    /// Seconds that it took, the measuring of the session included where that was done for it.
    pub elapsed_s: f64,
}
