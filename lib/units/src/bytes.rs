//! Sizes in bytes, in binary units (KiB, MiB, GiB).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// Reason why a size could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size such as `64`, `20MiB` or `1G`")]
pub struct ParseBytesError(String);

const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        match unit {
            0 => write!(f, "{} B", self.0),
            _ => write!(f, "{value:.1} {}", UNITS[unit]),
        }
    }
}

impl FromStr for Bytes {
    type Err = ParseBytesError;

    /// Parses a number with an optional unit; `K`, `KB` and `KiB` all mean 1024 bytes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || ParseBytesError(text.to_owned());
        let trimmed = text.trim();
        let split = trimmed.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(trimmed.len());
        let digits = trimmed[..split].trim();
        let number: f64 = digits.parse().map_err(|_| fail())?;
        let suffix = trimmed[split..].to_ascii_uppercase();
        let power: u32 = match suffix.trim_end_matches('B').trim_end_matches('I') {
            "" => 0,
            "K" => 1,
            "M" => 2,
            "G" => 3,
            "T" => 4,
            _ => return Err(fail()),
        };
        let bytes = number * 1024f64.powi(power as i32);
        if !(0.0..9.2e18).contains(&bytes) {
            return Err(fail());
        }
        // Whole numbers are parsed as such, because a double cannot represent all of their digits.
        let whole = digits.parse::<u64>().ok().and_then(|whole| whole.checked_mul(1 << (10 * power)));
        Ok(Bytes(whole.unwrap_or(bytes.round() as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_binary_units() {
        assert_eq!("20MiB".parse(), Ok(Bytes(20 << 20)));
        assert_eq!("1G".parse(), Ok(Bytes(1 << 30)));
        assert_eq!("64".parse(), Ok(Bytes(64)));
        assert_eq!("9007199254740993".parse(), Ok(Bytes(9_007_199_254_740_993)));
        assert!("x".parse::<Bytes>().is_err() && "-1".parse::<Bytes>().is_err());
        assert_eq!(Bytes(1_433_600).to_string(), "1.4 MiB");
        assert_eq!(Bytes(700).to_string(), "700 B");
    }
}
