//! Tests of labels and slowdowns with made-up rounds.

use super::*;

/// Sample of a worker in a round with 100 units, with its CPU time, waiting and steal in nanoseconds.
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

/// CPU time, for 100 units, of a walk of twice the size, which no longer fits into the cache.
const TWICE_NS: u64 = 180_000;

/// Findings from made-up rounds. 100 units take a worker alone 100,000 ns, together as long as `together` states for
/// each kernel (CPU time, wait, steal), and alone with a walk of twice the size `twice_ns`.
fn judged_with(
    same: bool,
    together: &[(&str, [u64; 3])],
    alone_waits_ns: u64,
    twice_ns: u64,
) -> ContendJudged {
    let pair = ContendPair {
        cpus: [Cpu(0), Cpu(if same { 0 } else { 1 })],
        hands: [0, 1],
        claimed: Neighbourhood::Separate,
        doubled: (!same).then_some([2, 3]),
    };
    let (mut cells, mut samples) = (Vec::new(), Vec::new());
    for (kernel, costs) in together {
        for hands in [vec![0], vec![1], vec![2], vec![3], vec![0, 1]] {
            for round in 0..12 {
                for &hand in &hands {
                    // The kernel `dram` takes three times as long as the others, also alone.
                    let slow = if *kernel == "dram" { 3 } else { 1 };
                    let mut cost = match hands.as_slice() {
                        [_, _] => *costs,
                        [2 | 3] => [twice_ns, 0, 0],
                        _ => [100_000, alone_waits_ns, 0],
                    };
                    cost[0] *= slow;
                    samples.push(shift(round, cells.len() as u16, hand, cost));
                }
            }
            cells.push(ContendCell { kernel: (*kernel).to_owned(), hands });
        }
    }
    contend_findings(&[pair], &cells, &samples)
}

fn judged(same: bool, together: &[(&str, [u64; 3])], alone_waits_ns: u64) -> ContendFindings {
    judged_with(same, together, alone_waits_ns, TWICE_NS).findings
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
    assert_eq!(label_of(false, &[("float", [100_000, 0, 90_000]), ("llc", free)]), Neighbourhood::Stacked);
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
}

/// The label of a pair of CPUs that do not slow each other down, after `change` has changed some of the slowdowns.
fn changed(change: impl Fn(&mut Vec<PairCost>), doubled: Interval) -> Label {
    let free = [100_000, 0, 0];
    let mut costs = judged(false, &[("float", free), ("llc", free), ("dram", free)], 0).pairs;
    change(&mut costs);
    let claimed = Neighbourhood::SharedCache;
    let pair = ContendPair { cpus: [Cpu(0), Cpu(1)], hands: [0, 1], claimed, doubled: Some([2, 3]) };
    label(&pair, &costs, Known { doubled: Some(doubled), ..Known::default() })
}

#[test]
fn what_the_last_level_cannot_tell_stays_open() {
    let slow = Interval { low: 1.7, middle: 1.8, high: 1.9 };
    let is = |change: &dyn Fn(&mut Vec<PairCost>), doubled: Interval, evidence: &str| {
        let label = changed(change, doubled);
        assert!(label.evidence.contains(evidence), "{}", label.evidence);
        assert_eq!(label.is_open, label.is == Neighbourhood::NotDecided);
        label.is
    };
    assert_eq!(is(&|_| (), slow, "one worker with twice the memory 1.80 times"), Neighbourhood::Separate);
    let held = |costs: &mut Vec<PairCost>| costs[1].alone_cpu_ns = costs[2].alone_cpu_ns;
    assert_eq!(is(&held, slow, "others hold the last-level cache"), Neighbourhood::NotDecided);
    let fits = Interval { low: 0.99, ..slow };
    assert_eq!(is(&|_| (), fits, "both workers may find room in one cache"), Neighbourhood::NotDecided);
    let faster = |costs: &mut Vec<PairCost>| costs[1].cpu_high_ratio = 0.93;
    assert_eq!(is(&faster, slow, "disturbed by other programs"), Neighbourhood::NotDecided);
    let unclear = |costs: &mut Vec<PairCost>| costs[1].cpu_high_ratio = 1.6;
    assert_eq!(is(&unclear, slow, "llc: CPU time"), Neighbourhood::NotDecided);
    let shared = |costs: &mut Vec<PairCost>| (costs[1].cpu_low_ratio, costs[1].cpu_high_ratio) = (1.2, 1.6);
    assert_eq!(is(&shared, fits, "llc: CPU time"), Neighbourhood::SharedCache);
}

#[test]
fn one_kind_of_arithmetic_that_is_free_is_enough_against_siblings() {
    let (free, slow) = ([100_000, 0, 0], [150_000, 0, 0]);
    let llc = [("llc", slow), ("dram", free)];
    let costs = [("float", free), ("integer-ports", [109_000, 0, 0])];
    assert_eq!(label_of(false, &[&costs[..], &llc].concat()), Neighbourhood::SharedCache);
    let judged = judged_with(false, &[("float", slow), ("integer-ports", free)], 0, TWICE_NS);
    assert_eq!((judged.findings.labels[0].label, judged.open), (Neighbourhood::NotDecided, vec![0]));
}

#[test]
fn ratios_and_the_identity_of_time() {
    let found = judged(false, &[("llc", [150_000, 500, 20_000])], 0);
    let cost = &found.pairs[0];
    assert!((cost.cpu_ratio - 1.5).abs() < 0.01 && cost.cpu_low_ratio <= 1.5 && cost.cpu_high_ratio >= 1.49);
    assert!((cost.wall_ratio - 1.705).abs() < 0.01, "{}", cost.wall_ratio);
    assert_eq!(cost.unexplained_share, Some(0.0));
    assert_eq!((cost.run_delay_ns, cost.steal_ns), (Some(12_000), Some(480_000)));
}

/// Findings from rounds in some of which (`near`) the CPUs share a cache; in the other rounds the host has moved them
/// apart.
fn moving(near: impl Fn(u32) -> bool) -> ContendJudged {
    let pair = ContendPair {
        cpus: [Cpu(0), Cpu(1)],
        hands: [0, 1],
        claimed: Neighbourhood::SharedCache,
        doubled: Some([2, 3]),
    };
    let (mut cells, mut samples) = (Vec::new(), Vec::new());
    for (kernel, slow) in [("float", false), ("llc", true), ("dram", false)] {
        for hands in [vec![0], vec![1], vec![2], vec![3], vec![0, 1]] {
            for round in 0..24 {
                let is_slow = slow && near(round) && hands.len() == 2;
                let unit_ns = if is_slow || hands[0] > 1 { TWICE_NS } else { 100_000 };
                let trip_ns = if near(round) { 200 } else { 650 } + u64::from(round);
                for &hand in &hands {
                    let cost = [unit_ns * if kernel == "dram" { 3 } else { 1 }, 0, 0];
                    let met = hand == 0 && hands.len() == 2;
                    let round_trips_ns = [met.then_some(trip_ns); 2];
                    samples
                        .push(ShiftSample { round_trips_ns, ..shift(round, cells.len() as u16, hand, cost) });
                }
            }
            cells.push(ContendCell { kernel: kernel.to_owned(), hands });
        }
    }
    contend_findings(&[pair], &cells, &samples)
}

#[test]
fn cpus_that_the_host_moves_are_judged_by_the_rounds_in_which_they_were_near() {
    let half = moving(|round| round % 2 == 0);
    let label = &half.findings.labels[0];
    assert_eq!((label.label, half.open.len()), (Neighbourhood::SharedCache, 0), "{}", label.evidence);
    assert!(label.evidence.contains("the host moves these CPUs"), "{}", label.evidence);
    assert!(label.round_trip_ns.unwrap() < 250.0 && label.elsewhere_share == Some(0.5));
    assert!(half.findings.pairs.iter().all(|cost| (cost.rounds, cost.elsewhere_rounds) == (12, 12)));

    let apart = moving(|_| false);
    let label = &apart.findings.labels[0];
    assert_eq!((label.label, label.elsewhere_share), (Neighbourhood::Separate, None), "{}", label.evidence);

    // The CPUs are near in too few rounds for a label, and more rounds may change that.
    let seldom = moving(|round| round % 8 == 0);
    assert_eq!((seldom.findings.labels[0].label, seldom.open.len()), (Neighbourhood::NotDecided, 1));
}

#[test]
fn what_is_handed_over_through_one_cache_decides_where_costs_do_not() {
    let interval = |low: f64, high: f64| Interval { low, middle: (low * high).sqrt(), high };
    // Arguments: the interval of the time of a cache line that the other worker wrote, relative to a line from memory;
    // the slowdown of the kernel `llc`; and the time of its walk alone relative to a walk through memory.
    let judge = |low: f64, high: f64, llc: f64, of_dram: f64| {
        let pair = ContendPair {
            cpus: [Cpu(0), Cpu(1)],
            hands: [0, 1],
            claimed: Neighbourhood::SharedCache,
            doubled: Some([2, 3]),
        };
        let free = judged(
            false,
            &[("float", [100_000, 0, 0]), ("llc", [100_000, 0, 0]), ("dram", [100_000, 0, 0])],
            0,
        );
        let mut costs = free.pairs;
        let dram_ns = costs.iter().find(|cost| cost.kernel == "dram").unwrap().alone_cpu_ns;
        let walk = costs.iter_mut().find(|cost| cost.kernel == "llc").unwrap();
        (walk.cpu_low_ratio, walk.cpu_ratio, walk.cpu_high_ratio) = (llc * 0.99, llc, llc * 1.01);
        walk.alone_cpu_ns = dram_ns.map(|ns| ns * of_dram);
        let of_memory = interval(low, high);
        let handover = Some(Handed {
            of_memory,
            handed_ns: interval(100.0 * low, 100.0 * high),
            memory_ns: interval(99.0, 101.0),
        });
        label(&pair, &costs, Known { doubled: Some(interval(5.0, 7.0)), handover, round_trip_ns: None })
    };
    // Other guests hold a part of the cache, or all of it: the walks do not slow each other down, although the cache is
    // shared.
    for of_dram in [0.2, 1.0] {
        assert_eq!(judge(0.1, 0.2, 1.0, of_dram).is, Neighbourhood::SharedCache);
        assert_eq!(judge(1.0, 1.1, 1.0, of_dram).is, Neighbourhood::Separate);
        let contradiction = judge(1.0, 1.1, 2.0, of_dram);
        assert!(contradiction.is == Neighbourhood::NotDecided && contradiction.is_open);
    }
    // If the time of handed-over lines is neither short nor long, the slowdowns decide, unless other guests hold the
    // cache.
    assert_eq!(judge(0.5, 0.8, 2.0, 0.2).is, Neighbourhood::SharedCache);
    assert_eq!(judge(0.5, 0.8, 1.0, 0.2).is, Neighbourhood::Separate);
    let held = judge(0.5, 0.8, 2.0, 1.0);
    assert!(held.is_open && held.evidence.contains("others hold"), "{held:?}");
}

#[test]
fn two_cores_under_one_limit_of_power_are_no_siblings() {
    let slow = [150_000, 0, 0];
    let costs =
        judged(false, &[("float", slow), ("integer-ports", slow), ("llc", slow), ("dram", slow)], 0).pairs;
    let claimed = Neighbourhood::Separate;
    let pair = ContendPair { cpus: [Cpu(0), Cpu(1)], hands: [0, 1], claimed, doubled: Some([2, 3]) };
    let interval = |low: f64, high: f64| Interval { low, middle: (low * high).sqrt(), high };
    let handed = |low, high| Handed {
        of_memory: interval(low, high),
        handed_ns: interval(19.0, 21.0),
        memory_ns: interval(99.0, 101.0),
    };
    let is = |round_trip_ns, handover| {
        let label = label(&pair, &costs, Known { doubled: None, handover, round_trip_ns });
        assert_eq!(label.is_open, label.is == Neighbourhood::NotDecided);
        label.is
    };
    assert_eq!(is(Some(40.0), None), Neighbourhood::SmtSibling);
    assert_eq!(is(None, None), Neighbourhood::SmtSibling);
    assert_eq!(is(Some(200.0), None), Neighbourhood::NotDecided);
    // A limit of power does not delay lines that are handed over through a common cache.
    assert_eq!(is(Some(200.0), Some(handed(0.18, 0.22))), Neighbourhood::SharedCache);
    assert_eq!(is(Some(200.0), Some(handed(1.0, 1.1))), Neighbourhood::NotDecided);
}

#[test]
fn the_interval_is_one_of_the_median() {
    use fauxplat_stats::draw::Draw;
    let mut draw = Draw::new(5, 0);
    // The ratios are skewed as slowdowns by a neighbour on the host are: the median is 1.1, and the mean and winsorised
    // means are larger.
    let mut holds = |_: &u32| {
        let ratios: Vec<f64> =
            (0..40).map(|_| 1.0 - 0.1 / std::f64::consts::LN_2 * draw.uniform().max(1e-12).ln()).collect();
        let found = middle(&ratios);
        found.low <= 1.1 && 1.1 <= found.high
    };
    let held = (0..1000).filter(&mut holds).count();
    // At a confidence of 95 %, 950 of 1000 intervals are expected to contain the median; 928 is the 0.1 % quantile.
    assert!(held >= 928, "{held} of 1000");
    let few = middle(&[1.0, 1.1, 1.2, 1.3, 1.4]);
    assert!(few.low == 0.0 && few.high.is_infinite(), "five rounds hold a median with 93.75 % only");
}

#[test]
fn steal_that_ticks_hide_asks_for_more_rounds() {
    let mut costs = judged(false, &[("float", [100_000, 0, 0])], 0).pairs;
    let mut hides = |steal_ns: u64, share: f64| {
        (costs[0].steal_ns, costs[0].unexplained_share) = (Some(steal_ns), Some(share));
        hides_in_ticks(&costs)
    };
    assert!(hides(10_000_000, 0.03) && hides(10_000_000, -0.03));
    assert!(!hides(10_000_000, 0.004), "it is known well enough");
    assert!(!hides(0, 0.03), "no round would tell more");
}
