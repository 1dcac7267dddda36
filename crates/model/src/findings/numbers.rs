//! Numbers that JSON has no way to write but `null`.

use serde::{Deserialize, Deserializer};

/// A ratio of nothing that was measured is no number.
pub(super) fn known<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// An interval that excludes nothing has no end.
pub(super) fn bounded<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
