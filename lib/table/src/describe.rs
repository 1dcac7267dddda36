//! The description of a table's keys: names, kinds, units and help, in an area of the file after its header.
//!
//! Each key is a line of fields separated by tabs, so that a person can read it with a pager as well. The creator
//! writes the description once, before the table has a name; the header contains its length and its checksum.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::layout::{MOST_DESCRIPTION_BYTES, Shape};

/// How the values of a key behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The value only rises, until its publisher starts again: its rate has a meaning.
    Counter,
    /// The value rises and falls.
    Gauge,
}

/// The description of a key, written into the table by its creator; see [`crate::Options::describe`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// Number of the key.
    pub number: u64,
    /// Name of the key, for tables that people read and for metrics; never empty, and unique in a table.
    pub name: String,
    /// How the values of the key behave.
    pub kind: Kind,
    /// The unit of the values, such as `bytes`; may be empty.
    pub unit: String,
    /// A few words that say what the key counts; may be empty.
    pub help: String,
}

impl Kind {
    /// Returns the word for the kind in the file and in metrics: `counter` or `gauge`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Counter, Self::Gauge].into_iter().find(|kind| kind.name() == name)
    }
}

impl Key {
    /// Describes a key whose values only rise.
    #[must_use]
    pub fn counter(number: u64, name: impl Into<String>) -> Self {
        Self { number, name: name.into(), kind: Kind::Counter, unit: String::new(), help: String::new() }
    }

    /// Describes a key whose values rise and fall.
    #[must_use]
    pub fn gauge(number: u64, name: impl Into<String>) -> Self {
        Self { kind: Kind::Gauge, ..Self::counter(number, name) }
    }

    /// Sets the unit of the values.
    #[must_use]
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Self { unit: unit.into(), ..self }
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (number, kind) = (fields.next()?.parse().ok()?, Kind::from_name(fields.next()?)?);
        let (name, unit, help) = (fields.next()?.into(), fields.next()?.into(), fields.next()?.into());
        fields.next().is_none().then_some(Self { number, name, kind, unit, help })
    }
}

/// Returns the first rule that the descriptions break, if any.
fn fault(keys: &[Key], shape: &Shape) -> Option<&'static str> {
    let (mut names, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for key in keys {
        let has_control = |text: &str| text.chars().any(char::is_control);
        if key.name.is_empty() {
            return Some("a key is described without a name");
        }
        if [&key.name, &key.unit, &key.help].into_iter().any(|text| has_control(text)) {
            return Some("the description of a key has a control character");
        }
        if !names.insert(&key.name) || !numbers.insert(key.number) {
            return Some("two descriptions have the same key or the same name");
        }
        if key.number >= u64::from(shape.dense_keys.max(1)) && shape.max_sparse_keys == 0 {
            return Some("a key is described that the table has no column for");
        }
    }
    None
}

/// Encodes the descriptions for the file.
pub(crate) fn encode(keys: &[Key], shape: &Shape) -> Result<Vec<u8>, Error> {
    if let Some(what) = fault(keys, shape) {
        return Err(Error::Shape { what });
    }
    let line = |key: &Key| {
        format!("{}\t{}\t{}\t{}\t{}\n", key.number, key.kind.name(), key.name, key.unit, key.help)
    };
    let bytes = keys.iter().map(line).collect::<String>().into_bytes();
    if bytes.len() > MOST_DESCRIPTION_BYTES as usize {
        return Err(Error::Shape { what: "the description of its keys has more than a mebibyte" });
    }
    Ok(bytes)
}

/// Decodes the descriptions in a file, or returns the first error in them.
pub(crate) fn decode(bytes: &[u8], shape: &Shape) -> Result<Vec<Key>, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the description of its keys is no text")?;
    let keys: Option<Vec<Key>> = text.split_terminator('\n').map(Key::from_line).collect();
    let keys = keys.ok_or("a line of the description of its keys cannot be read")?;
    fault(&keys, shape).map_or(Ok(keys), Err)
}
