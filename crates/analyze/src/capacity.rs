//! How much work one more thread adds, and the unused capacity of a machine that is partly busy.

use fauxplat_model::{ShiftSample, Worth};
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::describe::median;
use fauxplat_units::{Cpu, CpuSet};

/// Work per second of several workers together, divided by the mean work per second of one of them alone: the median
/// over the rounds, with a 95 % interval.
///
/// `together` and `alone` hold the samples in which all workers, or only one, ran. `None` if no round has both.
pub fn worth(cpus: CpuSet, together: &[&ShiftSample], alone: &[&ShiftSample], seed: u64) -> Option<Worth> {
    let rounds = together.iter().map(|sample| sample.round + 1).max()?;
    let speed = |samples: &[&ShiftSample], round: u32| {
        let of_round = samples.iter().filter(|sample| sample.round == round);
        let speeds: Vec<f64> = of_round.map(|sample| 1.0 / sample.wall_ns_per_unit()).collect();
        (!speeds.is_empty()).then(|| (speeds.iter().sum::<f64>(), speeds.len() as f64))
    };
    let ratio = |round| {
        let ((all, _), (sum, count)) = (speed(together, round)?, speed(alone, round)?);
        Some(all / (sum / count))
    };
    let ratios: Vec<f64> = (0..rounds).filter_map(ratio).collect();
    let centre = median(&ratios)?;
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let (low, high) = bca_interval(&logs, 0.05, seed).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    Some(Worth { cpus, ratio: centre, low_ratio: low.exp().min(centre), high_ratio: high.exp().max(centre) })
}

/// Returns the mean share of time in which CPUs are busy, and the share of the machine's capacity that is unused.
///
/// `cores` has the CPUs of each core and the work of all its threads together, in multiples of the work of one thread
/// alone; `busy` is the share of time in which a CPU was not idle. The threads of a core are assumed to be busy
/// independently of each other, so the number of busy threads has a Poisson binomial distribution. The work of k of n
/// threads is interpolated linearly between one thread and all.
pub fn capacity_left(cores: &[(CpuSet, f64)], busy: impl Fn(Cpu) -> f64) -> (f64, f64) {
    let cpus: Vec<f64> = cores.iter().flat_map(|(cpus, _)| cpus.iter()).map(&busy).collect();
    let busy_share = cpus.iter().sum::<f64>() / cpus.len().max(1) as f64;
    let total: f64 = cores.iter().map(|(_, worth)| worth).sum();
    let used: f64 =
        cores.iter().map(|(cpus, worth)| used(&cpus.iter().map(&busy).collect::<Vec<_>>(), *worth)).sum();
    (busy_share, if total > 0.0 { (1.0 - used / total).clamp(0.0, 1.0) } else { 0.0 })
}

/// Expected work of a core whose threads are busy for the shares `busy` of the time, in multiples of the work of one
/// thread; `worth` is the work of all threads together.
fn used(busy: &[f64], worth: f64) -> f64 {
    let mut probability = vec![1.0];
    for &share in busy {
        let mut next = vec![0.0; probability.len() + 1];
        for (count, p) in probability.iter().enumerate() {
            next[count] += p * (1.0 - share);
            next[count + 1] += p * share;
        }
        probability = next;
    }
    let threads = busy.len();
    let of = |count: usize| match (count, threads) {
        (0, _) => 0.0,
        (_, 1) => worth,
        _ => 1.0 + (worth - 1.0) * (count - 1) as f64 / (threads - 1) as f64,
    };
    probability.iter().enumerate().map(|(count, p)| p * of(count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    #[test]
    fn half_idle_is_not_half_free_where_threads_share_a_core() {
        let cores = [(set("0,2"), 1.2), (set("1,3"), 1.2)];
        // A single busy thread on each core: the CPUs are 50 % busy, although only a sixth of the capacity is unused.
        let (busy, left) = capacity_left(&cores, |cpu| if cpu.0 < 2 { 1.0 } else { 0.0 });
        assert!((busy - 0.5).abs() < 1e-12 && (left - 1.0 / 6.0).abs() < 1e-12, "{busy} {left}");
        // Two busy threads on a single core: the CPUs are 50 % busy again, and half of the capacity is unused.
        let (_, left) = capacity_left(&cores, |cpu| if cpu.0 % 2 == 0 { 1.0 } else { 0.0 });
        assert!((left - 0.5).abs() < 1e-12);
        let (busy, left) = capacity_left(&[(set("0"), 1.0), (set("1"), 1.0)], |_| 0.25);
        assert!((busy - 0.25).abs() < 1e-12 && (left - 0.75).abs() < 1e-12);
    }

    #[test]
    fn worth_is_paired_round_by_round() {
        let sample = |round, wall_ns| ShiftSample { round, units: 100, wall_ns, ..ShiftSample::default() };
        // The machine gets slower from round to round, which must not change the ratio of work together to work alone.
        let alone: Vec<ShiftSample> =
            (0..8).map(|round| sample(round, 1000 + 500 * u64::from(round))).collect();
        let both: Vec<ShiftSample> =
            (0..8).flat_map(|round| vec![sample(round, 1500 + 750 * u64::from(round)); 2]).collect();
        let found = worth(set("0,1"), &both.iter().collect::<Vec<_>>(), &alone.iter().collect::<Vec<_>>(), 1)
            .unwrap();
        assert!((found.ratio - 4.0 / 3.0).abs() < 1e-9 && found.low_ratio > 1.3 && found.high_ratio < 1.4);
    }
}
