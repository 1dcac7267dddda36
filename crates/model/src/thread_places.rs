//! CPUs for the threads of a program, in the order in which the threads are created.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Cpu, CpuSet};

use crate::Relation;

/// CPUs for the threads of a program, in the order in which the threads are created: `2,14`, `0-3`, or relations such
/// as `2,sibling-of:2`. With more threads than CPUs, the list starts again at its first CPU; with `once:` before the
/// list, further threads are not placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPlaces {
    pub places: Vec<ThreadPlace>,
    pub once: bool,
}

/// An element of the list of CPUs for threads: one CPU, or several by relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadPlace {
    Cpu(Cpu),
    /// CPUs by relation, the lowest first. When an experiment begins, the relation is resolved on the machine and
    /// replaced by [`ThreadPlace::Cpu`] elements.
    Related(Relation),
}

/// Greatest length of the list. The table of programs contains the list for each command, and longer lists have no
/// practical use.
const CPUS_MAX: usize = 4096;

impl ThreadPlaces {
    /// The CPUs of the list; `None` while the list contains an unresolved relation.
    pub fn cpus(&self) -> Option<Vec<Cpu>> {
        let cpu = |place: &ThreadPlace| match place {
            ThreadPlace::Cpu(cpu) => Some(*cpu),
            ThreadPlace::Related(_) => None,
        };
        self.places.iter().map(cpu).collect()
    }

    fn of(text: &str) -> Result<Vec<ThreadPlace>, String> {
        let mut places = Vec::new();
        for item in items(text) {
            match item.parse::<CpuSet>() {
                Ok(cpus) if cpus.is_empty() => return Err(format!("`{text}`: a place in the list is empty")),
                Ok(cpus) => places.extend(cpus.iter().map(ThreadPlace::Cpu)),
                Err(_) => places.push(ThreadPlace::Related(item.parse()?)),
            }
        }
        match places.len() {
            0..=CPUS_MAX => Ok(places),
            many => Err(format!("`{text}`: {many} CPUs for threads are too many: {CPUS_MAX} at most")),
        }
    }
}

/// The items of a list that are separated by commas. A comma within parentheses is part of an item.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut items) = (0usize, 0, Vec::new());
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[from..].trim());
    items
}

impl fmt::Display for ThreadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThreadPlace::Cpu(cpu) => cpu.fmt(f),
            ThreadPlace::Related(relation) => match relation.to_string() {
                text if text.contains(',') => write!(f, "({text})"),
                text => f.write_str(&text),
            },
        }
    }
}

impl fmt::Display for ThreadPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.once { "once:" } else { "" })?;
        for (at, place) in self.places.iter().enumerate() {
            write!(f, "{}{place}", if at > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for ThreadPlaces {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (once, list) = match text.strip_prefix("once:") {
            Some(list) => (true, list),
            None => (false, text),
        };
        Ok(ThreadPlaces { places: ThreadPlaces::of(list)?, once })
    }
}

crate::text::as_text!(ThreadPlaces);

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> ThreadPlaces {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_order_of_a_list_is_kept() {
        let numbers = |text: &str| places(text).cpus().unwrap().iter().map(|cpu| cpu.0).collect::<Vec<_>>();
        assert_eq!(numbers("14,2"), [14, 2]);
        assert_eq!(numbers("4-6, 0, 0"), [4, 5, 6, 0, 0]);
        assert!(places("once:1").once && !places("1").once);
    }

    #[test]
    fn lists_read_what_they_print() {
        for text in [
            "2,14",
            "once:0,0,1",
            "2,sibling-of:2",
            "one-per-core&node:0",
            "once:(node:0,2),1",
            "(0,2|isolated)",
        ] {
            assert_eq!(places(&places(text).to_string()), places(text), "{text}");
        }
        assert_eq!(places("4-6").to_string(), "4,5,6");
        assert_eq!(places("2,sibling-of:2").cpus(), None, "the machine was not asked yet");
        assert_eq!(places("(node:0,2),1").places.len(), 2, "a comma in brackets is the relation's");
    }

    #[test]
    fn what_names_no_cpu_is_refused() {
        for bad in ["", "once:", "2,", ",2", "2,,3", "x", "2,sibling-of", "0-99999", "3-1"] {
            let said = bad.parse::<ThreadPlaces>().unwrap_err();
            assert!(!said.is_empty() && !said.contains('\n'), "{bad}: {said}");
        }
    }
}
