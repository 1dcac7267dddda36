//! Events as a user requests them: notation, modes, and groups.

use std::fmt;

use crate::spelling::is_clear_tracepoint;
use crate::vocabulary::{Source, Word};

/// Modes in which events are counted, as letters after the event's name. If no mode is named, all three are counted.
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
    pub const NONE: Modifiers = Modifiers { user: false, kernel: false, hypervisor: false };

    /// Returns whether no mode is named, so that all modes are counted.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Unites two sets of modes. All three modes become [`Modifiers::NONE`], with which all modes are counted as well.
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
    /// A field of the device's format, or the name of one of its events.
    pub name: String,
    /// The value of a field; `None` means 1.
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

/// A requested event, by the notation of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// An event that fauxplat knows by name.
    Word(&'static Word),
    /// An event by its number in the processor's manual: `r1a8`.
    Raw(u64),
    /// A device and its terms: `cpu/event=0xc0,umask=1/`.
    Device {
        device: String,
        /// The terms between the slashes.
        terms: Vec<Term>,
    },
    /// A tracepoint: `sched:sched_switch`.
    Tracepoint { subsystem: String, event: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Canonical name, independent of the notation of the request, such as `instructions:u`; also the name of the
    /// metric.
    pub name: String,
    pub source: Source,
    pub form: Form,
    pub modifiers: Modifiers,
    /// Number of the group, made by braces or by a set of events; the events of one group are counted at the same time,
    /// or not at all. `None` for an event outside of groups.
    pub group: Option<u16>,
    /// Name of the set of events through which the event was requested; `None` if the event itself was named.
    pub set: Option<&'static str>,
}

impl Asked {
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

pub(crate) fn name(form: &Form, modifiers: Modifiers) -> String {
    let plain = match form {
        Form::Word(word) => word.name.to_owned(),
        Form::Raw(config) => format!("r{config:x}"),
        Form::Device { device, terms } => {
            let terms: Vec<String> = terms.iter().map(Term::to_string).collect();
            // The second slash ends the terms, so modifiers need no colon.
            return format!("{device}/{}/{modifiers}", terms.join(","));
        }
        Form::Tracepoint { subsystem, event } if is_clear_tracepoint(subsystem, event) => {
            format!("{subsystem}:{event}")
        }
        Form::Tracepoint { subsystem, event } => format!("{}:{subsystem}:{event}", Source::Tracepoint.word()),
    };
    if modifiers.is_none() { plain } else { format!("{plain}:{modifiers}") }
}

/// Returns the list that requests these events: `{cycles,instructions},page-faults`.
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
