//! Differences between two programs, with confidence intervals.

use serde::{Deserialize, Deserializer, Serialize};

/// A difference per run with its confidence interval: the value of the slower program minus that of the faster one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// Estimate of the difference.
    pub value: f64,
    /// Low end of the interval; minus infinity, and `null` in documents, if the interval has no lower bound.
    #[serde(deserialize_with = "low")]
    pub low: f64,
    /// High end of the interval; infinity, and `null` in documents, if the interval has no upper bound.
    #[serde(deserialize_with = "high")]
    pub high: f64,
}

fn low<'de, D: Deserializer<'de>>(document: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(document)?.unwrap_or(f64::NEG_INFINITY))
}

fn high<'de, D: Deserializer<'de>>(document: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(document)?.unwrap_or(f64::INFINITY))
}

impl Amount {
    /// A difference that is known exactly: both ends of the interval are the value.
    pub fn exact(value: f64) -> Self {
        Amount { value, low: value, high: value }
    }

    /// Whether the whole interval lies above zero.
    pub fn is_more(self) -> bool {
        self.low > 0.0
    }

    /// Whether the interval excludes zero.
    pub fn is_sure(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Width of the interval.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// The difference with both programs exchanged.
    pub fn turned(self) -> Self {
        Amount { value: -self.value, low: -self.high, high: -self.low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ends_survive_a_document() {
        let open = Amount { value: 1.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
        for amount in [open, Amount { low: 0.5, ..open }, Amount::exact(2.0)] {
            let text = serde_json::to_string(&amount).unwrap();
            assert_eq!(serde_json::from_str::<Amount>(&text).unwrap(), amount, "{text}");
        }
    }
}
