//! Errors in requested events.

use std::path::PathBuf;

/// Reason why an event cannot be counted as requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CounterError {
    /// The list is empty.
    #[error(
        "the list of events is empty: name some, such as `cycles,instructions`, or a set such as `default`"
    )]
    Empty,
    /// The list exceeds the greatest number of events.
    #[error("the list has more than {limit} events: ask for fewer")]
    TooMany {
        /// Greatest number of events.
        limit: usize,
    },
    /// An unknown name.
    #[error("`{name}` is no event{}", suggestion(.near))]
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// A text that has none of the forms of events.
    #[error("`{text}` is not an event: {what}")]
    Malformed {
        /// The text.
        text: String,
        /// The error, and the correct form.
        what: &'static str,
    },
    /// A modifier for sampling or for guests.
    #[error(
        "`{letter}` in `{text}` is not for counting: perf's letters besides u, k and h choose guests or say how to \
         sample; give u (user), k (kernel), h (hypervisor) or none"
    )]
    Modifier {
        /// The event with its modifiers.
        text: String,
        /// The modifier.
        letter: char,
    },
    /// An event in two groups.
    #[error("`{name}` stands in two groups, and one run has one reading of it: leave it out of one of them")]
    Twice {
        /// The event.
        name: String,
    },
    /// A source in front of an event of another.
    #[error("`{name}` is not an event of `{source_word}`: write `{right}:{name}`, or the name alone")]
    OtherSource {
        /// The event.
        name: String,
        /// The source that was given.
        source_word: &'static str,
        /// The right source.
        right: &'static str,
    },
    /// A device that does not exist.
    #[error("no device `{device}` in /sys/bus/event_source/devices{}", suggestion(.near))]
    NoDevice {
        /// The device.
        device: String,
        /// Similar names of devices.
        near: Vec<String>,
    },
    /// A device that counts for CPUs and not for processes.
    #[error(
        "`{device}` counts for the whole machine (its `cpumask` says so) and cannot follow a process: ask for an event \
         of the processor"
    )]
    SystemWide {
        /// The device.
        device: String,
    },
    /// A term that a device does not have.
    #[error("device `{device}` has no `{term}`: its terms are {known}{}", suggestion(.near))]
    NoTerm {
        /// The device.
        device: String,
        /// The term.
        term: String,
        /// List of the device's terms.
        known: String,
        /// Similar terms and events.
        near: Vec<String>,
    },
    /// A term without the value that it needs.
    #[error("term `{term}` of device `{device}` needs a value: write `{term}=0x1`")]
    NoValue {
        /// The device.
        device: String,
        /// The term.
        term: String,
    },
    /// A value that does not fit into the bits of its term.
    #[error("{value:#x} is too large for `{term}` of device `{device}`, which has {bits} bits")]
    TooLarge {
        /// The device.
        device: String,
        /// The term.
        term: String,
        /// The value.
        value: u64,
        /// Number of bits of the term.
        bits: u32,
    },
    /// An event of the vocabulary that the processor's device would have to name, and does not.
    #[error(
        "this processor names no event `{name}` in /sys/bus/event_source/devices/{device}/events: ask for another"
    )]
    NotNamed {
        /// The event.
        name: String,
        /// The processor's device.
        device: String,
    },
    /// A tracepoint that cannot be read.
    #[error(
        "no tracepoint `{subsystem}:{event}` below {}: check the name, mount tracefs there (`mount -t tracefs nodev \
         {}`), and read it as root", .folder.display(), .folder.display()
    )]
    NoTracepoint {
        /// Subsystem of the tracepoint.
        subsystem: String,
        /// Name of the tracepoint.
        event: String,
        /// Directory of the tracepoints.
        folder: PathBuf,
    },
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => ": check its spelling".to_owned(),
        near => format!(": did you mean `{}`?", near.join("`, `")),
    }
}
