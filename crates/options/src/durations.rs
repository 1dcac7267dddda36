//! Converts durations in the notations of other tools.

use fauxplat_units::Nanos;

/// Nanoseconds per unit, and the names of the unit in other tools.
const SPOKEN: [(f64, &[&str]); 7] = [
    (8.64e13, &["d", "day", "days"]),
    (3.6e12, &["h", "hr", "hrs", "hour", "hours"]),
    (6e10, &["m", "min", "mins", "minute", "minutes"]),
    (1e9, &["s", "sec", "secs", "second", "seconds"]),
    (1e6, &["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"]),
    (1e3, &["us", "usec", "usecs", "micros", "microsecond", "microseconds"]),
    (1.0, &["ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"]),
];

/// Units of time in fauxplat's notation, from long to short, with their nanoseconds.
const UNITS: [(&str, f64); 6] =
    [("h", 3.6e12), ("m", 6e10), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];

/// Converts a duration in the notation of other tools, such as `5min` or `1h30m`, to the notation of fauxplat; `None`
/// if the text is ambiguous or no duration.
pub(crate) fn meant(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase().replace('µ', "u");
    let (mut rest, mut nanos) = (text.as_str(), 0.0);
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit() && c != '.')?);
        let behind = behind.trim_start();
        let (word, left) =
            behind.split_at(behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len()));
        let (unit, _) = SPOKEN.iter().find(|(_, words)| words.contains(&word))?;
        nanos += number.parse::<f64>().ok()? * unit;
        rest = left.trim_start();
    }
    let (unit, scale) = UNITS.iter().find(|(_, scale)| nanos >= *scale && nanos % scale == 0.0)?;
    Some(format!("{}{unit}", nanos / scale)).filter(|said| said.parse::<Nanos>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_other_tools_are_said_in_our_form() {
        for (text, said) in [
            ("5min", "5m"),
            ("1h30m", "90m"),
            ("2 hours", "2h"),
            ("1m 500ms", "60500ms"),
            ("1.5MIN", "90s"),
            ("30secs", "30s"),
            ("20usec", "20us"),
        ] {
            assert_eq!(meant(text).as_deref(), Some(said), "{text}");
        }
        for unclear in ["", "5", "min", "1h30", "-5min", "1 parsec", "0min", "1.2.3s"] {
            assert_eq!(meant(unclear), None, "{unclear}");
        }
    }
}
