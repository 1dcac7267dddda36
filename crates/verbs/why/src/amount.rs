//! Differences with their intervals.

use serde::{Deserialize, Deserializer, Serialize};

/// A difference with its interval, slower less faster, per run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// The estimate.
    pub value: f64,
    /// Low end of the interval; infinite, and `null` in documents, where nothing is excluded.
    #[serde(deserialize_with = "low")]
    pub low: f64,
    /// High end of the interval, as the low one.
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
