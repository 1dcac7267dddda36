//! Metrics that a measured command prints.

use std::fmt;
use std::str::FromStr;

use crate::{Better, Coverage, MetricError, MetricId, MetricSpec, Unit};

/// A number that the measured program writes to its standard output: `NAME=REGEX`, by the first group of the last
/// match, or `NAME=/json/pointer` into the whole output. `NAME[UNIT]` states the unit, and a `+` before the name states
/// that more is better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedSource {
    /// Name of the metric, without the prefix `printed:`.
    pub name: String,
    /// The unit in which the program prints the number; `None` if it was not stated.
    pub unit: Option<String>,
    pub better: Better,
    pub place: PrintedPlace,
}

/// How a printed number is found in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintedPlace {
    /// A regular expression, whose first group is the number.
    Pattern(String),
    /// A JSON pointer (RFC 6901) to the number.
    Pointer(String),
}

crate::text::as_text!(PrintedSource);

impl PrintedSource {
    /// Specification of the metric, whose readings are in millionths of the printed unit.
    ///
    /// # Errors
    /// Returns [`MetricError::BadId`] if the name has spaces or is too long.
    pub fn spec(&self) -> Result<MetricSpec, MetricError> {
        let open = MetricSpec::open(MetricId::open("printed", &self.name)?, Unit::Millionth);
        let unit = self.unit.as_ref().map_or_else(String::new, |unit| format!(" ({unit})"));
        Ok(MetricSpec {
            title: format!("{}{unit}", self.name).into(),
            better: self.better,
            source: "standard output".into(),
            coverage: Coverage::Published,
            ..open
        })
    }
}

impl fmt::Display for PrintedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.better == Better::More { "+" } else { "" };
        let unit = self.unit.as_ref().map_or_else(String::new, |unit| format!("[{unit}]"));
        let (PrintedPlace::Pattern(place) | PrintedPlace::Pointer(place)) = &self.place;
        write!(f, "{more}{}{unit}={place}", self.name)
    }
}

impl FromStr for PrintedSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || {
            format!(
                "`{text}` is not a printed metric: NAME=REGEX or NAME=/json/pointer, NAME[UNIT]=…, +NAME=…"
            )
        };
        let (head, place) = text.split_once('=').ok_or_else(fail)?;
        let (better, head) = match head.strip_prefix('+') {
            Some(head) => (Better::More, head),
            None => (Better::Less, head),
        };
        let (name, unit) = match head.strip_suffix(']') {
            Some(head) => {
                head.split_once('[').map(|(name, unit)| (name, Some(unit.to_owned()))).ok_or_else(fail)?
            }
            None => (head, None),
        };
        let is_plain = |c: char| !c.is_control() && !"[]+,=".contains(c);
        let is_name = !name.is_empty() && name.chars().all(|c| is_plain(c) && !c.is_whitespace());
        let is_unit = unit.as_ref().is_none_or(|unit| !unit.is_empty() && unit.chars().all(is_plain));
        if !is_name || !is_unit || place.is_empty() {
            return Err(fail());
        }
        let place = match place.starts_with('/') {
            true => PrintedPlace::Pointer(place.to_owned()),
            false => PrintedPlace::Pattern(place.to_owned()),
        };
        Ok(PrintedSource { name: name.to_owned(), unit, better, place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_read_what_they_print() {
        for text in ["a=x(.*)", "a=/b/0/c", "a[ns/op]=(\\d+) = ns", "+tps[1/s]=/rate", "+a=[/](.)"] {
            assert_eq!(text.parse::<PrintedSource>().unwrap().to_string(), text);
        }
        for bad in ["", "a", "=x", "a=", "a[=x", "a]=x", "[u]=x", "a[]=x", "a b=x", "++a=x", "a,b=x"] {
            assert!(bad.parse::<PrintedSource>().is_err(), "{bad}");
        }
    }
}
