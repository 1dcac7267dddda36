//! Reading of numbers that JSON can only represent as `null`.

use serde::{Deserialize, Deserializer};

/// Reads a number, and `null` as NaN: a ratio without any measurement.
pub(super) fn known<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Reads a number, and `null` as infinity: the upper end of an interval that is unbounded above.
pub(super) fn bounded<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
