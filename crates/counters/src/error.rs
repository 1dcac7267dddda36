//! What can be wrong with events that somebody asks for.

use std::path::PathBuf;

/// Why an event cannot be counted as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CounterError {
    /// Nothing was asked for.
    #[error(
        "the list of events is empty: name some, such as `cycles,instructions`, or a set such as `default`"
    )]
    Empty,
    /// More was asked for than anybody needs.
    #[error("the list has more than {limit} events: ask for fewer")]
    TooMany {
        /// The most there may be.
        limit: usize,
    },
    /// A name that nobody knows.
    #[error("`{name}` is no event{}", suggestion(.near))]
    Unknown {
        /// The name.
        name: String,
        /// Names that may be meant.
        near: Vec<String>,
    },
    /// A text that is not of any form that events have.
    #[error("`{text}` is not an event: {what}")]
    Malformed {
        /// The text.
        text: String,
        /// What is wrong with it, and how it is written.
        what: &'static str,
    },
    /// A modifier that says how to sample, or whom in a guest.
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
    /// The same event in two groups.
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
        /// What stood before it.
        source_word: &'static str,
        /// What should stand there.
        right: &'static str,
    },
    /// A device that is not there.
    #[error("no device `{device}` in /sys/bus/event_source/devices{}", suggestion(.near))]
    NoDevice {
        /// The device.
        device: String,
        /// Devices that may be meant.
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
        /// What it has, as a list of words.
        known: String,
        /// Terms and events that may be meant.
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
        /// How many bits it has.
        bits: u32,
    },
    /// An event of the vocabulary that a processor would have to name itself, and does not.
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
        /// Its subsystem.
        subsystem: String,
        /// Its name.
        event: String,
        /// Where tracepoints are looked for.
        folder: PathBuf,
    },
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => ": check its spelling".to_owned(),
        near => format!(": did you mean `{}`?", near.join("`, `")),
    }
}
