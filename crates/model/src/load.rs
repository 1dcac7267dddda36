//! Specifications of loads (background work): kind, intensity, CPUs.

use std::fmt;
use std::str::FromStr;

use crate::Relation;

/// The kinds of load, by the resource that is used: of a CPU, or of a unit that the CPU shares with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoadKind {
    /// Every integer port in every cycle.
    Integer,
    /// Floating-point units, with doubles.
    Float,
    /// Branches that cannot be predicted.
    Branch,
    /// All lines of the first-level data cache, written again and again.
    L1,
    /// All lines of the second-level data cache, written again and again.
    L2,
    /// The last-level cache, filled with lines that no other program uses.
    Llc,
    /// Bandwidth of main memory.
    Memory,
    /// Address translation: a page walk for nearly every access.
    Tlb,
    /// Minor page faults.
    Faults,
    /// Creation and exit of processes.
    Forks,
    /// Context switches between two threads on one CPU that wake each other.
    Switches,
    /// Timer interrupts with signals, and packets over the loopback device, which cause softirqs.
    Timers,
    /// Files that are written and forced to their device.
    Files,
    /// Integer work at real-time priority, with a watchdog that frees the CPU.
    RealTime,
}

impl LoadKind {
    pub const ALL: [LoadKind; 14] = [
        LoadKind::Integer,
        LoadKind::Float,
        LoadKind::Branch,
        LoadKind::L1,
        LoadKind::L2,
        LoadKind::Llc,
        LoadKind::Memory,
        LoadKind::Tlb,
        LoadKind::Faults,
        LoadKind::Forks,
        LoadKind::Switches,
        LoadKind::Timers,
        LoadKind::Files,
        LoadKind::RealTime,
    ];

    pub fn name(self) -> &'static str {
        match self {
            LoadKind::Integer => "integer",
            LoadKind::Float => "float",
            LoadKind::Branch => "branch",
            LoadKind::L1 => "l1",
            LoadKind::L2 => "l2",
            LoadKind::Llc => "llc",
            LoadKind::Memory => "memory",
            LoadKind::Tlb => "tlb",
            LoadKind::Faults => "faults",
            LoadKind::Forks => "forks",
            LoadKind::Switches => "switches",
            LoadKind::Timers => "timers",
            LoadKind::Files => "files",
            LoadKind::RealTime => "realtime",
        }
    }

    /// Name of the operations that a load of this kind counts, in the plural.
    pub fn operation(self) -> &'static str {
        match self {
            LoadKind::L1 | LoadKind::L2 | LoadKind::Llc | LoadKind::Memory => "lines",
            LoadKind::Tlb => "pages",
            LoadKind::Faults => "faults",
            LoadKind::Forks => "processes",
            LoadKind::Switches => "switches",
            LoadKind::Timers => "interrupts",
            LoadKind::Files => "blocks of 1 MiB",
            LoadKind::Integer | LoadKind::Float | LoadKind::Branch | LoadKind::RealTime => "units",
        }
    }
}

impl fmt::Display for LoadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for LoadKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        LoadKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names: Vec<&str> = LoadKind::ALL.iter().map(|kind| kind.name()).collect();
            format!("there is no load `{text}`; there are {}", names.join(", "))
        })
    }
}

/// A load in the form `KIND[:INTENSITY][@CPUS]`, such as `llc`, `integer:30%@1`, `memory@sibling-of:0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSpec {
    pub kind: LoadKind,
    /// Share of the time in which the load works, 1 to 100 per cent.
    pub percent: u8,
    /// CPUs by relation; a process that makes the load runs on each of them.
    pub cpus: Relation,
}

impl fmt::Display for LoadSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        if self.percent != 100 {
            write!(f, ":{}%", self.percent)?;
        }
        match &self.cpus {
            Relation::All => Ok(()),
            cpus => write!(f, "@{cpus}"),
        }
    }
}

impl FromStr for LoadSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (load, cpus) = match text.split_once('@') {
            Some((load, cpus)) => (load, cpus.parse().map_err(|error: String| format!("`{text}`: {error}"))?),
            None => (text, Relation::All),
        };
        let (kind, percent) = match load.split_once(':') {
            Some((kind, intensity)) => (kind, percent(text, intensity)?),
            None => (load, 100),
        };
        Ok(LoadSpec { kind: kind.parse()?, percent, cpus })
    }
}

fn percent(text: &str, intensity: &str) -> Result<u8, String> {
    let digits = intensity.strip_suffix('%').unwrap_or(intensity);
    digits.parse().ok().filter(|percent| (1..=100).contains(percent)).ok_or_else(|| {
        format!("`{text}`: the intensity `{intensity}` is not a whole number of per cent from 1 to 100, such as 30%")
    })
}

crate::text::as_text!(LoadKind, LoadSpec);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_read_what_they_print() {
        for kind in LoadKind::ALL {
            assert_eq!(kind.to_string().parse::<LoadKind>().unwrap(), kind);
        }
        for text in
            ["llc", "integer:30%@1", "memory@sibling-of:0", "realtime:5%@0-3,8", "l1@one-per-core&!isolated"]
        {
            assert_eq!(text.parse::<LoadSpec>().unwrap().to_string(), text);
        }
        let spec: LoadSpec = "float:50@all".parse().unwrap();
        assert_eq!(spec, LoadSpec { kind: LoadKind::Float, percent: 50, cpus: Relation::All });
    }

    #[test]
    fn mistakes_name_the_place_and_the_cure() {
        let complaint = |text: &str| text.parse::<LoadSpec>().unwrap_err();
        for text in ["integer:0", "integer:101%", "integer:-1", "integer:", "integer:half", "integer:1.5%"] {
            assert!(complaint(text).contains("from 1 to 100"), "{text}: {}", complaint(text));
        }
        assert!(complaint("l4").contains("there are integer, float"), "{}", complaint("l4"));
        assert!(complaint("").contains("there is no load"));
        assert!(complaint("l1@x").contains("`l1@x`"), "{}", complaint("l1@x"));
        assert!(!complaint("l1@").is_empty());
    }
}
