//! The question of a gate, and the side of the margin that it concerns.

use serde::{Deserialize, Serialize};

use crate::Metric;

/// Question of a gate about a candidate: whether it differs from the reference by more than the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateQuestion {
    /// Whether the candidate is worse.
    Slower,
    /// Whether the candidate is better.
    Faster,
    /// Whether the candidate is worse or better.
    Different,
}

impl GateQuestion {
    /// The side of the margin that the question concerns in a metric. For a rate, more is better.
    pub fn side(self, metric: Metric) -> GateSide {
        match (self, metric.more_is_better()) {
            (GateQuestion::Different, _) => GateSide::Either,
            (GateQuestion::Slower, false) | (GateQuestion::Faster, true) => GateSide::Higher,
            (GateQuestion::Slower, true) | (GateQuestion::Faster, false) => GateSide::Lower,
        }
    }
}

/// The side of the margin that a gate concerns, in terms of readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateSide {
    /// Readings of the candidate are higher.
    Higher,
    /// Readings of the candidate are lower.
    Lower,
    Either,
}
