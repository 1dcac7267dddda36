//! Durations in nanoseconds, printed in the most readable unit.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A duration in nanoseconds, never negative: a clock that ran backwards is an error, not a duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// Reason why a duration could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration such as `500ms`, `2.5s` or `1m`")]
pub struct ParseNanosError(String);

/// Units from long to short: suffix, and nanoseconds in one.
const UNITS: [(&str, f64); 6] =
    [("h", 3.6e12), ("m", 6e10), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];

impl Nanos {
    /// Converts from seconds. Negative values and NaN become zero, and values above the range its maximum.
    pub fn from_secs_f64(seconds: f64) -> Self {
        Nanos((seconds * 1e9).round().max(0.0) as u64)
    }

    /// Parses a duration that must have a unit, for places where the unit of a bare number would be ambiguous.
    ///
    /// # Errors
    /// The text is no duration, or has no unit; the message is for the author of the text.
    pub fn with_unit(text: &str) -> Result<Self, String> {
        let is_bare = text.trim().parse::<f64>().is_ok_and(|number| number != 0.0);
        match is_bare {
            true => Err(format!("it has no unit: {text}us, {text}ms or {text}s")),
            false => text.parse::<Nanos>().map_err(|error| error.to_string()),
        }
    }

    /// Returns the duration in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Formats fractional nanoseconds with four significant digits or, from two minutes on, as minutes and seconds:
    /// `81.23 µs`, `5.004 ms`, `2 m 20.3 s`.
    pub fn display_f64(nanos: f64) -> String {
        let (scale, unit) = match nanos.abs() {
            0.0 => return "0 ns".to_owned(),
            ns if ns < 999.95 => (1.0, "ns"),
            ns if ns < 999.95e3 => (1e3, "µs"),
            ns if ns < 999.95e6 => (1e6, "ms"),
            ns if ns < 120e9 => (1e9, "s"),
            ns => return minutes(ns),
        };
        format!("{} {unit}", four_digits(nanos / scale))
    }
}

/// Formats minutes and seconds, rounded before the split: otherwise 179.96 s would become `2 m 60.0 s`.
fn minutes(nanos: f64) -> String {
    let tenths = (nanos / 1e8).round();
    format!("{} m {:.1} s", (tenths / 600.0) as u64, tenths % 600.0 / 10.0)
}

/// Formats four significant digits without an exponent, for a number below 1000.
fn four_digits(value: f64) -> String {
    match value.abs() {
        v if v >= 99.995 => format!("{value:.1}"),
        v if v >= 9.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Nanos::display_f64(self.0 as f64))
    }
}

impl FromStr for Nanos {
    type Err = ParseNanosError;

    /// Parses `500ms`, `2.5s`, `1m`, `80us`, `80µs`, `3h`; a bare number is in seconds, as in `timeout(1)`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || ParseNanosError(text.to_owned());
        let text = text.trim().replace('µ', "u");
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, suffix) = (text[..split].trim(), &text[split..]);
        let scale = match suffix {
            "" => 1e9,
            _ => UNITS.iter().find(|(unit, _)| *unit == suffix).ok_or_else(fail)?.1,
        };
        let nanos = number.parse::<f64>().map_err(|_| fail())? * scale;
        if !(0.0..9.2e18).contains(&nanos) {
            return Err(fail());
        }
        Ok(Nanos(nanos.round() as u64))
    }
}

impl<'de> Deserialize<'de> for Nanos {
    /// Reads a whole number of nanoseconds, or a text with a unit such as `"2.5s"`.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Duration;
        impl serde::de::Visitor<'_> for Duration {
            type Value = Nanos;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("nanoseconds, or a duration such as \"2.5s\"")
            }

            fn visit_u64<E>(self, nanos: u64) -> Result<Nanos, E> {
                Ok(Nanos(nanos))
            }

            fn visit_i64<E: serde::de::Error>(self, nanos: i64) -> Result<Nanos, E> {
                u64::try_from(nanos).map(Nanos).map_err(|_| E::custom("a duration is not negative"))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Nanos, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_units() {
        assert_eq!("500ms".parse(), Ok(Nanos(500_000_000)));
        assert_eq!("1.5".parse(), Ok(Nanos(1_500_000_000)));
        assert_eq!("80µs".parse(), Ok(Nanos(80_000)));
        for bad in ["", "-1s", "1 parsec", "ms", "nan", "1e30h"] {
            assert!(bad.parse::<Nanos>().is_err(), "{bad}");
        }
    }

    #[test]
    fn prints_four_digits() {
        assert_eq!(Nanos(81_234).to_string(), "81.23 µs");
        assert_eq!(Nanos(5_003_900).to_string(), "5.004 ms");
        assert_eq!(Nanos(80_300_000_000).to_string(), "80.30 s");
        assert_eq!(Nanos(140_300_000_000).to_string(), "2 m 20.3 s");
        assert_eq!(Nanos(179_960_000_000).to_string(), "3 m 0.0 s");
        assert_eq!(Nanos(0).to_string(), "0 ns");
    }
}
