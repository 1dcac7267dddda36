//! Scheduling policies.

use std::fmt;
use std::str::FromStr;

/// Scheduling policy, see `sched(7)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// `SCHED_OTHER`.
    #[default]
    Other,
    /// `SCHED_FIFO` with a priority of 1 to 99.
    Fifo(u8),
    /// `SCHED_RR` with a priority of 1 to 99.
    RoundRobin(u8),
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Other => f.write_str("other"),
            Policy::Fifo(priority) => write!(f, "fifo:{priority}"),
            Policy::RoundRobin(priority) => write!(f, "rr:{priority}"),
        }
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let priority = |digits: &str| match digits.parse::<u8>() {
            Ok(priority @ 1..=99) => Ok(priority),
            _ => Err(format!("the priority in `{text}` must be 1 to 99")),
        };
        match text.split_once(':') {
            None if text == "other" => Ok(Policy::Other),
            Some(("fifo", digits)) => Ok(Policy::Fifo(priority(digits)?)),
            Some(("rr", digits)) => Ok(Policy::RoundRobin(priority(digits)?)),
            _ => Err(format!("`{text}` is not a scheduling policy: other, fifo:N or rr:N")),
        }
    }
}

crate::text::as_text!(Policy);
