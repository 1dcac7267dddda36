//! The shell, if any, that interprets a command line.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a command line is interpreted. In documents: `false` for no shell, `true` for `/bin/sh`, or the words of another
/// shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shell {
    /// No shell: the line is split into words, and the program is started directly.
    #[default]
    None,
    Standard,
    /// Another shell, possibly with options, such as `bash --norc`.
    Other(String),
}

impl Shell {
    pub fn is_used(&self) -> bool {
        *self != Shell::None
    }
}

impl fmt::Display for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shell::None => "none",
            Shell::Standard => "default",
            Shell::Other(words) => words,
        })
    }
}

impl FromStr for Shell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "none" => Ok(Shell::None),
            "default" => Ok(Shell::Standard),
            "" => Err("no shell is named: give default, none, or the words of one such as bash".to_owned()),
            words => Ok(Shell::Other(words.to_owned())),
        }
    }
}

impl Serialize for Shell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Shell::Other(words) => serializer.serialize_str(words),
            _ => serializer.serialize_bool(self.is_used()),
        }
    }
}

impl<'de> Deserialize<'de> for Shell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "true, false, or the words of a shell")]
        enum Said {
            Whether(bool),
            Words(String),
        }
        match Said::deserialize(deserializer)? {
            Said::Whether(false) => Ok(Shell::None),
            Said::Whether(true) => Ok(Shell::Standard),
            Said::Words(words) => words.parse().map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_read_what_they_write() {
        for (shell, json) in [
            (Shell::None, "false"),
            (Shell::Standard, "true"),
            (Shell::Other("bash --norc".into()), "\"bash --norc\""),
        ] {
            assert_eq!(serde_json::to_string(&shell).unwrap(), json);
            assert_eq!(serde_json::from_str::<Shell>(json).unwrap(), shell);
            assert_eq!(shell.to_string().parse::<Shell>().unwrap(), shell);
        }
        assert!("  ".parse::<Shell>().is_err());
        assert!(serde_json::from_str::<Shell>("3").is_err());
    }
}
