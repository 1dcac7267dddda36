//! Parser of lists of events in perf's syntax: `cycles:u,{branches,branch-misses},cpu/event=0xc0/,sched:*`.

mod split;

use crate::asked::{Asked, Form, Modifiers, Term};
use crate::error::CounterError;
use crate::spelling::{self, is_letters, is_name, raw};
use crate::vocabulary::{self, EventSet, Source};
use split::{Piece, pieces, pop_prefix};

/// Maximum number of events in a list: more than any machine counts, and few enough to open them all.
pub const EVENTS_MAX: usize = 512;

/// Parses a list of events and sets, separated by commas, with groups in braces.
///
/// # Errors
/// Returns the error of the first invalid entry.
pub fn parse(text: &str) -> Result<Vec<Asked>, CounterError> {
    let mut list = List::default();
    for piece in pieces(text)? {
        match piece {
            Piece::Event(event) => list.add_text(event, None, Modifiers::NONE)?,
            Piece::Group { events, modifiers } => {
                let shared = letters(text, modifiers)?;
                let group = list.next_group();
                events.into_iter().try_for_each(|event| list.add_text(event, Some(group), shared))?;
            }
        }
    }
    if list.events.is_empty() { Err(CounterError::Empty) } else { Ok(list.events) }
}

/// The events parsed so far. Each event occurs once, since a run has one reading of it.
#[derive(Default)]
struct List {
    events: Vec<Asked>,
    groups: u16,
}

impl List {
    fn next_group(&mut self) -> u16 {
        self.groups += 1;
        self.groups - 1
    }

    fn add_text(&mut self, text: &str, group: Option<u16>, shared: Modifiers) -> Result<(), CounterError> {
        let (name, own) = match text.split_once(':') {
            Some((name, letters)) => (name, letters),
            None => (text, ""),
        };
        match vocabulary::find_set(name) {
            Some(set) => self.add_set(set, group, letters(text, own)?.and(shared)),
            None => self.add(event(text, group, shared)?),
        }
    }

    /// Adds the events of a set. The modifiers `all` apply only to hardware events: software events mostly happen in
    /// the kernel, so hardly any would be counted in user mode.
    fn add_set(&mut self, set: &EventSet, group: Option<u16>, all: Modifiers) -> Result<(), CounterError> {
        let group = if set.is_group && group.is_none() { Some(self.next_group()) } else { group };
        for word in set.events.iter().filter_map(|name| vocabulary::find(name)) {
            let modifiers = if word.source() == Source::Pmu { all } else { Modifiers::NONE };
            self.add(Asked { set: Some(set.name), ..Asked::new(Form::Word(word), modifiers, group) })?;
        }
        Ok(())
    }

    fn add(&mut self, event: Asked) -> Result<(), CounterError> {
        let earlier = self.events.iter().position(|other| other.name == event.name);
        if let Some(place) = earlier {
            // An event that is named explicitly counts as requested, even if a set contains it too.
            let own = &mut self.events[place];
            own.set = own.set.filter(|_| event.set.is_some());
            match (self.events[place].group, event.group) {
                (_, None) => return Ok(()),
                (old, new) if old == new => return Ok(()),
                (None, Some(_)) => drop(self.events.remove(place)),
                (Some(_), Some(_)) => return Err(CounterError::Twice { name: event.name }),
            }
        }
        if self.events.len() >= EVENTS_MAX {
            return Err(CounterError::TooMany { limit: EVENTS_MAX });
        }
        self.events.push(event);
        Ok(())
    }
}

/// Parses an event, which may have its source and a colon before it: `pmu:instructions`.
fn event(text: &str, group: Option<u16>, shared: Modifiers) -> Result<Asked, CounterError> {
    for source in Source::ALL {
        if let Some(rest) = pop_prefix(text, source.word()) {
            if let Some(traced) = named_tracepoint(source, rest) {
                let (form, own) = traced?;
                return Ok(Asked::new(form, letters(rest, own)?.and(shared), group));
            }
            let event = plain(rest, group, shared)?;
            let (source_word, right) = (source.word(), event.source.word());
            let is_right = event.source == source;
            return if is_right {
                Ok(event)
            } else {
                Err(CounterError::OtherSource { name: event.name, source_word, right })
            };
        }
    }
    plain(text, group, shared)
}

/// Parses the text after `tracepoint:`, where a tracepoint may have any name, even one that is an event or a set
/// elsewhere. `None` if `source` is another source, or if the text names no subsystem.
fn named_tracepoint(source: Source, text: &str) -> Option<Result<(Form, &str), CounterError>> {
    let (subsystem, rest) = text.split_once(':').filter(|_| source == Source::Tracepoint)?;
    is_name(subsystem).then(|| tracepoint(text, subsystem, rest))
}

fn plain(text: &str, group: Option<u16>, shared: Modifiers) -> Result<Asked, CounterError> {
    let (form, own) = form(text)?;
    Ok(Asked::new(form, letters(text, own)?.and(shared), group))
}

/// Parses the notation of an event; returns its form, and the text of its modifiers.
fn form(text: &str) -> Result<(Form, &str), CounterError> {
    if text.contains('/') {
        return device(text);
    }
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    if let Some(word) = vocabulary::find(name) {
        return Ok((Form::Word(word), rest));
    }
    if let Some(config) = raw(name) {
        return Ok((Form::Raw(config), rest));
    }
    if is_letters(rest) || !is_name(name) {
        return Err(CounterError::Unknown { near: vocabulary::near(name), name: name.to_owned() });
    }
    tracepoint(text, name, rest)
}

fn tracepoint<'t>(text: &str, subsystem: &str, rest: &'t str) -> Result<(Form, &'t str), CounterError> {
    let (event, letters) = rest.split_once(':').unwrap_or((rest, ""));
    if !is_name(event) {
        let what = "write one tracepoint as SUBSYSTEM:EVENT, in letters, digits, `_`, `-` and `.`";
        return Err(CounterError::Malformed { text: text.to_owned(), what });
    }
    Ok((Form::Tracepoint { subsystem: subsystem.to_owned(), event: event.to_owned() }, letters))
}

/// Parses `PMU/term=value,event/MODIFIERS`; like perf, accepts a colon before the modifiers.
fn device(text: &str) -> Result<(Form, &str), CounterError> {
    let malformed = |what| CounterError::Malformed { text: text.to_owned(), what };
    let mut parts = text.splitn(3, '/');
    let (device, terms, letters) = match (parts.next(), parts.next(), parts.next()) {
        (Some(device), Some(terms), Some(letters)) => (device, terms, letters),
        _ => return Err(malformed("close the terms with a second slash, as in cpu/event=0xc0/")),
    };
    if !is_name(device) {
        return Err(malformed("name the device before the first slash, as in cpu/event=0xc0/"));
    }
    let terms = terms.split(',').map(term).collect::<Option<Vec<Term>>>();
    let terms = terms.ok_or_else(|| {
        malformed(
            "write terms as NAME or NAME=NUMBER (decimal, or hexadecimal behind 0x), with commas between",
        )
    })?;
    let form = Form::Device { device: device.to_owned(), terms };
    Ok((form, letters.strip_prefix(':').unwrap_or(letters)))
}

fn term(text: &str) -> Option<Term> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(spelling::number(value)?)),
        None => (text, None),
    };
    is_name(name).then(|| Term { name: name.to_owned(), value })
}

fn letters(text: &str, letters: &str) -> Result<Modifiers, CounterError> {
    let mut modifiers = Modifiers::NONE;
    for letter in letters.chars() {
        let place = match letter {
            'u' => &mut modifiers.user,
            'k' => &mut modifiers.kernel,
            'h' => &mut modifiers.hypervisor,
            _ => return Err(CounterError::Modifier { text: text.to_owned(), letter }),
        };
        *place = true;
    }
    Ok(modifiers.and(Modifiers::NONE))
}

#[cfg(test)]
mod tests;
