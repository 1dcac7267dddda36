//! The formats of each verb: of those that are defined with the formats, and of those that bring their reports.

use crate::format::Format;
use crate::{ReportError, own};

/// Stands in the place of a verb for lists of what is kept.
pub const LISTS: &str = "list";
/// The list of the experiments that are stored.
pub const LIST_OF_EXPERIMENTS: &str = "history-list";
/// The verb that shows an experiment of any other.
pub const HISTORY: &str = "history";

impl Format {
    /// The formats that have a form for what a verb writes, in words for help and messages.
    pub fn names_of(verb: &str) -> String {
        let suiting = Format::ALL.into_iter().filter(|format| format.is_of(verb));
        suiting.map(Format::name).collect::<Vec<_>>().join(", ")
    }

    /// Refuses a format that has no form for what a verb writes. Not every refusal can be foreseen: some formats need a
    /// part that a report may lack.
    ///
    /// # Errors
    /// [`ReportError::NoForm`].
    pub fn suits(self, verb: &str) -> Result<(), ReportError> {
        match self.is_of(verb) {
            true => Ok(()),
            false => Err(ReportError::NoForm {
                format: self.name(),
                subject: subject(verb),
                known: Format::names_of(verb),
                verbs: self.verbs().unwrap_or_default(),
            }),
        }
    }

    fn is_of(self, verb: &str) -> bool {
        match verb {
            LISTS => matches!(self, Format::Text | Format::Json),
            LIST_OF_EXPERIMENTS => {
                self == Format::Csv || self == Format::Html || self.is_of(LISTS) || self.is_markup()
            }
            HISTORY => !matches!(self, Format::Boxes | Format::Lscpu),
            _ => self.verbs().is_none_or(|verbs| verbs.contains(&verb)),
        }
    }

    /// Whether the format is sentences and tables in a language of markup.
    fn is_markup(self) -> bool {
        matches!(self, Format::Markdown | Format::AsciiDoc | Format::Org)
    }

    /// The verbs, and kinds of what one of them writes, with such a form; `None` where all have it.
    fn verbs(self) -> Option<Vec<&'static str>> {
        let defined: &[&'static str] = match self {
            format if format.is_of_times() => &["run", "compare"],
            Format::JUnit => &["run", "compare", "lab"],
            Format::Folded | Format::Speedscope | Format::Firefox | Format::Pprof => &["profile"],
            Format::OpenMetrics => &["fleet", "table", "counters"],
            Format::SlurmDrain => &["fleet"],
            Format::Boxes | Format::Lscpu => &["topo", "pick"],
            Format::Svg => &[
                "run",
                "compare",
                "aa",
                "sweep",
                "explain",
                "contend",
                "counters",
                "latency",
                "limit",
                "load",
                "profile",
                "topo",
                "pick",
                "fleet",
                "fleet-compare",
                "fleet-watch",
                "lab",
            ],
            _ => return None,
        };
        Some(defined.iter().copied().chain(own::verbs_with(self)).collect())
    }
}

/// Words for what a verb writes. Findings of one verb may have a kind behind its name.
fn subject(verb: &str) -> String {
    match verb {
        LISTS => "a list".to_owned(),
        LIST_OF_EXPERIMENTS => "history list".to_owned(),
        HISTORY => "a stored experiment".to_owned(),
        verb => format!("what {} finds", verb.replace('-', " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_verb() {
        for format in Format::ALL {
            assert!(format.verbs().is_none_or(|verbs| !verbs.is_empty()), "no verb writes {format}");
        }
    }
}
