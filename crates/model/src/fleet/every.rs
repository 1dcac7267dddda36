//! Intervals at which a run over a fleet is repeated.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    Hour,
    Day,
    Week,
    Month,
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Every::Hour => "hour",
            Every::Day => "day",
            Every::Week => "week",
            Every::Month => "month",
        })
    }
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "hour" => Ok(Every::Hour),
            "day" => Ok(Every::Day),
            "week" => Ok(Every::Week),
            "month" => Ok(Every::Month),
            _ => Err(format!("`{text}` is none of hour, day, week, month")),
        }
    }
}
