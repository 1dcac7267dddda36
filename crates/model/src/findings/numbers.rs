//! Numbers for which JSON has no notation but `null`.

use serde::{Deserialize, Deserializer};

/// Reads `null` as NaN: a ratio without any measurement.
pub(super) fn known<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Reads `null` as infinity: the upper end of an interval that excludes nothing.
pub(super) fn bounded<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
