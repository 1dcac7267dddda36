//! Events within one device: terms, named events, and generic events of a kind of cores.

use fauxplat_model::Unit;

use super::{DEVICE_SHIFT, Resolved, event, split, title};
use crate::asked::{Asked, Form, Term, name};
use crate::catalog::{Catalog, Device, Scale};
use crate::error::CounterError;
use crate::spelling::{number, raw};
use crate::vocabulary::{self, Code, SOFTWARE, Source, Word, nearest};

/// Names of the terms that set a whole `config` field; every device has them.
const FIELDS: [&str; 3] = ["config", "config1", "config2"];

impl Catalog {
    pub(super) fn within(
        &self,
        asked: &Asked,
        device: &str,
        terms: &[Term],
    ) -> Result<Resolved, CounterError> {
        let device = self.device(device)?;
        let form = Form::Device { device: device.name.clone(), terms: terms.to_vec() };
        let is_partial = device.is_core && self.cores().count() > 1;
        let coded = coded(device, terms, is_partial)?;
        let name = name(&form, asked.modifiers);
        let is_software = device.kind == SOFTWARE;
        Ok(Resolved {
            source: if is_software { Source::Software } else { Source::Pmu },
            title: coded.word.map_or(name.clone(), |word| {
                format!("{} on {}", title(word.title, asked.modifiers), device.name)
            }),
            unit: coded.word.map_or(Unit::Count, |word| word.unit),
            event: event(coded.kind, coded.config, asked.modifiers),
            group: split(asked.group, 0),
            device: (!is_software).then(|| device.name.clone()),
            is_partial,
            scale: coded.scale,
            name,
        })
    }

    fn device(&self, name: &str) -> Result<&Device, CounterError> {
        let near = || nearest(name, self.devices.keys().map(String::as_str));
        let device = self.devices.get(name);
        let device =
            device.ok_or_else(|| CounterError::NoDevice { device: name.to_owned(), near: near() })?;
        if device.is_system_wide {
            return Err(CounterError::SystemWide { device: name.to_owned() });
        }
        Ok(device)
    }
}

struct Coded {
    kind: u32,
    config: [u64; 3],
    scale: Option<Scale>,
    /// The generic event that the terms name, if any.
    word: Option<&'static Word>,
}

fn coded(device: &Device, terms: &[Term], is_partial: bool) -> Result<Coded, CounterError> {
    if let [Term { name, value: None }] = terms
        && !device.events.contains_key(name)
        && !device.formats.contains_key(name)
        && let Some(coded) = generic(device, name, is_partial)
    {
        return Ok(coded);
    }
    let mut coded = Coded { kind: device.kind, config: [0; 3], scale: None, word: None };
    terms.iter().try_for_each(|term| coded.add(device, term, terms))?;
    Ok(coded)
}

/// Encodes a generic event of one kind of cores, or a raw event; `None` if the name is neither. The device is encoded
/// in `config` only if there are several kinds: kernels before 5.13 do not accept these bits.
fn generic(device: &Device, name: &str, is_partial: bool) -> Option<Coded> {
    if let Some(config) = raw(name) {
        return Some(Coded { kind: device.kind, config: [config, 0, 0], scale: None, word: None });
    }
    let word = vocabulary::find(name)?;
    match word.code {
        Code::Generic { kind: SOFTWARE, config } if device.kind == SOFTWARE => {
            Some(Coded { kind: SOFTWARE, config: [config, 0, 0], scale: None, word: Some(word) })
        }
        Code::Generic { kind, config } if kind != SOFTWARE && device.is_core => {
            let kind_of_cores = if is_partial { u64::from(device.kind) << DEVICE_SHIFT } else { 0 };
            let config = config | kind_of_cores;
            Some(Coded { kind, config: [config, 0, 0], scale: None, word: Some(word) })
        }
        _ => None,
    }
}

impl Coded {
    fn add(&mut self, device: &Device, term: &Term, all: &[Term]) -> Result<(), CounterError> {
        let named = device.events.get(&term.name).filter(|_| term.value.is_none());
        let Some(named) = named else { return self.set(device, &term.name, term.value.unwrap_or(1)) };
        self.scale = named.scale.clone().or(self.scale.take());
        for part in named.terms.split(',') {
            let (name, value) = part.split_once('=').unwrap_or((part, "1"));
            // A term `name=?` needs a value from the user, who may replace the values of other terms too.
            if all.iter().any(|own| own.name == name && own.value.is_some()) {
                continue;
            }
            let missing = || CounterError::NoValue { device: device.name.clone(), term: name.to_owned() };
            self.set(device, name, number(value).ok_or_else(missing)?)?;
        }
        Ok(())
    }

    fn set(&mut self, device: &Device, term: &str, value: u64) -> Result<(), CounterError> {
        if let Some(format) = device.formats.get(term) {
            let too_large = || CounterError::TooLarge {
                device: device.name.clone(),
                term: term.to_owned(),
                value,
                bits: format.bits(),
            };
            return if format.set(&mut self.config, value) { Ok(()) } else { Err(too_large()) };
        }
        let field = FIELDS.iter().position(|field| *field == term).ok_or_else(|| unknown(device, term))?;
        self.config[field] = value;
        Ok(())
    }
}

fn unknown(device: &Device, term: &str) -> CounterError {
    let formats: Vec<&str> = device.formats.keys().map(String::as_str).chain(FIELDS).collect();
    let events = device.events.keys().map(String::as_str);
    let near = nearest(term, formats.iter().copied().chain(events));
    CounterError::NoTerm {
        device: device.name.clone(),
        term: term.to_owned(),
        known: formats.join(", "),
        near,
    }
}
