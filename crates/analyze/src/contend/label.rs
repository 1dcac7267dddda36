//! From what two workers cost each other to what their CPUs are to each other.

use fauxplat_model::{Neighbourhood, PairCost};

use super::{ContendPair, Interval, ROUNDS_MIN};

/// Kernels that ask a core for its execution units.
const PORTS: [&str; 3] = ["integer-ports", "float", "fauxplat"];
/// Kernels whose memory is that of a cache which a core has for itself, or with a few others.
const NEAR_CACHES: [&str; 2] = ["l1", "l2"];
/// Above this a core, or a cache, is shared: siblings of one core cost each other 20 % to 100 %.
const SHARED: f64 = 1.12;
/// Hardware threads of one core hand a word over within it, there and back in less than this. From core to core it takes
/// longer, by any cache: 110 ns within a complex of EPYC, of which some sixty are the two looking again; 4 to 12 ns a way
/// between siblings is what others measured, 15 to 55 within one last-level cache.
const WITHIN_CORE_NS: f64 = 90.0;
/// Nobody works faster beside another: it was the lone one that was disturbed.
const FASTER: f64 = 0.97;
/// Below this nothing is.
const FREE: f64 = 1.06;
/// Both lose this much wall time, and not CPU time, where the host gives them turns.
const STACKED: f64 = 1.3;
/// Memory takes at least twice as long as any last-level cache, and mixtures lie between.
const CACHE_LIKE: f64 = 0.6;
/// Of what a walk through twice as much costs, on a logarithmic scale: two on a cache of one cost each other all of it,
/// two on caches of their own nothing.
const HALF: f64 = 0.5;

/// What another CPU has just written comes in less of the time of memory than this if it comes by way of a cache of both: a
/// fifth within a complex of EPYC, a half across the mesh of a Xeon.
const AT_HAND: f64 = 0.65;
/// And in more than this if it comes over the fabric: as much as memory between complexes, more between sockets.
const FETCHED: f64 = 0.85;

/// What is known of a pair besides what its kernels cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// What one worker pays alone for a walk of twice what the kernel `llc` walks.
    pub(super) doubled: Option<Interval>,
    pub(super) handover: Option<Handed>,
    /// A word to the other worker and back, in the meetings that count.
    pub(super) round_trip_ns: Option<f64>,
}

/// How soon a worker has what the other has just written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handed {
    /// Over the time of memory.
    pub(super) of_memory: Interval,
    /// A line that was handed over, and one from memory.
    pub(super) handed_ns: f64,
    pub(super) memory_ns: f64,
}

/// What is said of a pair.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    pub(super) is: Neighbourhood,
    /// The figures that decided, or why nothing did.
    pub(super) evidence: String,
    /// Whether more rounds could decide.
    pub(super) is_open: bool,
}

impl Label {
    fn decided(is: Neighbourhood, evidence: String) -> Self {
        Label { is, evidence, is_open: false }
    }

    /// Not yet.
    fn open(evidence: String) -> Self {
        Label { is: Neighbourhood::NotDecided, evidence, is_open: true }
    }

    /// Not in this way.
    fn closed(evidence: impl Into<String>) -> Self {
        Label { is: Neighbourhood::NotDecided, evidence: evidence.into(), is_open: false }
    }
}

/// The label of a pair.
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

/// How many rounds there are of one kernel, and where the others went.
fn too_few(cost: &PairCost) -> String {
    let PairCost { kernel, rounds, dropped_rounds, elsewhere_rounds, .. } = cost;
    let mut words = format!("{kernel}: {rounds} rounds count, of {ROUNDS_MIN} that an answer takes");
    if *dropped_rounds > 0 {
        words.push_str(&format!("; others disturbed {dropped_rounds}"));
    }
    if *elsewhere_rounds > 0 {
        words.push_str(&format!("; {elsewhere_rounds} were at another distance"));
    }
    words
}

fn same_cpu(costs: &[PairCost]) -> Label {
    let shares = |cost: &&PairCost| cost.wall_low_ratio > 1.5 && cost.cpu_low_ratio < 1.5;
    match costs.iter().find(|cost| shares(cost)) {
        Some(cost) => {
            let words = format!(
                "{}: wall time {:.2} times, CPU time {:.2} times: they take turns",
                cost.kernel, cost.wall_ratio, cost.cpu_ratio
            );
            Label::decided(Neighbourhood::SameCpu, words)
        }
        None => Label::open("the two do not take turns as one CPU makes them".to_owned()),
    }
}

/// Both lose wall time although neither waits for its CPU: the host gives them turns on one.
fn stacked(costs: &[PairCost]) -> Option<Label> {
    let is_stolen = |cost: &&PairCost| {
        let waited = cost.run_delay_ns.unwrap_or(0) as f64 / cost.wall_ns.max(1) as f64;
        cost.wall_low_ratio > STACKED && cost.cpu_high_ratio < STACKED && waited < super::DISTURBED_SHARE
    };
    let cost = costs.iter().find(|cost| is_stolen(cost))?;
    let words = format!("{}: wall time {:.2} times without waiting here", cost.kernel, cost.wall_ratio);
    Some(Label::decided(Neighbourhood::Stacked, words))
}

/// Execution units are shared when every kernel that fills some slows down, and are not when one of them does not: one
/// alone may slow down by frequency or by a neighbour on the host, but none is as fast beside a sibling as alone.
fn sibling(costs: &[PairCost]) -> Option<Label> {
    let ports = || of(costs, &PORTS);
    let free = ports().find(|cost| cost.cpu_high_ratio < FREE);
    let shared = ports().filter(|cost| cost.cpu_low_ratio > SHARED).max_by(by_ratio);
    match (shared, free) {
        (Some(shared), Some(free)) => {
            Some(Label::open(format!("{} slows down and {} does not", shared.kernel, free.kernel)))
        }
        (Some(shared), None) => Some(Label::decided(Neighbourhood::SmtSibling, told(shared))),
        (None, Some(_)) => None,
        (None, None) => ports().find(|cost| cost.cpu_high_ratio > SHARED).map(|cost| Label::open(told(cost))),
    }
}

/// Siblings are near each other too. Two cores that slow each other down, by a limit of power or of frequency that both
/// share, are not, and what their kernels cost says nothing then; what one has written and the other reads still does.
fn within_core(label: Label, costs: &[PairCost], known: Known) -> Label {
    let far = known.round_trip_ns.filter(|&ns| ns > WITHIN_CORE_NS && label.is == Neighbourhood::SmtSibling);
    let Some(ns) = far else { return label };
    let llc = costs.iter().find(|cost| cost.kernel == "llc");
    let by_handover = known.handover.zip(llc).and_then(|(handover, llc)| handed_over(handover, llc));
    by_handover.unwrap_or_else(|| {
        Label::open(format!(
            "{}, as siblings do, but a word there and back takes {:.2} µs, as between cores: a limit of power or \
             frequency may slow both down",
            label.evidence,
            ns / 1e3
        ))
    })
}

/// Caches that a core has for itself, or with a few others.
fn near_caches(costs: &[PairCost]) -> Option<Label> {
    let near = || of(costs, &NEAR_CACHES);
    let shared = near().filter(|cost| cost.cpu_low_ratio > SHARED).max_by(by_ratio);
    shared.map(|shared| Label::decided(Neighbourhood::SharedCache, told(shared)))
}

/// The last-level cache, which says most of the time what two cores are to each other.
fn last_level(costs: &[PairCost], known: Known) -> Label {
    let named = |name: &str| costs.iter().find(|cost| cost.kernel == name);
    let (Some(llc), Some(dram)) = (named("llc"), named("dram")) else {
        return Label::closed("whether the last-level cache is shared takes the kernels llc and dram");
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
        return Label::open(format!("others disturbed: {}", told(odd)));
    }
    let Some(doubled) = known.doubled.filter(|doubled| doubled.low > SHARED) else {
        let words =
            "one worker alone walks twice as much as llc hardly more slowly: two may find room in one cache";
        return Label::open(words.to_owned());
    };
    let near = of(costs, &NEAR_CACHES).find(|cost| cost.cpu_high_ratio > SHARED);
    if let Some(near) = near {
        return Label::open(told(near));
    }
    match llc.cpu_high_ratio.ln() < HALF * doubled.low.ln() {
        true => {
            let words = format!("{}; alone with twice as much {:.2} times", told(llc), doubled.middle);
            Label::decided(Neighbourhood::Separate, words)
        }
        false => Label::open(told(llc)),
    }
}

/// What one has written comes soon to the other exactly if a cache serves both. Walks that hurt each other prove the same, but
/// walks that do not prove nothing: where strangers hold most of a cache, two that come again often both keep their part.
fn handed_over(handover: Handed, llc: &PairCost) -> Option<Label> {
    let Handed { of_memory: Interval { low, middle, high }, handed_ns, memory_ns } = handover;
    let words = format!(
        "what the other has just written comes in {handed_ns:.0} ns, memory in {memory_ns:.0} ns: {middle:.2} \
         ({low:.2} … {high:.2}); {}",
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

/// The kernel of the last-level cache works in memory, because others hold the cache: then both are as slow alone as
/// together, which must not read as "nothing is shared".
fn held_by_others(llc: &PairCost, dram: &PairCost) -> Option<String> {
    let (llc_ns, dram_ns) = (llc.alone_cpu_ns?, dram.alone_cpu_ns?);
    (llc_ns > dram_ns * CACHE_LIKE).then(|| {
        format!("others hold the last-level cache: alone, llc costs {:.2} times dram", llc_ns / dram_ns)
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

/// `llc: CPU time 1.19 times (1.14 … 1.25)`.
fn told(cost: &PairCost) -> String {
    let PairCost { kernel, cpu_ratio, cpu_low_ratio, cpu_high_ratio, .. } = cost;
    format!("{kernel}: CPU time {cpu_ratio:.2} times ({cpu_low_ratio:.2} … {cpu_high_ratio:.2})")
}
