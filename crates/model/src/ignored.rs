//! Treatment of failed runs in the analysis.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Outcome;

/// Treatment of failed runs, which did not exit with status 0, in the analysis. In documents: `false` if none is
/// analysed, `true` if all are, `"left-out"`, or a list of exit statuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IgnoredFailures {
    #[default]
    None,
    All,
    /// Runs that exit with one of these statuses are analysed. Every other failure ends the experiment.
    Statuses(Vec<u8>),
    /// No failed run is analysed, but the experiment continues after failures, which are counted.
    LeftOut,
}

/// The word for [`IgnoredFailures::LeftOut`] in documents and on the command line.
const LEFT_OUT: &str = "left-out";

impl IgnoredFailures {
    pub fn any(&self) -> bool {
        matches!(self, IgnoredFailures::All | IgnoredFailures::Statuses(_))
    }

    pub fn are_left_out(&self) -> bool {
        *self == IgnoredFailures::LeftOut
    }

    /// Whether a run with this outcome is analysed: it succeeded, or its failure is ignored.
    pub fn lets_pass(&self, outcome: Outcome) -> bool {
        match (self, outcome) {
            (IgnoredFailures::All, _) | (_, Outcome::Exited(0)) => true,
            (IgnoredFailures::Statuses(statuses), Outcome::Exited(status)) => statuses.contains(&status),
            _ => false,
        }
    }

    /// Whether the first failed run that is not analysed ends the experiment. True if statuses are listed: a user who
    /// lists the expected statuses expects no others.
    pub fn is_strict(&self) -> bool {
        matches!(self, IgnoredFailures::Statuses(_))
    }
}

impl fmt::Display for IgnoredFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IgnoredFailures::None => f.write_str("none"),
            IgnoredFailures::All => f.write_str("all-non-zero"),
            IgnoredFailures::LeftOut => f.write_str(LEFT_OUT),
            IgnoredFailures::Statuses(statuses) => {
                let words: Vec<String> = statuses.iter().map(u8::to_string).collect();
                f.write_str(&words.join(","))
            }
        }
    }
}

impl FromStr for IgnoredFailures {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all-non-zero" {
            return Ok(IgnoredFailures::All);
        }
        if text == LEFT_OUT {
            return Ok(IgnoredFailures::LeftOut);
        }
        let status = |word: &str| match word.trim().parse() {
            Ok(0) | Err(_) => Err(format!("`{word}` is not the status of a failure: 1 to 255, such as 1,2")),
            Ok(status) => Ok(status),
        };
        text.split(',').map(status).collect::<Result<_, _>>().map(IgnoredFailures::Statuses)
    }
}

impl Serialize for IgnoredFailures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            IgnoredFailures::Statuses(statuses) => statuses.serialize(serializer),
            IgnoredFailures::LeftOut => serializer.serialize_str(LEFT_OUT),
            _ => serializer.serialize_bool(self.any()),
        }
    }
}

impl<'de> Deserialize<'de> for IgnoredFailures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "true, false, `left-out`, or exit statuses from 1 to 255")]
        enum Said {
            Whether(bool),
            Statuses(Vec<u8>),
            Word(LeftOutWord),
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum LeftOutWord {
            LeftOut,
        }
        Ok(match Said::deserialize(deserializer)? {
            Said::Whether(false) => IgnoredFailures::None,
            Said::Whether(true) => IgnoredFailures::All,
            Said::Word(LeftOutWord::LeftOut) => IgnoredFailures::LeftOut,
            Said::Statuses(statuses) => IgnoredFailures::Statuses(statuses),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_passes() {
        let some: IgnoredFailures = "1, 3".parse().unwrap();
        assert!(some.lets_pass(Outcome::Exited(3)) && some.lets_pass(Outcome::Exited(0)));
        assert!(!some.lets_pass(Outcome::Exited(2)) && !some.lets_pass(Outcome::Signaled(1)));
        assert!(IgnoredFailures::All.lets_pass(Outcome::TimedOut));
        assert!(!IgnoredFailures::None.lets_pass(Outcome::Exited(1)));
        assert!(!IgnoredFailures::LeftOut.lets_pass(Outcome::Exited(1)) && !IgnoredFailures::LeftOut.any());
        for bad in ["", "0", "256", "-1", "1;2", "x"] {
            assert!(bad.parse::<IgnoredFailures>().is_err(), "{bad}");
        }
    }

    #[test]
    fn they_read_what_they_write() {
        for (ignored, json) in [
            (IgnoredFailures::None, "false"),
            (IgnoredFailures::All, "true"),
            (IgnoredFailures::Statuses(vec![1, 2]), "[1,2]"),
            (IgnoredFailures::LeftOut, r#""left-out""#),
        ] {
            assert_eq!(serde_json::to_string(&ignored).unwrap(), json);
            assert_eq!(serde_json::from_str::<IgnoredFailures>(json).unwrap(), ignored);
        }
    }
}
