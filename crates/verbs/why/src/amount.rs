//! Differences with their intervals.

use serde::{Deserialize, Serialize};

/// A difference with its interval, slower less faster, per run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// The estimate.
    pub value: f64,
    /// Low end of the interval.
    pub low: f64,
    /// High end of the interval.
    pub high: f64,
}

impl Amount {
    /// A number without an interval.
    pub fn exact(value: f64) -> Self {
        Amount { value, low: value, high: value }
    }

    /// Whether the interval lies above zero.
    pub fn is_more(self) -> bool {
        self.low > 0.0
    }

    /// Whether the interval lies apart from zero.
    pub fn is_sure(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The difference the other way round.
    pub fn turned(self) -> Self {
        Amount { value: -self.value, low: -self.high, high: -self.low }
    }
}
