//! How much two workers slow each other down, and the relation of their CPUs that follows.

mod distance;
mod label;
#[cfg(test)]
mod tests;
mod usable;

use std::collections::HashMap;

use fauxplat_model::{
    CacheTransfer, ContendFindings, GroupKind, Neighbourhood, PairCost, PairLabel, ShiftSample, Topology,
};
use fauxplat_stats::describe::{median, sorted};
use fauxplat_stats::order::median_interval;
use fauxplat_units::Cpu;

use distance::Distance;
use label::{Handed, Known, Label, label};
pub use usable::usable_cache;

/// A cell of the design of the measurement: a kernel and the workers that run it at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContendCell {
    pub kernel: String,
    /// Indices of the workers: two, or a single one that works alone.
    pub hands: Vec<u16>,
}

/// Relation of two CPUs by the topology that the kernel reports.
pub fn claimed(topology: &Topology, a: Cpu, b: Cpu) -> Neighbourhood {
    if a == b {
        return Neighbourhood::SameCpu;
    }
    let core = topology.group_of(GroupKind::Core, a);
    if core.is_some_and(|core| core.cpus.contains(b)) {
        return Neighbourhood::SmtSibling;
    }
    let shared = topology.caches.iter().any(|cache| cache.cpus.contains(a) && cache.cpus.contains(b));
    if shared { Neighbourhood::SharedCache } else { Neighbourhood::Separate }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContendPair {
    pub cpus: [Cpu; 2],
    pub hands: [u16; 2],
    /// Relation of the CPUs by the topology that the kernel reports.
    pub claimed: Neighbourhood,
    /// Indices of two more workers on the same CPUs, each of which runs the kernel `llc` alone with a walk of twice the
    /// size: as slow as two walks in one cache.
    pub doubled: Option<[u16; 2]>,
}

/// Findings, and the pairs that more rounds could decide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContendJudged {
    pub findings: ContendFindings,
    /// Indices of pairs whose label is not decided but may be after more rounds.
    pub open: Vec<usize>,
}

/// Share of a worker's wall time above which its run-queue wait shows a disturbance by other processes; for two workers
/// on one CPU, only of the time alone.
const DISTURBED_SHARE: f64 = 0.01;
/// Share of a pair's wall time that may remain unexplained by CPU time, run-queue wait and steal.
const UNEXPLAINED: f64 = 0.01;
/// Minimum number of undisturbed rounds of a pair: with fewer, even the interval from the smallest to the largest round
/// contains the median with less than 95 % confidence.
const ROUNDS_MIN: usize = 6;
/// Confidence of the intervals of all medians.
const CONFIDENCE: f64 = 0.95;
/// Median of a figure over the rounds, with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    low: f64,
    middle: f64,
    high: f64,
}

/// The samples by round, cell and worker, and the number of rounds.
struct Index<'s> {
    samples: HashMap<(u32, u16, u16), &'s ShiftSample>,
    rounds: u32,
}

impl<'s> Index<'s> {
    fn of(samples: &'s [ShiftSample]) -> Self {
        let rounds = samples.iter().map(|sample| sample.round + 1).max().unwrap_or(0);
        let key = |sample: &ShiftSample| (sample.round, sample.cell, sample.hand);
        Index { samples: samples.iter().map(|sample| (key(sample), sample)).collect(), rounds }
    }

    fn get(&self, round: u32, cell: usize, hand: u16) -> Option<&'s ShiftSample> {
        self.samples.get(&(round, cell as u16, hand)).copied()
    }
}

pub fn contend_findings(
    pairs: &[ContendPair],
    cells: &[ContendCell],
    samples: &[ShiftSample],
) -> ContendJudged {
    let mut judged = ContendJudged::default();
    let index = Index::of(samples);
    for (place, pair) in pairs.iter().enumerate() {
        let distance = distance(pair, cells, samples);
        let mut costs = pair_costs(pair, distance, cells, &index);
        let known = Known {
            doubled: doubled(pair, cells, &index),
            handover: handover(pair, distance, cells, &index),
            round_trip_ns: distance.map(|distance| distance.round_trip_ns),
        };
        let Label { is, evidence, is_open } = label(pair, &costs, known);
        costs.iter_mut().for_each(|cost| cost.label = is);
        if is_open || hides_in_ticks(&costs) {
            judged.open.push(place);
        }
        judged.findings.pairs.extend(costs);
        judged.findings.labels.push(labelled(pair, is, evidence, distance));
    }
    judged
}

/// Whether more rounds can explain lost wall time: steal is counted in ticks of 10 ms, an error whose share shrinks
/// with more rounds.
fn hides_in_ticks(costs: &[PairCost]) -> bool {
    let was_stolen = costs.iter().any(|cost| cost.steal_ns.is_some_and(|ns| ns > 0));
    was_stolen
        && costs.iter().any(|cost| cost.unexplained_share.is_some_and(|share| share.abs() > UNEXPLAINED))
}

/// Distance of the two workers over all shifts in which they worked together.
fn distance(pair: &ContendPair, cells: &[ContendCell], samples: &[ShiftSample]) -> Option<Distance> {
    let is_together = |sample: &&ShiftSample| {
        cells.get(usize::from(sample.cell)).is_some_and(|cell| cell.hands == pair.hands)
    };
    Distance::of(samples.iter().filter(is_together))
}

/// Times of cache lines that the other worker had just written, and of lines from memory; `None` with fewer than
/// [`ROUNDS_MIN`] rounds.
fn handover(
    pair: &ContendPair,
    distance: Option<Distance>,
    cells: &[ContendCell],
    index: &Index<'_>,
) -> Option<Handed> {
    let cell = cells.iter().position(|cell| cell.kernel == "llc" && cell.hands == pair.hands)?;
    let round = |round: u32| {
        let [writes, reads] = pair.hands.map(|hand| index.get(round, cell, hand));
        let counts = distance.is_none_or(|distance| writes.is_some_and(|writes| distance.counts(writes)));
        reads?.handover.filter(|_| counts)
    };
    let walks: Vec<CacheTransfer> = (0..index.rounds).filter_map(round).collect();
    if walks.len() < ROUNDS_MIN {
        return None;
    }
    let each = |value: fn(&CacheTransfer) -> f64| walks.iter().map(value).collect::<Vec<f64>>();
    Some(Handed {
        of_memory: middle(&each(|walk| walk.handed_ns as f64 / walk.memory_ns.max(1) as f64)),
        handed_ns: middle(&each(|walk| walk.handed_ns as f64 / walk.lines.max(1) as f64)),
        memory_ns: middle(&each(|walk| walk.memory_ns as f64 / walk.lines.max(1) as f64)),
    })
}

fn labelled(
    pair: &ContendPair,
    label: Neighbourhood,
    evidence: String,
    distance: Option<Distance>,
) -> PairLabel {
    let [cpu_a, cpu_b] = pair.cpus;
    let elsewhere = distance.and_then(|distance| distance.elsewhere);
    PairLabel {
        cpu_a,
        cpu_b,
        label,
        claimed: pair.claimed,
        evidence: [Some(evidence), distance.map(|distance| distance.told())]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; "),
        round_trip_ns: distance.map(|distance| distance.round_trip_ns),
        round_trip_interval_ns: distance.and_then(|distance| distance.interval_ns),
        elsewhere_round_trip_interval_ns: elsewhere.and_then(|elsewhere| elsewhere.interval_ns),
        elsewhere_round_trip_ns: elsewhere.map(|elsewhere| elsewhere.round_trip_ns),
        elsewhere_share: elsewhere.map(|elsewhere| elsewhere.share),
    }
}

/// Slowdown of a worker alone by a walk of twice the size of the kernel `llc`, as a ratio: the geometric mean over both
/// CPUs, round by round. `None` with fewer than [`ROUNDS_MIN`] undisturbed rounds.
fn doubled(pair: &ContendPair, cells: &[ContendCell], index: &Index<'_>) -> Option<Interval> {
    let cell = |hand: u16| cells.iter().position(|cell| cell.kernel == "llc" && cell.hands == [hand]);
    let side = |side: usize| {
        let (once, twice) = (pair.hands[side], pair.doubled?[side]);
        Some(((cell(once)?, once), (cell(twice)?, twice)))
    };
    let (a, b) = (side(0)?, side(1)?);
    let round = |round: u32| {
        let ratio = |(once, twice): ((usize, u16), (usize, u16))| {
            let (once, twice) = (index.get(round, once.0, once.1)?, index.get(round, twice.0, twice.1)?);
            let good = !waits(once) && !waits(twice);
            good.then(|| twice.cpu_ns_per_unit() / once.cpu_ns_per_unit())
        };
        Some((ratio(a)? * ratio(b)?).sqrt())
    };
    let ratios: Vec<f64> = (0..index.rounds).filter_map(round).collect();
    (ratios.len() >= ROUNDS_MIN).then(|| middle(&ratios))
}

fn pair_costs(
    pair: &ContendPair,
    distance: Option<Distance>,
    cells: &[ContendCell],
    index: &Index<'_>,
) -> Vec<PairCost> {
    let together = cells.iter().enumerate().filter(|(_, cell)| cell.hands == pair.hands);
    together.filter_map(|(place, _)| cost(pair, distance, place, cells, index)).collect()
}

/// How much slower the workers of a pair run a kernel together than alone; `None` before the first round is complete.
fn cost(
    pair: &ContendPair,
    distance: Option<Distance>,
    together: usize,
    cells: &[ContendCell],
    index: &Index<'_>,
) -> Option<PairCost> {
    let cell = &cells[together];
    let alone =
        |hand: u16| cells.iter().position(|other| other.kernel == cell.kernel && other.hands == [hand]);
    let alone = [alone(pair.hands[0])?, alone(pair.hands[1])?];
    let (mut cpu, mut wall, mut lone) = (Vec::new(), Vec::new(), Vec::new());
    let (mut dropped, mut elsewhere) = (0, 0);
    let mut both: Vec<&ShiftSample> = Vec::new();
    for round in 0..index.rounds {
        let side = |side: usize| {
            let hand = pair.hands[side];
            Some((index.get(round, alone[side], hand)?, index.get(round, together, hand)?))
        };
        let (Some(a), Some(b)) = (side(0), side(1)) else { continue };
        both.extend([a.1, b.1]);
        if is_disturbed(pair, [a, b]) {
            dropped += 1;
            continue;
        }
        if distance.is_some_and(|distance| !distance.counts(a.1)) {
            elsewhere += 1;
            continue;
        }
        let ratio = |of: fn(&ShiftSample) -> f64| ((of(a.1) / of(a.0)) * (of(b.1) / of(b.0))).sqrt();
        cpu.push(ratio(ShiftSample::cpu_ns_per_unit));
        wall.push(ratio(ShiftSample::wall_ns_per_unit));
        lone.push((a.0.cpu_ns_per_unit() + b.0.cpu_ns_per_unit()) / 2.0);
    }
    if both.is_empty() {
        return None;
    }
    let (cpu, rounds) = (middle(&cpu), cpu.len());
    let wall = middle(&wall);
    let sum = |of: fn(&ShiftSample) -> Option<u64>| both.iter().map(|it| of(it)).sum::<Option<u64>>();
    let wall_ns: u64 = both.iter().map(|it| it.wall_ns).sum();
    let (run_delay_ns, steal_ns) = (sum(|it| it.run_delay_ns), sum(|it| it.steal_ns));
    let cpu_ns: u64 = both.iter().map(|it| it.cpu_ns).sum();
    let explained = run_delay_ns.map(|delay_ns| cpu_ns + delay_ns + steal_ns.unwrap_or(0));
    let unexplained_share = explained.map(|explained| (wall_ns as f64 - explained as f64) / wall_ns as f64);
    Some(PairCost {
        cpu_a: pair.cpus[0],
        cpu_b: pair.cpus[1],
        kernel: cell.kernel.clone(),
        alone_cpu_ns: median(&lone),
        alone_interval_ns: Some(middle(&lone)).filter(|it| it.high.is_finite()).map(|it| [it.low, it.high]),
        cpu_ratio: cpu.middle,
        cpu_low_ratio: cpu.low,
        cpu_high_ratio: cpu.high,
        wall_ratio: wall.middle,
        wall_low_ratio: wall.low,
        wall_high_ratio: wall.high,
        run_delay_ns,
        steal_ns,
        wall_ns,
        unexplained_share,
        rounds,
        dropped_rounds: dropped,
        elsewhere_rounds: elsewhere,
        label: Neighbourhood::NotDecided,
        claimed: pair.claimed,
    })
}

/// Whether other processes worked on the CPUs of a pair in a round. Two workers on one CPU wait for each other, so in
/// that case only the samples of a worker alone are checked.
fn is_disturbed(pair: &ContendPair, sides: [(&ShiftSample, &ShiftSample); 2]) -> bool {
    let same = pair.cpus[0] == pair.cpus[1];
    sides.into_iter().any(|(alone, together)| waits(alone) || (!same && waits(together)))
}

/// Whether a worker waited for its CPU for more than [`DISTURBED_SHARE`] of its wall time.
fn waits(sample: &ShiftSample) -> bool {
    sample.run_delay_ns.is_some_and(|ns| ns as f64 > sample.wall_ns as f64 * DISTURBED_SHARE)
}

/// Median over the rounds, with its interval by order statistics, which makes no assumption about the distribution. The
/// interval is unbounded for fewer than [`ROUNDS_MIN`] rounds.
fn middle(ratios: &[f64]) -> Interval {
    let middle = median(ratios).unwrap_or(f64::NAN);
    match median_interval(&sorted(ratios), CONFIDENCE) {
        Some([low, high]) if ratios.len() >= ROUNDS_MIN => Interval { low, middle, high },
        _ => Interval { low: 0.0, middle, high: f64::INFINITY },
    }
}
