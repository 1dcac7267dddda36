//! Names of events: fauxplat's names, and perf's spellings.

use fauxplat_model::Unit;

/// `PERF_TYPE_HARDWARE`, see `perf_event_open(2)`.
pub(crate) const HARDWARE: u32 = 0;
/// `PERF_TYPE_SOFTWARE`.
pub(crate) const SOFTWARE: u32 = 1;
/// `PERF_TYPE_TRACEPOINT`.
pub(crate) const TRACEPOINT: u32 = 2;
/// `PERF_TYPE_HW_CACHE`.
pub(crate) const CACHE: u32 = 3;
/// `PERF_TYPE_RAW`.
pub(crate) const RAW: u32 = 4;

/// Origin of the count of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The performance monitoring unit of a processor, or a similar device: the number of counters is limited.
    Pmu,
    /// The kernel, in software: the number of counters is not limited.
    Software,
    Tracepoint,
}

impl Source {
    pub const ALL: [Source; 3] = [Source::Pmu, Source::Software, Source::Tracepoint];

    /// Returns the word for this source, which stands before the first colon in the id of a metric.
    pub const fn word(self) -> &'static str {
        match self {
            Source::Pmu => "pmu",
            Source::Software => "software",
            Source::Tracepoint => "tracepoint",
        }
    }
}

/// Encoding of an event of the vocabulary for the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A generic type and number, which the kernel translates to the event's code on the present processor.
    Generic {
        /// The field `type` of `perf_event_open(2)`.
        kind: u32,
        /// The field `config` of `perf_event_open(2)`.
        config: u64,
    },
    /// The name of a file in the directory `events` of the processor's device.
    Named,
}

/// An event that fauxplat knows by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// Name of the event in fauxplat.
    pub name: &'static str,
    /// Other accepted names, of perf and in common use.
    pub aliases: &'static [&'static str],
    /// Name in reports.
    pub title: &'static str,
    pub code: Code,
    pub unit: Unit,
}

impl Word {
    pub fn source(&self) -> Source {
        match self.code {
            Code::Generic { kind: SOFTWARE, .. } => Source::Software,
            Code::Generic { .. } | Code::Named => Source::Pmu,
        }
    }

    fn is(&self, name: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|own| own.eq_ignore_ascii_case(name))
    }
}

type Aliases = &'static [&'static str];

const fn generic(name: &'static str, aliases: Aliases, title: &'static str, kind: u32, config: u64) -> Word {
    Word { name, aliases, title, code: Code::Generic { kind, config }, unit: Unit::Count }
}

const fn hardware(name: &'static str, aliases: Aliases, title: &'static str, config: u64) -> Word {
    generic(name, aliases, title, HARDWARE, config)
}

const fn software(name: &'static str, aliases: Aliases, title: &'static str, config: u64) -> Word {
    generic(name, aliases, title, SOFTWARE, config)
}

const fn clock(name: &'static str, title: &'static str, config: u64) -> Word {
    Word { unit: Unit::Nanos, ..software(name, &[], title, config) }
}

const fn named(name: &'static str, title: &'static str) -> Word {
    Word { name, aliases: &[], title, code: Code::Named, unit: Unit::Count }
}

/// Caches, operations and results of `PERF_TYPE_HW_CACHE`, by the numbers of `perf_event_open(2)`.
const L1D: u64 = 0;
const L1I: u64 = 1;
const LLC: u64 = 2;
const DTLB: u64 = 3;
const ITLB: u64 = 4;
const BRANCH: u64 = 5;
const NODE: u64 = 6;
const LOAD: u64 = 0;
const STORE: u64 = 1;
const PREFETCH: u64 = 2;
const ACCESS: u64 = 0;
const MISS: u64 = 1;

/// An event of a cache: `[cache, operation, result]`.
const fn cache(name: &'static str, aliases: Aliases, title: &'static str, at: [u64; 3]) -> Word {
    generic(name, aliases, title, CACHE, at[0] | at[1] << 8 | at[2] << 16)
}

pub static WORDS: &[Word] = &[
    hardware("cycles", &["cpu-cycles"], "processor cycles", 0),
    hardware("instructions", &[], "instructions", 1),
    hardware("cache-references", &[], "cache references", 2),
    hardware("cache-misses", &[], "cache misses", 3),
    hardware("branches", &["branch-instructions"], "branches", 4),
    hardware("branch-misses", &[], "mispredicted branches", 5),
    hardware("bus-cycles", &[], "bus cycles", 6),
    hardware("stalled-cycles-frontend", &["idle-cycles-frontend"], "cycles without new instructions", 7),
    hardware("stalled-cycles-backend", &["idle-cycles-backend"], "cycles without free resources", 8),
    hardware("ref-cycles", &[], "cycles at the reference clock", 9),
    cache("l1d-loads", &["L1-dcache-loads"], "loads from the L1 data cache", [L1D, LOAD, ACCESS]),
    cache("l1d-misses", &["L1-dcache-load-misses"], "loads that missed L1 data", [L1D, LOAD, MISS]),
    cache("l1d-stores", &["L1-dcache-stores"], "stores to the L1 data cache", [L1D, STORE, ACCESS]),
    cache("l1d-store-misses", &["L1-dcache-store-misses"], "stores that missed L1 data", [L1D, STORE, MISS]),
    cache("l1d-prefetches", &["L1-dcache-prefetches"], "prefetches to L1 data", [L1D, PREFETCH, ACCESS]),
    cache(
        "l1d-prefetch-misses",
        &["L1-dcache-prefetch-misses"],
        "L1 data prefetch misses",
        [L1D, PREFETCH, MISS],
    ),
    cache("l1i-loads", &["L1-icache-loads"], "loads from the L1 instruction cache", [L1I, LOAD, ACCESS]),
    cache("l1i-misses", &["L1-icache-load-misses"], "loads that missed L1 instruction", [L1I, LOAD, MISS]),
    cache(
        "l1i-prefetches",
        &["L1-icache-prefetches"],
        "prefetches to L1 instruction",
        [L1I, PREFETCH, ACCESS],
    ),
    cache("llc-loads", &[], "loads from the last-level cache", [LLC, LOAD, ACCESS]),
    cache("llc-misses", &["LLC-load-misses"], "loads that missed the last level", [LLC, LOAD, MISS]),
    cache("llc-stores", &[], "stores to the last-level cache", [LLC, STORE, ACCESS]),
    cache("llc-store-misses", &[], "stores that missed the last level", [LLC, STORE, MISS]),
    cache("llc-prefetches", &[], "prefetches to the last level", [LLC, PREFETCH, ACCESS]),
    cache("llc-prefetch-misses", &[], "last-level prefetch misses", [LLC, PREFETCH, MISS]),
    cache("dtlb-loads", &[], "data address translations of loads", [DTLB, LOAD, ACCESS]),
    cache("dtlb-misses", &["dTLB-load-misses"], "loads that missed the data TLB", [DTLB, LOAD, MISS]),
    cache("dtlb-stores", &[], "data address translations of stores", [DTLB, STORE, ACCESS]),
    cache("dtlb-store-misses", &[], "stores that missed the data TLB", [DTLB, STORE, MISS]),
    cache("itlb-loads", &[], "instruction address translations", [ITLB, LOAD, ACCESS]),
    cache("itlb-misses", &["iTLB-load-misses"], "misses of the instruction TLB", [ITLB, LOAD, MISS]),
    cache("branch-loads", &[], "branch predictor lookups", [BRANCH, LOAD, ACCESS]),
    cache("branch-load-misses", &[], "branch predictor misses", [BRANCH, LOAD, MISS]),
    cache("node-loads", &[], "loads from memory of the node", [NODE, LOAD, ACCESS]),
    cache("node-misses", &["node-load-misses"], "loads from memory of other nodes", [NODE, LOAD, MISS]),
    cache("node-stores", &[], "stores to memory of the node", [NODE, STORE, ACCESS]),
    cache("node-store-misses", &[], "stores to memory of other nodes", [NODE, STORE, MISS]),
    named("slots", "slots for operations"),
    named("topdown-retiring", "slots of operations that retired"),
    named("topdown-bad-spec", "slots lost to wrong speculation"),
    named("topdown-fe-bound", "slots that the frontend left empty"),
    named("topdown-be-bound", "slots that the backend could not take"),
    named("topdown-heavy-ops", "slots of operations of several micro-operations"),
    named("topdown-br-mispredict", "slots lost to mispredicted branches"),
    named("topdown-fetch-lat", "slots left empty by late instructions"),
    named("topdown-mem-bound", "slots that waited for memory"),
    clock("cpu-clock", "time on a CPU, by its timer", 0),
    clock("task-clock", "time on a CPU", 1),
    software("page-faults", &["faults"], "page faults", 2),
    software("context-switches", &["cs"], "context switches", 3),
    software("cpu-migrations", &["migrations"], "migrations", 4),
    software("minor-faults", &[], "minor page faults", 5),
    software("major-faults", &[], "major page faults", 6),
    software("alignment-faults", &[], "alignment faults", 7),
    software("emulation-faults", &[], "emulated instructions", 8),
    software("cgroup-switches", &[], "switches to another control group", 11),
];

/// A name for several events.
#[derive(Debug, PartialEq, Eq)]
pub struct EventSet {
    pub name: &'static str,
    /// Names of perf's metric groups that use the same events.
    pub aliases: Aliases,
    pub events: &'static [&'static str],
    /// Whether the events are meaningful only if they are counted at the same time.
    pub is_group: bool,
}

pub static SETS: &[EventSet] = &[
    EventSet {
        name: "default",
        aliases: &["Summary"],
        events: &[
            "cycles",
            "instructions",
            "branches",
            "branch-misses",
            "task-clock",
            "page-faults",
            "context-switches",
            "cpu-migrations",
        ],
        is_group: false,
    },
    EventSet {
        name: "cache",
        aliases: &["CacheMisses"],
        events: &["cache-references", "cache-misses", "l1d-loads", "l1d-misses", "llc-loads", "llc-misses"],
        is_group: false,
    },
    EventSet {
        name: "kernel",
        aliases: &[],
        events: &["task-clock", "page-faults", "context-switches", "cpu-migrations"],
        is_group: false,
    },
    EventSet {
        name: "branch",
        aliases: &["BrMispredicts"],
        events: &["branches", "branch-misses"],
        is_group: false,
    },
    // The kernel accepts the `topdown-` events only in a group whose leader is `slots`.
    EventSet {
        name: "topdown",
        aliases: &["TopdownL1", "TmaL1"],
        events: &["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"],
        is_group: true,
    },
    EventSet {
        name: "topdown-l2",
        aliases: &["TopdownL2", "TmaL2"],
        events: &[
            "slots",
            "topdown-retiring",
            "topdown-bad-spec",
            "topdown-fe-bound",
            "topdown-be-bound",
            "topdown-heavy-ops",
            "topdown-br-mispredict",
            "topdown-fetch-lat",
            "topdown-mem-bound",
        ],
        is_group: true,
    },
];

/// Returns the event with this name, in upper or lower case.
pub fn find(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.is(name))
}

pub fn find_set(name: &str) -> Option<&'static EventSet> {
    let is_meant =
        |set: &&EventSet| set.name == name || set.aliases.iter().any(|own| own.eq_ignore_ascii_case(name));
    SETS.iter().find(is_meant)
}

/// Minimum similarity to an unknown name at which a known name is suggested, by Jaro and Winkler: 1 for equal names.
const NEAR: f64 = 0.8;
const NEAR_COUNT: usize = 3;

/// Returns the events and sets whose names are most similar to an unknown name, most similar first.
pub fn near(name: &str) -> Vec<String> {
    let words = WORDS.iter().flat_map(|word| std::iter::once(&word.name).chain(word.aliases));
    nearest(name, words.chain(SETS.iter().map(|set| &set.name)).copied())
}

pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&name, &other.to_lowercase());
    let mut near: Vec<(f64, &str)> = names.map(|other| (likeness(other), other)).collect();
    near.retain(|(likeness, _)| *likeness >= NEAR);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(NEAR_COUNT).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_has_one_meaning() {
        let mut seen = BTreeSet::new();
        for name in WORDS.iter().flat_map(|word| std::iter::once(&word.name).chain(word.aliases)) {
            assert!(seen.insert(name.to_lowercase()), "{name} stands twice");
        }
        for name in SETS.iter().flat_map(|set| std::iter::once(&set.name).chain(set.aliases)) {
            assert!(seen.insert(name.to_lowercase()), "{name} stands twice");
        }
        assert!(SETS.iter().flat_map(|set| set.events).all(|name| find(name).is_some()));
    }

    #[test]
    fn events_have_the_numbers_of_the_manual() {
        let code = |name: &str| match find(name).unwrap().code {
            Code::Generic { kind, config } => (kind, config),
            Code::Named => panic!("{name}"),
        };
        assert_eq!(code("CPU-CYCLES"), (0, 0));
        assert_eq!(code("ref-cycles"), (0, 9));
        assert_eq!(code("LLC-load-misses"), (3, 0x1_0002));
        assert_eq!(code("L1-dcache-stores"), (3, 0x100));
        assert_eq!(code("cs"), (1, 3));
        assert_eq!(find("task-clock").unwrap().unit, Unit::Nanos);
        assert_eq!(find("faults").unwrap().source(), Source::Software);
    }

    #[test]
    fn a_slip_of_the_finger_is_answered_with_what_may_be_meant() {
        assert_eq!(near("instrutions")[0], "instructions");
        assert_eq!(near("L1-dcache-load-mises")[0], "L1-dcache-load-misses");
        assert!(near("zzzz").is_empty());
    }
}
