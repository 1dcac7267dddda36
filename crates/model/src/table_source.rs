//! Counters that a program publishes, and that give the metric `rate` of a run.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Counters in a live table (a file of integers by object and key) that the measured program, or another one beside it,
/// publishes: `NAME=FILE`, `NAME=FILE:OBJECT` or `NAME=FILE:OBJECT.KEY`, where `*` stands for every object or key.
/// Several counters are added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSource {
    /// Name of the counted things in reports, in the plural (`requests`).
    pub name: String,
    pub file: PathBuf,
    /// Number of the object; `None` selects every object.
    pub object: Option<u64>,
    /// Number of the key; `None` selects every key.
    pub key: Option<u64>,
}

crate::text::as_text!(TableSource);

impl fmt::Display for TableSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: Option<u64>| number.map_or("*".to_owned(), |number| number.to_string());
        write!(f, "{}={}", self.name, self.file.display())?;
        match (self.object, self.key) {
            // If the path itself ends like a selection, a selection has to follow, or the end of the path would be
            // parsed as the selection.
            (None, None) if selection(&self.file.to_string_lossy()).is_none() => Ok(()),
            (object, None) => write!(f, ":{}", number(object)),
            (object, key) => write!(f, ":{}.{}", number(object), number(key)),
        }
    }
}

impl FromStr for TableSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || format!("`{text}` is not a table: NAME=FILE, NAME=FILE:OBJECT or NAME=FILE:OBJECT.KEY");
        let (name, place) = text.split_once('=').ok_or_else(fail)?;
        let (file, (object, key)) = selection(place).unwrap_or((place, (None, None)));
        if name.is_empty() || file.is_empty() {
            return Err(fail());
        }
        Ok(TableSource { name: name.to_owned(), file: file.into(), object, key })
    }
}

/// Object and key of a selection; `None` selects every object or key.
type Pair = (Option<u64>, Option<u64>);

/// Splits `FILE:OBJECT` or `FILE:OBJECT.KEY` into the file and the selection; `None` if the text ends otherwise. A
/// colon may also belong to the file.
fn selection(place: &str) -> Option<(&str, Pair)> {
    let (file, tail) = place.rsplit_once(':')?;
    let (object, key) = match tail.split_once('.') {
        Some((object, key)) => (object, number(key)?),
        None => (tail, None),
    };
    Some((file, (number(object)?, key)))
}

/// Parses a number, or `*` as `Some(None)`, which selects every object or key; `None` for other text.
fn number(text: &str) -> Option<Option<u64>> {
    match text {
        "*" => Some(None),
        digits => digits.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_what_they_print() {
        for text in ["a=/x", "a=/x:7", "a=/x:7.0", "a=/x:*.3", "a=/x:y", "a=/x=:z:1", "a=/x:1:*"] {
            assert_eq!(text.parse::<TableSource>().unwrap().to_string(), text);
        }
        let source: TableSource = "requests=/dev/shm/a:b:18446744073709551615.2".parse().unwrap();
        assert_eq!(
            (source.file.to_str(), source.object, source.key),
            (Some("/dev/shm/a:b"), Some(u64::MAX), Some(2))
        );
        assert_eq!("a=/x:*.*".parse::<TableSource>().unwrap().to_string(), "a=/x");
        for bad in ["", "a", "=/x", "a=", "a=:1"] {
            assert!(bad.parse::<TableSource>().is_err(), "{bad}");
        }
    }
}
