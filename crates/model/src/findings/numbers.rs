//! Numbers that JSON can only represent as `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Log ratio that stands for an end of an interval that is unbounded: a factor of nearly a million, or its inverse.
pub const NO_BOUND_LOG: f64 = 13.8;

/// Whether an end of an interval of ratios stands for no bound, as [`NO_BOUND_LOG`] does. Other large ratios are real
/// ends.
pub fn is_no_bound(ratio: f64) -> bool {
    !ratio.is_finite() || (ratio.ln().abs() - NO_BOUND_LOG).abs() < 1e-9
}

/// Writes an end of an interval of ratios, and `null` for an end that is no bound.
///
/// # Errors
/// Fails if the serialiser fails.
pub fn ratio_end<S: Serializer>(ratio: &f64, to: S) -> Result<S::Ok, S::Error> {
    Some(*ratio).filter(|&ratio| !is_no_bound(ratio)).serialize(to)
}

/// Reads the lower end of an interval of ratios, and `null` as no bound. Documents of earlier versions have
/// [`NO_BOUND_LOG`] there.
///
/// # Errors
/// Fails if the input is neither a number nor `null`.
pub fn low_ratio_end<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_else(|| (-NO_BOUND_LOG).exp()))
}

/// Reads the upper end of an interval of ratios, and `null` as no bound, as [`low_ratio_end`] does.
///
/// # Errors
/// Fails if the input is neither a number nor `null`.
pub fn high_ratio_end<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_else(|| NO_BOUND_LOG.exp()))
}

/// Reads a number, and `null` as NaN: a ratio without any measurement.
pub(super) fn known<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Reads a number, and `null` as infinity: the upper end of an interval that is unbounded above.
pub(super) fn bounded<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
