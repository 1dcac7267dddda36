//! Formats that each verb's document can have, both of verbs that are listed here and of verbs that register their
//! reports.

use crate::format::Format;
use crate::{ReportError, own};

/// Stands in place of a verb's name for lists of stored experiments and the like.
pub const LISTS: &str = "list";
/// Stands in place of a verb's name for the list of stored experiments.
pub const LIST_OF_EXPERIMENTS: &str = "history-list";
/// Name of the verb that shows a stored experiment of any other verb.
pub const HISTORY: &str = "history";

impl Format {
    /// The formats in which a verb's document can be written, as text for help and messages.
    pub fn names_of(verb: &str) -> String {
        let suiting = Format::ALL.into_iter().filter(|format| format.is_of(verb));
        suiting.map(Format::name).collect::<Vec<_>>().join(", ")
    }

    /// Refuses a format in which a verb's document cannot be written. A format that passes may still fail, if it needs
    /// a part that the report lacks.
    ///
    /// # Errors
    /// Fails with [`ReportError::NoForm`].
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

    /// Whether the format consists of sentences and tables in a markup language.
    fn is_markup(self) -> bool {
        matches!(self, Format::Markdown | Format::AsciiDoc | Format::Org)
    }

    /// Names of the verbs, or of kinds of documents of a verb, that support the format; `None` if all do.
    fn verbs(self) -> Option<Vec<&'static str>> {
        let defined: &[&'static str] = match self {
            format if format.is_of_times() => &["run", "compare"],
            Format::JUnit => &["run", "compare", "lab"],
            Format::Folded | Format::Speedscope | Format::Firefox | Format::Pprof => &["profile"],
            Format::OpenMetrics => &["fleet", "table", "counters"],
            Format::SlurmDrain => &["fleet"],
            Format::Boxes | Format::Lscpu => &[],
            Format::Svg => &[
                "run",
                "compare",
                "aa",
                "sweep",
                "explain",
                "contend",
                "counters",
                "limit",
                "load",
                "profile",
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

/// Description of a verb's document for messages. A kind of findings may follow the verb's name.
fn subject(verb: &str) -> String {
    match verb {
        LISTS => "a list".to_owned(),
        LIST_OF_EXPERIMENTS => "history list".to_owned(),
        HISTORY => "a stored experiment".to_owned(),
        verb => format!("what {} finds", verb.replace('-', " ")),
    }
}
