//! Requested events.

use std::fmt;

use crate::spelling::is_clear_tracepoint;
use crate::vocabulary::{Source, Word};

/// Modes in which events are counted; all three are if none was named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// `u`: user mode.
    pub user: bool,
    /// `k`: the kernel.
    pub kernel: bool,
    /// `h`: a hypervisor.
    pub hypervisor: bool,
}

impl Modifiers {
    /// No modes named.
    pub const NONE: Modifiers = Modifiers { user: false, kernel: false, hypervisor: false };

    /// Whether all modes are counted.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The modes of both; all three are the same as none.
    pub(crate) fn and(self, other: Modifiers) -> Modifiers {
        let both = Modifiers {
            user: self.user || other.user,
            kernel: self.kernel || other.kernel,
            hypervisor: self.hypervisor || other.hypervisor,
        };
        if both.user && both.kernel && both.hypervisor { Self::NONE } else { both }
    }
}

impl fmt::Display for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = [(self.user, "u"), (self.kernel, "k"), (self.hypervisor, "h")];
        letters.into_iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, letter)| f.write_str(letter))
    }
}

/// A term between the slashes of a device's event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// A field of the device's format, or an event that it names.
    pub name: String,
    /// The value of a field; `None` is 1.
    pub value: Option<u64>,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "{}={value:#x}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Notation of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// By a word of the vocabulary.
    Word(&'static Word),
    /// By the number in the processor's manual: `r1a8`.
    Raw(u64),
    /// By a device and its terms: `cpu/event=0xc0,umask=1/`.
    Device {
        /// The device.
        device: String,
        /// The terms between the slashes.
        terms: Vec<Term>,
    },
    /// By a tracepoint: `sched:sched_switch`.
    Tracepoint {
        /// Subsystem of the tracepoint.
        subsystem: String,
        /// Name of the tracepoint.
        event: String,
    },
}

/// A requested event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Canonical name, whatever the spelling: `instructions:u`. The name of the metric.
    pub name: String,
    /// Origin of the count.
    pub source: Source,
    /// Notation of the event.
    pub form: Form,
    /// Modes in which the event is counted.
    pub modifiers: Modifiers,
    /// Number of the group; events of one group are counted at the same time, or not at all.
    pub group: Option<u16>,
    /// The set that contains the event; `None` if the event was named itself.
    pub set: Option<&'static str>,
}

impl Asked {
    /// Creates the request for an event.
    pub(crate) fn new(form: Form, modifiers: Modifiers, group: Option<u16>) -> Asked {
        Asked { name: name(&form, modifiers), source: source(&form), form, modifiers, group, set: None }
    }
}

fn source(form: &Form) -> Source {
    match form {
        Form::Word(word) => word.source(),
        Form::Device { device, .. } if device == "software" => Source::Software,
        Form::Raw(_) | Form::Device { .. } => Source::Pmu,
        Form::Tracepoint { .. } => Source::Tracepoint,
    }
}

/// The canonical name of an event.
pub(crate) fn name(form: &Form, modifiers: Modifiers) -> String {
    let plain = match form {
        Form::Word(word) => word.name.to_owned(),
        Form::Raw(config) => format!("r{config:x}"),
        Form::Device { device, terms } => {
            let terms: Vec<String> = terms.iter().map(Term::to_string).collect();
            // The second slash ends the terms, so that modifiers need no colon.
            return format!("{device}/{}/{modifiers}", terms.join(","));
        }
        Form::Tracepoint { subsystem, event } if is_clear_tracepoint(subsystem, event) => {
            format!("{subsystem}:{event}")
        }
        Form::Tracepoint { subsystem, event } => format!("{}:{subsystem}:{event}", Source::Tracepoint.word()),
    };
    if modifiers.is_none() { plain } else { format!("{plain}:{modifiers}") }
}

/// The list that requests these events: `{cycles,instructions},page-faults`.
pub fn list(events: &[Asked]) -> String {
    let mut text = String::new();
    for run in events.chunk_by(|a, b| a.group.is_some() && a.group == b.group) {
        let names: Vec<&str> = run.iter().map(|event| event.name.as_str()).collect();
        let comma = if text.is_empty() { "" } else { "," };
        let (open, close) = if run[0].group.is_some() { ("{", "}") } else { ("", "") };
        text += &format!("{comma}{open}{}{close}", names.join(","));
    }
    text
}
