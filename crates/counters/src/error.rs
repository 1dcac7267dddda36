//! Errors in requested events.

use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CounterError {
    #[error(
        "the list of events is empty: name some, such as `cycles,instructions`, or a set such as `default`"
    )]
    Empty,
    #[error("the list has more than {limit} events: ask for fewer")]
    TooMany { limit: usize },
    #[error("`{name}` is no event{}", suggestion(.near))]
    Unknown { name: String, near: Vec<String> },
    /// The text has none of the notations of events.
    #[error("`{text}` is not an event: {what}")]
    Malformed {
        text: String,
        /// The error, and the correct notation.
        what: &'static str,
    },
    #[error(
        "`{letter}` in `{text}` is not for counting: perf's letters besides u, k and h choose guests or say how to \
         sample; give u (user), k (kernel), h (hypervisor) or none"
    )]
    Modifier {
        /// The event with its modifiers.
        text: String,
        letter: char,
    },
    #[error("`{name}` stands in two groups, but a run has one reading of it: name it in one group only")]
    Twice { name: String },
    /// The source before the event's name does not match the event.
    #[error("`{name}` is not an event of `{source_word}`: write `{right}:{name}`, or the name alone")]
    OtherSource {
        name: String,
        /// The source that was given.
        source_word: &'static str,
        /// The correct source.
        right: &'static str,
    },
    #[error("no device `{device}` in /sys/bus/event_source/devices{}", suggestion(.near))]
    NoDevice { device: String, near: Vec<String> },
    #[error(
        "`{device}` counts for the whole machine (its `cpumask` says so) and cannot follow a process: ask for an event \
         of the processor"
    )]
    SystemWide { device: String },
    /// A term that is neither a field nor an event of the device.
    #[error("device `{device}` has no `{term}`: its terms are {known}{}", suggestion(.near))]
    NoTerm {
        device: String,
        term: String,
        /// List of the device's terms.
        known: String,
        /// Similar terms and events.
        near: Vec<String>,
    },
    #[error("term `{term}` of device `{device}` needs a value: write `{term}=0x1`")]
    NoValue { device: String, term: String },
    #[error("{value:#x} is too large: term `{term}` of device `{device}` has {bits} bits")]
    TooLarge { device: String, term: String, value: u64, bits: u32 },
    /// An event of the vocabulary that the processor's device would have to name, but does not.
    #[error(
        "this processor names no event `{name}` in /sys/bus/event_source/devices/{device}/events: ask for another"
    )]
    NotNamed { name: String, device: String },
    #[error(
        "no tracepoint `{subsystem}:{event}` below {}: check the name, mount tracefs there (`mount -t tracefs nodev \
         {}`), and read it as root", .folder.display(), .folder.display()
    )]
    NoTracepoint { subsystem: String, event: String, folder: PathBuf },
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => ": check its spelling".to_owned(),
        near => format!(": did you mean `{}`?", near.join("`, `")),
    }
}
