//! Derives the relation of two CPUs from how much their workers slow each other down (the ratio of the time together to
//! the time alone).

use fauxplat_model::{Neighbourhood, PairCost};

use super::{ContendPair, Interval, ROUNDS_MIN};

/// Names of the kernels that fill a core's execution units.
const PORTS: [&str; 3] = ["integer-ports", "float", "fauxplat"];
/// Names of the kernels whose memory fits into a cache that belongs to one core, or to a few.
const NEAR_CACHES: [&str; 2] = ["l1", "l2"];
/// Ratio of CPU times together and alone above which a core or a cache counts as shared: siblings of one core slow each
/// other down by 20 % to 100 %.
const SHARED: f64 = 1.12;
/// Longest round trip of a cache line between siblings, in nanoseconds. Between cores it takes longer through any
/// cache: 110 ns within a core complex of EPYC, about 60 of which are the polling of the two threads. Published figures
/// are 4 to 12 ns per direction between siblings and 15 to 55 ns within one last-level cache.
const WITHIN_CORE_NS: f64 = 90.0;
/// Ratio of CPU times together and alone below which the time alone must have been disturbed, since another worker
/// makes none faster.
const FASTER: f64 = 0.97;
/// Ratio of CPU times together and alone below which the workers share nothing that the kernel needs.
const FREE: f64 = 1.06;
/// Ratio of wall times together and alone above which the host is taken to run both virtual CPUs in turns on one of its
/// own CPUs, if CPU time grows by less.
const STACKED: f64 = 1.3;
/// Ratio of the time of kernel `llc` to the time of kernel `dram` above which the walk of `llc` is taken to miss the
/// cache. A walk through memory takes at least twice as long as one through a last-level cache; mixtures lie between.
const CACHE_LIKE: f64 = 0.6;
/// Part, on a logarithmic scale, of the slowdown by a walk of twice the size below which two workers have separate
/// caches. Two walks in a common cache slow each other down by as much as the doubled walk, two walks in separate
/// caches not at all.
const HALF: f64 = 0.5;

/// Time of a line that another CPU has just written, relative to a line from memory, below which it came through a
/// common cache: a fifth within a core complex of EPYC, half across the mesh of a Xeon.
const AT_HAND: f64 = 0.65;
/// Time of a line that another CPU has just written, relative to a line from memory, above which it came from another
/// cache: as long as memory between core complexes, longer between sockets.
const FETCHED: f64 = 0.85;

/// Measurements of a pair of CPUs beyond the slowdowns of its kernels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// Slowdown of a worker alone by a walk of twice the size of the kernel `llc`, as a ratio.
    pub(super) doubled: Option<Interval>,
    pub(super) handover: Option<Handed>,
    /// Median round trip of a cache line to the other worker and back at the labelling distance.
    pub(super) round_trip_ns: Option<f64>,
}

/// Time in which a worker reads a cache line that the other worker has just written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handed {
    /// Ratio of `handed_ns` to `memory_ns`.
    pub(super) of_memory: Interval,
    /// Time to read such a line, in nanoseconds.
    pub(super) handed_ns: Interval,
    pub(super) memory_ns: Interval,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    pub(super) is: Neighbourhood,
    /// The figures that decided, or the reason why the relation is not decided, in words.
    pub(super) evidence: String,
    /// Whether more rounds could decide the relation.
    pub(super) is_open: bool,
}

impl Label {
    fn decided(is: Neighbourhood, evidence: String) -> Self {
        Label { is, evidence, is_open: false }
    }

    fn open(evidence: String) -> Self {
        Label { is: Neighbourhood::NotDecided, evidence, is_open: true }
    }

    /// An undecided label that more rounds cannot decide.
    fn closed(evidence: impl Into<String>) -> Self {
        Label { is: Neighbourhood::NotDecided, evidence: evidence.into(), is_open: false }
    }
}

pub(super) fn label(pair: &ContendPair, costs: &[PairCost], known: Known) -> Label {
    if costs.is_empty() {
        return Label::open("no round was finished".to_owned());
    }
    if let Some(cost) = costs.iter().find(|cost| cost.rounds < ROUNDS_MIN) {
        return Label::open(too_few(cost));
    }
    if pair.cpus[0] == pair.cpus[1] {
        return same_cpu(costs);
    }
    stacked(costs)
        .or_else(|| sibling(costs).map(|label| within_core(label, costs, known)))
        .or_else(|| near_caches(costs))
        .unwrap_or_else(|| last_level(costs, known))
}

/// A sentence about the number of usable rounds of a kernel, and why its other rounds do not count.
fn too_few(cost: &PairCost) -> String {
    let PairCost { kernel, rounds, dropped_rounds, elsewhere_rounds, .. } = cost;
    let mut words = format!("{kernel}: {rounds} rounds count, and an answer takes {ROUNDS_MIN}");
    if *dropped_rounds > 0 {
        words.push_str(&format!("; other programs disturbed {dropped_rounds}"));
    }
    if *elsewhere_rounds > 0 {
        words.push_str(&format!("; {elsewhere_rounds} ran while the CPUs were at another distance"));
    }
    words
}

fn same_cpu(costs: &[PairCost]) -> Label {
    let shares = |cost: &&PairCost| cost.wall_low_ratio > 1.5 && cost.cpu_low_ratio < 1.5;
    match costs.iter().find(|cost| shares(cost)) {
        Some(cost) => {
            let words = format!(
                "{}: wall time {}, CPU time {}: the two workers take turns",
                cost.kernel,
                times(wall(cost)),
                times(cpu(cost))
            );
            Label::decided(Neighbourhood::SameCpu, words)
        }
        None => Label::open("the two workers do not take turns, as they would on one CPU".to_owned()),
    }
}

/// Label for two virtual CPUs that the host runs in turns on one of its own: both workers lose wall time although
/// neither waits for its CPU. `None` if that is not shown.
fn stacked(costs: &[PairCost]) -> Option<Label> {
    let is_stolen = |cost: &&PairCost| {
        let waited = cost.run_delay_ns.unwrap_or(0) as f64 / cost.wall_ns.max(1) as f64;
        cost.wall_low_ratio > STACKED && cost.cpu_high_ratio < STACKED && waited < super::DISTURBED_SHARE
    };
    let cost = costs.iter().find(|cost| is_stolen(cost))?;
    let words =
        format!("{}: wall time {} although no worker waits for its CPU", cost.kernel, times(wall(cost)));
    Some(Label::decided(Neighbourhood::Stacked, words))
}

/// Label for two CPUs that share execution units: at least one kernel that fills these units is slowed down, and none
/// is shown to be as fast as alone. A single kernel may also be slowed down by the frequency or a neighbour on the
/// host, but beside a sibling no such kernel is as fast as alone. `None` if a kernel is as fast as alone and none is
/// slowed down.
fn sibling(costs: &[PairCost]) -> Option<Label> {
    let ports = || of(costs, &PORTS);
    let free = ports().find(|cost| cost.cpu_high_ratio < FREE);
    let shared = ports().filter(|cost| cost.cpu_low_ratio > SHARED).max_by(by_ratio);
    match (shared, free) {
        (Some(shared), Some(free)) => {
            Some(Label::open(format!("the kernel {} slows down and {} does not", shared.kernel, free.kernel)))
        }
        (Some(shared), None) => Some(Label::decided(Neighbourhood::SmtSibling, told(shared))),
        (None, Some(_)) => None,
        (None, None) => ports().find(|cost| cost.cpu_high_ratio > SHARED).map(|cost| Label::open(told(cost))),
    }
}

/// Checks the label of siblings by the round trip of a cache line, which is short between siblings. Distant cores under
/// a common limit of power or frequency slow each other down too; they are labelled by the time of lines that one
/// worker writes and the other reads.
fn within_core(label: Label, costs: &[PairCost], known: Known) -> Label {
    let far = known.round_trip_ns.filter(|&ns| ns > WITHIN_CORE_NS && label.is == Neighbourhood::SmtSibling);
    let Some(ns) = far else { return label };
    let llc = costs.iter().find(|cost| cost.kernel == "llc");
    let by_handover = known.handover.zip(llc).and_then(|(handover, llc)| handed_over(handover, llc));
    by_handover.unwrap_or_else(|| {
        Label::open(format!(
            "{}, as siblings do, but a round trip of a cache line takes {:.2} µs, as between cores: a limit of power \
             or frequency may slow both down",
            label.evidence,
            ns / 1e3
        ))
    })
}

/// Label of CPUs that share a cache of one core, or of a few; `None` if that is not shown.
fn near_caches(costs: &[PairCost]) -> Option<Label> {
    let near = || of(costs, &NEAR_CACHES);
    let shared = near().filter(|cost| cost.cpu_low_ratio > SHARED).max_by(by_ratio);
    shared.map(|shared| Label::decided(Neighbourhood::SharedCache, told(shared)))
}

/// Label by whether the last-level cache is shared, which decides the relation of most pairs of cores.
fn last_level(costs: &[PairCost], known: Known) -> Label {
    let named = |name: &str| costs.iter().find(|cost| cost.kernel == name);
    let (Some(llc), Some(dram)) = (named("llc"), named("dram")) else {
        return Label::closed("only the kernels llc and dram show whether the last-level cache is shared");
    };
    if let Some(label) = known.handover.and_then(|handover| handed_over(handover, llc)) {
        return label;
    }
    if let Some(held) = held_by_others(llc, dram) {
        return Label::open(held);
    }
    if llc.cpu_low_ratio > SHARED {
        return Label::decided(Neighbourhood::SharedCache, told(llc));
    }
    let unclear = of(costs, &NEAR_CACHES).chain(of(costs, &PORTS)).chain([llc]);
    if let Some(odd) = unclear.clone().find(|cost| cost.cpu_high_ratio < FASTER) {
        return Label::open(format!("disturbed by other programs: {}", told(odd)));
    }
    let Some(doubled) = known.doubled.filter(|doubled| doubled.low > SHARED) else {
        let words =
            "twice the memory of llc hardly slows one worker down: both workers may find room in one cache";
        return Label::open(words.to_owned());
    };
    let near = of(costs, &NEAR_CACHES).find(|cost| cost.cpu_high_ratio > SHARED);
    if let Some(near) = near {
        return Label::open(told(near));
    }
    match llc.cpu_high_ratio.ln() < HALF * doubled.low.ln() {
        true => {
            let words = format!("{}; one worker with twice the memory {}", told(llc), times(doubled));
            Label::decided(Neighbourhood::Separate, words)
        }
        false => Label::open(told(llc)),
    }
}

/// Label by the time of lines that the other worker has just written, which is short exactly if both use one cache;
/// `None` if the time is in between. Walks that slow each other down also prove a common cache. Walks that do not prove
/// nothing: where other guests hold most of a cache, two walks may both keep their part of it.
fn handed_over(handover: Handed, llc: &PairCost) -> Option<Label> {
    let Handed { of_memory: Interval { low, middle, high }, handed_ns, memory_ns } = handover;
    let words = format!(
        "a line just written by the other CPU takes {}, one in memory {}: {middle:.2} ({low:.2} … {high:.2}); {}",
        nanos(handed_ns),
        nanos(memory_ns),
        told(llc)
    );
    if high < AT_HAND {
        return Some(Label::decided(Neighbourhood::SharedCache, words));
    }
    (low > FETCHED).then(|| match llc.cpu_low_ratio > SHARED {
        true => Label::open(words),
        false => Label::decided(Neighbourhood::Separate, words),
    })
}

/// Reason, in words, if the walk of kernel `llc` is served by memory because other guests hold the cache; otherwise
/// `None`. The workers are then as slow alone as together, which must not be taken for separate caches.
fn held_by_others(llc: &PairCost, dram: &PairCost) -> Option<String> {
    let (llc_ns, dram_ns) = (llc.alone_cpu_ns?, dram.alone_cpu_ns?);
    (llc_ns > dram_ns * CACHE_LIKE).then(|| {
        format!(
            "others hold the last-level cache: alone, llc takes {:.2} times as long as dram",
            llc_ns / dram_ns
        )
    })
}

fn of<'c>(
    costs: &'c [PairCost],
    names: &'static [&'static str],
) -> impl Iterator<Item = &'c PairCost> + Clone {
    costs.iter().filter(move |cost| names.contains(&cost.kernel.as_str()))
}

fn by_ratio(a: &&PairCost, b: &&PairCost) -> std::cmp::Ordering {
    a.cpu_ratio.total_cmp(&b.cpu_ratio)
}

fn cpu(cost: &PairCost) -> Interval {
    Interval { low: cost.cpu_low_ratio, middle: cost.cpu_ratio, high: cost.cpu_high_ratio }
}

fn wall(cost: &PairCost) -> Interval {
    Interval { low: cost.wall_low_ratio, middle: cost.wall_ratio, high: cost.wall_high_ratio }
}

/// Formats an interval of ratios: `1.19 times (1.14 … 1.25)`.
fn times(Interval { low, middle, high }: Interval) -> String {
    format!("{middle:.2} times ({low:.2} … {high:.2})")
}

/// Formats an interval of times: `31 ns (30 … 33)`.
fn nanos(Interval { low, middle, high }: Interval) -> String {
    format!("{middle:.0} ns ({low:.0} … {high:.0})")
}

/// The slowdown of CPU time as text, for example `llc: CPU time 1.19 times (1.14 … 1.25)`.
fn told(cost: &PairCost) -> String {
    format!("{}: CPU time {}", cost.kernel, times(cpu(cost)))
}
