//! Units of the results of benchmarks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Unit of a result: nanoseconds, or a unit that is only known by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    #[default]
    Ns,
    /// Any other unit, by the name that the harness writes.
    Other(String),
}

/// Names of units of time, each with its length in nanoseconds.
const TIMES: [(&str, f64); 14] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("ps", 1e-3),
    ("nanoseconds", 1.0),
    ("microseconds", 1e3),
    ("milliseconds", 1e6),
    ("seconds", 1e9),
    ("sec", 1e9),
    ("min", 60e9),
];

impl Unit {
    /// Converts a result in the unit of this name: times, also per operation (`ns/op`), become nanoseconds, and all
    /// others keep their unit. A result without a unit is taken as nanoseconds.
    pub fn reading(value: f64, unit: &str) -> (f64, Unit) {
        let per = ["/op", "/iter", "/call"].iter().find_map(|per| unit.strip_suffix(per)).unwrap_or(unit);
        match TIMES.iter().find(|(name, _)| *name == per) {
            Some((_, ns)) => (value * ns, Unit::Ns),
            None if unit.is_empty() => (value, Unit::Ns),
            None => (value, Unit::Other(unit.to_owned())),
        }
    }

    /// Whether the unit is a rate, so that larger numbers are better.
    pub fn more_is_better(&self) -> bool {
        match self {
            Unit::Ns => false,
            Unit::Other(unit) => {
                let unit = unit.to_ascii_lowercase();
                unit.ends_with("per second")
                    || unit
                        .rsplit_once('/')
                        .is_some_and(|(_, per)| TIMES.iter().any(|(name, _)| *name == per))
            }
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Ns => "ns",
            Unit::Other(unit) => unit,
        })
    }
}

impl FromStr for Unit {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "ns" { Unit::Ns } else { Unit::Other(text.to_owned()) })
    }
}

impl Serialize for Unit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(if text == "ns" { Unit::Ns } else { Unit::Other(text) })
    }
}

/// Parses a number as harnesses print it, with a decimal point or comma. If both occur, the later one is the decimal
/// mark and the other separates groups of digits. A single comma without a point is the decimal mark, and several
/// separate groups. `None` if the text is no number.
pub fn number(text: &str) -> Option<f64> {
    let text: String =
        text.trim().chars().filter(|it| !matches!(it, '_' | '\u{a0}' | '\u{202f}' | '\'')).collect();
    let plain = match (text.rfind(','), text.rfind('.')) {
        (None, _) => text,
        (Some(comma), Some(point)) if comma > point => text.replace('.', "").replace(',', "."),
        (Some(_), None) if text.matches(',').count() == 1 => text.replace(',', "."),
        _ => text.replace(',', ""),
    };
    plain.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_nanoseconds_and_rates_are_known() {
        assert_eq!(Unit::reading(2.5, "us"), (2500.0, Unit::Ns));
        assert_eq!(Unit::reading(2.0, "ms/op"), (2e6, Unit::Ns));
        let (value, rate) = Unit::reading(7.0, "MB/s");
        assert!(value == 7.0 && rate.more_is_better() && rate.to_string() == "MB/s");
        assert!(!Unit::reading(1.0, "B/op").1.more_is_better() && !Unit::Ns.more_is_better());
    }

    #[test]
    fn numbers_of_other_locales_are_read() {
        for (text, value) in [
            ("1.5", 1.5),
            ("1,5", 1.5),
            ("1,234.5", 1234.5),
            ("1.234,5", 1234.5),
            ("1.234.567,5", 1_234_567.5),
            ("1,234,567", 1_234_567.0),
            (" 3e2 ", 300.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for bad in ["", "x", "nan", "inf", "1.2.3", "1,2.3,4"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
