//! What two workers cost each other, and what their CPUs therefore are to each other.

use std::collections::HashMap;

use fauxplat_model::{ContendFindings, Neighbourhood, PairCost, PairLabel, ShiftSample};
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::describe::median;
use fauxplat_units::{Bytes, Cpu};

/// What a cell of the design was for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContendCell {
    /// The kernel.
    pub kernel: String,
    /// Places of the workers, two of them or one that is alone.
    pub hands: Vec<u16>,
}

/// Two CPUs with a worker on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContendPair {
    /// The CPUs.
    pub cpus: [Cpu; 2],
    /// Their workers.
    pub hands: [u16; 2],
    /// What the kernel claims that they are to each other.
    pub claimed: Neighbourhood,
    /// Whether two walks through what the last-level cache serves are more than all of it. If not, both may find room
    /// in a cache that they share.
    pub overflows: bool,
}

/// Waiting and steal beyond this share of a lone worker's time, or of two on CPUs of their own, are somebody else's.
const DISTURBED_SHARE: f64 = 0.01;
/// A pair needs so many undisturbed rounds.
const ROUNDS_MIN: usize = 5;
/// Kernels that ask a core for its execution units.
const PORTS: [&str; 3] = ["integer-ports", "float", "fauxplat"];
/// Kernels whose memory is a cache's.
const CACHES: [&str; 3] = ["l1", "l2", "llc"];
/// Above this a core, or a cache, is shared: siblings of one core cost each other 20 % to 100 %.
const SHARED: f64 = 1.12;
/// Nobody works faster beside another: it was the lone one that was disturbed.
const FASTER: f64 = 0.97;
/// Below this nothing is.
const FREE: f64 = 1.06;

/// The samples by round, cell and worker.
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

/// Costs and labels of all pairs.
pub fn contend_findings(
    pairs: &[ContendPair],
    cells: &[ContendCell],
    samples: &[ShiftSample],
    seed: u64,
) -> ContendFindings {
    let mut findings = ContendFindings::default();
    let index = Index::of(samples);
    for pair in pairs {
        let mut costs = pair_costs(pair, cells, &index, seed);
        let (label, evidence) = label(pair, &costs);
        costs.iter_mut().for_each(|cost| cost.label = label);
        findings.pairs.extend(costs);
        let [cpu_a, cpu_b] = pair.cpus;
        findings.labels.push(PairLabel { cpu_a, cpu_b, label, claimed: pair.claimed, evidence });
    }
    findings
}

fn pair_costs(pair: &ContendPair, cells: &[ContendCell], index: &Index<'_>, seed: u64) -> Vec<PairCost> {
    let together = cells.iter().enumerate().filter(|(_, cell)| cell.hands == pair.hands);
    together.filter_map(|(place, cell)| cost(pair, place, cell, cells, index, seed)).collect()
}

/// One kernel on one pair: `None` before its first round is complete.
fn cost(
    pair: &ContendPair,
    together: usize,
    cell: &ContendCell,
    cells: &[ContendCell],
    index: &Index<'_>,
    seed: u64,
) -> Option<PairCost> {
    let alone =
        |hand: u16| cells.iter().position(|other| other.kernel == cell.kernel && other.hands == [hand]);
    let alone = [alone(pair.hands[0])?, alone(pair.hands[1])?];
    let (mut cpu, mut wall, mut lone, mut dropped) = (Vec::new(), Vec::new(), Vec::new(), 0);
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
        let ratio = |of: fn(&ShiftSample) -> f64| ((of(a.1) / of(a.0)) * (of(b.1) / of(b.0))).sqrt();
        cpu.push(ratio(ShiftSample::cpu_ns_per_unit));
        wall.push(ratio(ShiftSample::wall_ns_per_unit));
        lone.push((a.0.cpu_ns_per_unit() + b.0.cpu_ns_per_unit()) / 2.0);
    }
    if both.is_empty() {
        return None;
    }
    let (cpu_ratio, cpu_low_ratio, cpu_high_ratio) = middle(&cpu, seed);
    let (wall_ratio, wall_low_ratio, wall_high_ratio) = middle(&wall, seed);
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
        cpu_ratio,
        cpu_low_ratio,
        cpu_high_ratio,
        wall_ratio,
        wall_low_ratio,
        wall_high_ratio,
        run_delay_ns,
        steal_ns,
        wall_ns,
        unexplained_share,
        rounds: cpu.len(),
        dropped_rounds: dropped,
        label: Neighbourhood::NotDecided,
        claimed: pair.claimed,
    })
}

/// Whether somebody else worked on these CPUs. On one CPU the two wait for each other, so only those alone tell.
fn is_disturbed(pair: &ContendPair, sides: [(&ShiftSample, &ShiftSample); 2]) -> bool {
    let waits =
        |it: &ShiftSample| it.run_delay_ns.is_some_and(|ns| ns as f64 > it.wall_ns as f64 * DISTURBED_SHARE);
    let same = pair.cpus[0] == pair.cpus[1];
    sides.into_iter().any(|(alone, together)| waits(alone) || (!same && waits(together)))
}

/// Median and its interval by bootstrap over the rounds; everything is possible with fewer than five.
fn middle(ratios: &[f64], seed: u64) -> (f64, f64, f64) {
    let centre = median(ratios).unwrap_or(f64::NAN);
    match bca_interval(&ratios.iter().map(|ratio| ratio.ln()).collect::<Vec<_>>(), 0.05, seed) {
        Some((low, high)) if ratios.len() >= ROUNDS_MIN => {
            (centre, low.exp().min(centre), high.exp().max(centre))
        }
        _ => (centre, 0.0, f64::INFINITY),
    }
}

/// The label and the figures that decided.
fn label(pair: &ContendPair, costs: &[PairCost]) -> (Neighbourhood, String) {
    if pair.cpus[0] == pair.cpus[1] {
        return same_cpu(costs);
    }
    if let Some(cost) = costs.iter().find(|cost| cost.rounds < ROUNDS_MIN) {
        let (good, bad) = (cost.rounds, cost.dropped_rounds);
        return (
            Neighbourhood::NotDecided,
            format!("{}: others disturbed {bad} rounds and left {good}", cost.kernel),
        );
    }
    stacked(costs).or_else(|| sibling(costs)).unwrap_or_else(|| by_caches(pair, costs))
}

fn same_cpu(costs: &[PairCost]) -> (Neighbourhood, String) {
    let shares = |cost: &&PairCost| cost.wall_low_ratio > 1.5 && cost.cpu_low_ratio < 1.5;
    match costs.iter().find(|cost| shares(cost)) {
        Some(cost) => {
            let words = format!(
                "{}: wall time {:.2} times, CPU time {:.2} times: they take turns",
                cost.kernel, cost.wall_ratio, cost.cpu_ratio
            );
            (Neighbourhood::SameCpu, words)
        }
        None => (Neighbourhood::NotDecided, "the two do not take turns as one CPU makes them".to_owned()),
    }
}

/// Both lose wall time although neither waits for its CPU: the host gives them turns on one.
fn stacked(costs: &[PairCost]) -> Option<(Neighbourhood, String)> {
    let is_stolen = |cost: &&PairCost| {
        let waited = cost.run_delay_ns.unwrap_or(0) as f64 / cost.wall_ns.max(1) as f64;
        cost.wall_low_ratio > 1.3 && cost.cpu_high_ratio < 1.3 && waited < DISTURBED_SHARE
    };
    let cost = costs.iter().find(|cost| is_stolen(cost))?;
    let words = format!("{}: wall time {:.2} times without waiting here", cost.kernel, cost.wall_ratio);
    Some((Neighbourhood::Stacked, words))
}

/// Execution units are shared when a kernel that fills them slows down.
fn sibling(costs: &[PairCost]) -> Option<(Neighbourhood, String)> {
    let ports = || costs.iter().filter(|cost| PORTS.contains(&cost.kernel.as_str()));
    let shared = ports().filter(|cost| cost.cpu_low_ratio > SHARED).max_by(by_ratio)?;
    // One kernel alone may slow down by frequency or by a neighbour of the host; every other must at least not deny.
    if ports().any(|cost| cost.cpu_high_ratio < FREE) {
        let words = format!("{} slows down and other arithmetic does not", shared.kernel);
        return Some((Neighbourhood::NotDecided, words));
    }
    Some((Neighbourhood::SmtSibling, interval("CPU time", shared)))
}

fn by_ratio(a: &&PairCost, b: &&PairCost) -> std::cmp::Ordering {
    a.cpu_ratio.total_cmp(&b.cpu_ratio)
}

fn by_caches(pair: &ContendPair, costs: &[PairCost]) -> (Neighbourhood, String) {
    let of = |names: &'static [&'static str]| {
        costs.iter().filter(move |cost| names.contains(&cost.kernel.as_str()))
    };
    if let Some(unclear) = of(&PORTS).find(|cost| cost.cpu_high_ratio > SHARED) {
        return (Neighbourhood::NotDecided, interval("CPU time", unclear));
    }
    if let Some(doubt) = last_level_in_doubt(costs) {
        return (Neighbourhood::NotDecided, doubt);
    }
    if let Some(shared) = of(&CACHES).filter(|cost| cost.cpu_low_ratio > SHARED).max_by(by_ratio) {
        return (Neighbourhood::SharedCache, interval("CPU time", shared));
    }
    if let Some(odd) = of(&CACHES).find(|cost| cost.cpu_high_ratio < FASTER) {
        return (Neighbourhood::NotDecided, format!("others disturbed: {}", interval("CPU time", odd)));
    }
    if !pair.overflows {
        let words = "the part of the last-level cache that serves these CPUs is so small that both may find room in it";
        return (Neighbourhood::NotDecided, words.to_owned());
    }
    match of(&CACHES).chain(of(&PORTS)).max_by(|a, b| a.cpu_high_ratio.total_cmp(&b.cpu_high_ratio)) {
        Some(most) if most.cpu_high_ratio > SHARED => (Neighbourhood::NotDecided, interval("CPU time", most)),
        Some(most) => (Neighbourhood::Separate, format!("at most {}", interval("CPU time", most))),
        None => (Neighbourhood::NotDecided, "no kernel that could tell was run".to_owned()),
    }
}

/// Why the last-level cache says nothing about two CPUs: nobody tried it, or its kernel works in memory anyway because
/// others hold the cache. Then both are as slow alone as together, which must not read as "nothing is shared".
fn last_level_in_doubt(costs: &[PairCost]) -> Option<String> {
    let alone_ns =
        |name: &str| costs.iter().find(|cost| cost.kernel == name).and_then(|cost| cost.alone_cpu_ns);
    let (Some(llc_ns), Some(dram_ns)) = (alone_ns("llc"), alone_ns("dram")) else {
        return Some("whether the last-level cache is shared takes the kernels llc and dram".to_owned());
    };
    let held = llc_ns > dram_ns * CACHE_LIKE;
    held.then(|| {
        format!("others hold the last-level cache: alone, llc costs {:.2} times dram", llc_ns / dram_ns)
    })
}

/// The largest of several footprints that is served by the last-level cache: a step costs little more than in the
/// smallest footprint, which lies just beyond the second level. Guests and processes with a share of a cache are told
/// the size of the whole.
///
/// Footprints and costs of a step in any order; `None` when only the smallest fits, or none was tried.
pub fn usable_cache(costs: &[(Bytes, f64)]) -> Option<Bytes> {
    let (smallest, least) = costs.iter().min_by_key(|(footprint, _)| *footprint)?;
    let fits = |(footprint, cost): &&(Bytes, f64)| footprint > smallest && *cost <= least * SERVED;
    costs.iter().filter(fits).map(|(footprint, _)| *footprint).max()
}

/// Up to this a footprint still fits: pages without a place in the TLB cost something too, memory costs several times.
const SERVED: f64 = 1.6;
/// Memory takes at least twice as long as any last-level cache, and mixtures lie between.
const CACHE_LIKE: f64 = 0.6;

fn interval(what: &str, cost: &PairCost) -> String {
    let PairCost { kernel, cpu_ratio, cpu_low_ratio, cpu_high_ratio, .. } = cost;
    format!("{kernel}: {what} {cpu_ratio:.2} times ({cpu_low_ratio:.2} … {cpu_high_ratio:.2})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One worker's round: units cost `cpu_ns` of CPU time, and the worker waits and is stolen from.
    fn shift(round: u32, cell: u16, hand: u16, [cpu_ns, wait_ns, steal_ns]: [u64; 3]) -> ShiftSample {
        let jitter = u64::from(round * 7 % 5) * 100;
        ShiftSample {
            round,
            cell,
            hand,
            units: 100,
            cpu_ns: cpu_ns + jitter,
            wall_ns: cpu_ns + jitter + wait_ns + steal_ns,
            run_delay_ns: Some(wait_ns),
            steal_ns: Some(steal_ns),
            ..ShiftSample::default()
        }
    }

    /// Alone a unit costs 1000 ns; together each kernel costs what is given.
    fn judged(same: bool, together: &[(&str, [u64; 3])], alone_waits_ns: u64) -> ContendFindings {
        let pair = ContendPair {
            cpus: [Cpu(0), Cpu(if same { 0 } else { 1 })],
            hands: [0, 1],
            claimed: Neighbourhood::Separate,
            overflows: true,
        };
        let (mut cells, mut samples) = (Vec::new(), Vec::new());
        for (kernel, costs) in together {
            for hands in [vec![0], vec![1], vec![0, 1]] {
                for round in 0..12 {
                    for &hand in &hands {
                        // Memory is slower than everything else, also alone.
                        let slow = if *kernel == "dram" { 3 } else { 1 };
                        let mut cost = if hands.len() == 2 { *costs } else { [100_000, alone_waits_ns, 0] };
                        cost[0] *= slow;
                        samples.push(shift(round, cells.len() as u16, hand, cost));
                    }
                }
                cells.push(ContendCell { kernel: (*kernel).to_owned(), hands });
            }
        }
        contend_findings(&[pair], &cells, &samples, 1)
    }

    fn label_of(same: bool, together: &[(&str, [u64; 3])]) -> Neighbourhood {
        judged(same, together, 0).labels[0].label
    }

    #[test]
    fn every_neighbourhood_is_told_from_the_others() {
        let free = [100_000, 0, 0];
        let slow = [150_000, 0, 0];
        assert_eq!(label_of(true, &[("fauxplat", [101_000, 100_000, 0])]), Neighbourhood::SameCpu);
        assert_eq!(
            label_of(false, &[("float", slow), ("integer-ports", slow), ("llc", slow)]),
            Neighbourhood::SmtSibling
        );
        assert_eq!(
            label_of(false, &[("float", free), ("integer-ports", free), ("llc", slow), ("dram", free)]),
            Neighbourhood::SharedCache
        );
        assert_eq!(
            label_of(false, &[("float", free), ("integer-ports", free), ("llc", free), ("dram", free)]),
            Neighbourhood::Separate
        );
        assert_eq!(
            label_of(false, &[("float", [100_000, 0, 90_000]), ("llc", free)]),
            Neighbourhood::Stacked
        );
    }

    #[test]
    fn contradiction_and_disturbance_are_not_decided() {
        let (free, slow) = ([100_000, 0, 0], [150_000, 0, 0]);
        assert_eq!(label_of(false, &[("float", slow), ("integer-ports", free)]), Neighbourhood::NotDecided);
        let disturbed = judged(false, &[("float", free), ("llc", slow)], 30_000);
        assert_eq!(disturbed.labels[0].label, Neighbourhood::NotDecided);
        assert_eq!((disturbed.pairs[0].rounds, disturbed.pairs[0].dropped_rounds), (0, 12));
    }

    #[test]
    fn nothing_is_separate_without_a_look_at_a_cache_that_works() {
        let free = [100_000, 0, 0];
        for kernels in [&["float"][..], &["float", "llc"], &["llc", "dram"]] {
            let costs: Vec<(&str, [u64; 3])> = kernels.iter().map(|kernel| (*kernel, free)).collect();
            let found = judged(false, &costs, 0);
            let expected =
                if kernels.contains(&"dram") { Neighbourhood::Separate } else { Neighbourhood::NotDecided };
            assert_eq!(found.labels[0].label, expected, "{kernels:?}: {}", found.labels[0].evidence);
        }
        let mut held = judged(false, &[("llc", free), ("dram", free)], 0).pairs;
        held[0].alone_cpu_ns = held[1].alone_cpu_ns;
        let mut pair = ContendPair {
            cpus: [Cpu(0), Cpu(1)],
            hands: [0, 1],
            claimed: Neighbourhood::SharedCache,
            overflows: true,
        };
        assert!(by_caches(&pair, &held).1.contains("others hold the last-level cache"));
        let mut costs = judged(false, &[("llc", free), ("dram", free)], 0).pairs;
        assert_eq!(by_caches(&pair, &costs).0, Neighbourhood::Separate);
        pair.overflows = false;
        assert!(by_caches(&pair, &costs).1.contains("both may find room"));
        (pair.overflows, costs[0].cpu_high_ratio) = (true, 0.93);
        assert!(by_caches(&pair, &costs).1.contains("others disturbed"));
    }

    #[test]
    fn what_fits_a_cache_costs_as_little_as_what_is_small() {
        let mib = |size: u64| Bytes(size << 20);
        let share = [(mib(2), 4.9), (mib(24), 38.0), (mib(18), 39.0), (mib(10), 6.1), (mib(8), 5.6)];
        assert_eq!(usable_cache(&share), Some(mib(10)));
        assert_eq!(usable_cache(&share[..3]), None);
        assert_eq!(usable_cache(&[]), None);
    }

    #[test]
    fn ratios_and_the_identity_of_time() {
        let found = judged(false, &[("llc", [150_000, 500, 20_000])], 0);
        let cost = &found.pairs[0];
        assert!(
            (cost.cpu_ratio - 1.5).abs() < 0.01 && cost.cpu_low_ratio <= 1.5 && cost.cpu_high_ratio >= 1.49
        );
        assert!((cost.wall_ratio - 1.705).abs() < 0.01, "{}", cost.wall_ratio);
        assert_eq!(cost.unexplained_share, Some(0.0));
        assert_eq!((cost.run_delay_ns, cost.steal_ns), (Some(12_000), Some(480_000)));
    }
}
