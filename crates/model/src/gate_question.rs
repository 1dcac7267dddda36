//! The question of a gate about a comparison, and the side of the margin that it concerns.

use serde::{Deserialize, Serialize};

use crate::Metric;

/// Question of a gate about a candidate: whether it differs from the reference by more than the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateQuestion {
    /// Whether the candidate is worse by more than the margin.
    Slower,
    /// Whether the candidate is better by more than the margin.
    Faster,
    /// Whether the candidate is worse or better by more than the margin.
    Different,
}

impl GateQuestion {
    /// The side of the margin that the question concerns in a metric; the sides are exchanged if more is better, as for
    /// a rate.
    pub fn side(self, metric: Metric) -> GateSide {
        match (self, metric.more_is_better()) {
            (GateQuestion::Different, _) => GateSide::Either,
            (GateQuestion::Slower, false) | (GateQuestion::Faster, true) => GateSide::Higher,
            (GateQuestion::Slower, true) | (GateQuestion::Faster, false) => GateSide::Lower,
        }
    }
}

/// The side of the margin that a gate concerns, by the readings of the candidate relative to the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateSide {
    /// Readings of the candidate are higher than those of the reference.
    Higher,
    /// Readings of the candidate are lower than those of the reference.
    Lower,
    Either,
}
