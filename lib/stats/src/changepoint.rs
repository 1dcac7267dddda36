//! Changes of level in a series: a scan of rank sums over all places, with p-values from random orders.

use std::collections::BTreeMap;

use crate::draw::Draw;

/// Number of random orders for the null distribution of each length of a series.
const DRAWS: usize = 999;

/// A change of level in a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first value of the new level.
    pub at: usize,
    /// p-value of the largest statistic anywhere in the scanned stretch.
    pub p_value: f64,
}

/// Finds changes, and caches the null distribution for each length of a series.
///
/// The statistic is the largest standardised Wilcoxon rank sum over all places that leave `min_segment` values on
/// either side (Pettitt 1979 uses the scan without standardisation, which cannot detect changes near the ends). Its
/// distribution without a change is that of random orders, whatever the distribution of the values.
#[derive(Clone, Debug)]
pub struct Scanner {
    min_segment: usize,
    seed: u64,
    by_chance: BTreeMap<usize, Chance>,
}

/// The largest statistic in random orders of one length.
#[derive(Clone, Debug)]
struct Chance {
    /// The largest statistic of each random order, in ascending order.
    sorted: Vec<f64>,
    /// Factor of x·exp(−x²/2), by which the tail beyond the resolution of the draws is approximated.
    tail: f64,
}

impl Scanner {
    /// Creates a scanner with the minimum number of values between changes, and a seed for the random orders.
    pub fn new(min_segment: usize, seed: u64) -> Self {
        Scanner { min_segment: min_segment.max(1), seed, by_chance: BTreeMap::new() }
    }

    /// All changes with a p-value of at most `alpha` within the stretch in which they are found, in ascending order:
    /// the whole series is scanned, then the parts on either side of the change (binary segmentation, Vostrikova 1981).
    pub fn changes(&mut self, values: &[f64], alpha: f64) -> Vec<Change> {
        let mut found = Vec::new();
        self.split(values, 0, alpha, &mut found);
        found.sort_by_key(|change| change.at);
        found
    }

    fn split(&mut self, values: &[f64], offset: usize, alpha: f64, found: &mut Vec<Change>) {
        let Some(change) = self.strongest(values).filter(|change| change.p_value <= alpha) else { return };
        let (before, after) = values.split_at(change.at);
        found.push(Change { at: offset + change.at, ..change });
        self.split(before, offset, alpha, found);
        self.split(after, offset + change.at, alpha, found);
    }

    /// The most likely place of a change, with its p-value. `None` for a series that is too short or constant.
    pub fn strongest(&mut self, values: &[f64]) -> Option<Change> {
        let (at, statistic) = scan(&midranks(values), self.min_segment)?;
        let (min_segment, seed) = (self.min_segment, self.seed);
        let chance =
            self.by_chance.entry(values.len()).or_insert_with(|| Chance::of(values.len(), min_segment, seed));
        Some(Change { at, p_value: chance.p_value(statistic) })
    }

    /// As [`Scanner::strongest`], for a series in which the standard error of a mean is `inflation` times that of
    /// independent values, because neighbours resemble each other. Lengths that differ by less than a tenth share a
    /// null distribution, so that the many stretches of a long series cost little.
    pub fn strongest_inflated(&mut self, values: &[f64], inflation: f64) -> Option<Change> {
        let (at, statistic) = scan(&midranks(values), self.min_segment)?;
        let (min_segment, seed, length) = (self.min_segment, self.seed, length_on_grid(values.len()));
        let chance = self.by_chance.entry(length).or_insert_with(|| Chance::of(length, min_segment, seed));
        Some(Change { at, p_value: chance.p_value(statistic / inflation.max(1.0)) })
    }
}

/// Length up to which every length has a null distribution of its own.
const EXACT: usize = 64;

/// Length whose null distribution is used for a series of `n` values. For long series this is the next length of a grid
/// in steps of a tenth, whose largest statistic tends to be larger, so the p-value tends to be too large rather than
/// too small.
fn length_on_grid(n: usize) -> usize {
    let mut length = EXACT;
    while length < n {
        length += (length / 10).max(1);
    }
    if n <= EXACT { n } else { length }
}

impl Chance {
    fn of(n: usize, min_segment: usize, seed: u64) -> Self {
        let mut draw = Draw::new(seed, n as u64);
        let mut ranks: Vec<f64> = (1..=n).map(|rank| rank as f64).collect();
        let mut largest = || {
            draw.shuffle(&mut ranks);
            scan(&ranks, min_segment).map_or(0.0, |(_, statistic)| statistic)
        };
        let mut sorted: Vec<f64> = (0..DRAWS).map(|_| largest()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let tail = tail(&sorted);
        Chance { sorted, tail }
    }

    /// The share of random orders with at least this statistic, including the observed order (Phipson and Smyth 2010).
    /// Beyond the draws, the tail of a maximum of correlated normal deviates is used, fitted to the largest draws, and
    /// never a larger value than they allow.
    fn p_value(&self, statistic: f64) -> f64 {
        let beyond = self.sorted.len() - self.sorted.partition_point(|&drawn| drawn < statistic);
        let counted = (beyond + 1) as f64 / (self.sorted.len() + 1) as f64;
        match beyond {
            0 => counted.min(self.tail * statistic * (-0.5 * statistic * statistic).exp()),
            _ => counted,
        }
    }
}

/// Factor of x·exp(−x²/2), the form of the upper tail of the largest statistic (Miller and Siegmund 1982), that bounds
/// the draws: the largest ratio over their last twentieth, so that the extrapolated tail tends to be too large rather
/// than too small.
fn tail(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    let from = n - n / 20;
    let factor = |place: usize| {
        let x = sorted[place];
        (n - place) as f64 / n as f64 / (x * (-0.5 * x * x).exp())
    };
    (from..n).map(factor).filter(|factor| factor.is_finite()).fold(1.0, f64::max)
}

/// The place with the largest standardised rank sum, with this sum.
fn scan(ranks: &[f64], min_segment: usize) -> Option<(usize, f64)> {
    let n = ranks.len();
    let centre = (n as f64 + 1.0) / 2.0;
    let variance = ranks.iter().map(|rank| (rank - centre).powi(2)).sum::<f64>() / (n as f64 - 1.0);
    if n < 2 * min_segment || variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let (mut sum, mut best) = (0.0, (0, -1.0));
    for k in 1..=n - min_segment {
        sum += ranks[k - 1] - centre;
        // Variance of a sum of k out of n without replacement.
        let statistic = sum * sum / (k as f64 * (n - k) as f64);
        if k >= min_segment && statistic > best.1 {
            best = (k, statistic);
        }
    }
    Some((best.0, (best.1 * n as f64 / variance).sqrt()))
}

/// Ranks from 1; equal values share the mean of their ranks.
fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = first as f64 + (group.len() as f64 + 1.0) / 2.0;
        group.iter().for_each(|&index| ranks[index] = rank);
        first += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series of `n` values: noise with standard deviation 0.02, and `step` added from index `at` on.
    fn series(n: usize, at: usize, step: f64, draw: &mut Draw) -> Vec<f64> {
        (0..n).map(|place| 0.02 * draw.normal() + if place >= at { step } else { 0.0 }).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(9, 0));
        let found = |scanner: &mut Scanner, draw: &mut Draw| {
            let changes = scanner.changes(&series(200, 150, 0.05, draw), 0.01);
            changes.iter().any(|change| change.at.abs_diff(150) <= 2)
        };
        let hits = (0..40).filter(|_| found(&mut scanner, &mut draw)).count();
        assert!(hits >= 36, "{hits}");
    }

    #[test]
    fn noise_is_called_a_change_as_rarely_as_asked() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(10, 0));
        let false_alarms =
            (0..500).filter(|_| !scanner.changes(&series(50, 50, 0.0, &mut draw), 0.01).is_empty()).count();
        // 1 % of 500 is 5; three standard deviations are 7.
        assert!(false_alarms <= 12, "{false_alarms}");
    }

    #[test]
    fn a_spike_is_no_change_and_a_step_back_is_two() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(11, 0));
        let mut spiked = series(100, 100, 0.0, &mut draw);
        spiked[40] += 0.3;
        assert_eq!(scanner.changes(&spiked, 0.01), []);
        let bump: Vec<f64> = series(90, 30, 0.2, &mut draw)
            .into_iter()
            .enumerate()
            .map(|(at, v)| if at >= 60 { v - 0.2 } else { v })
            .collect();
        let at: Vec<usize> = scanner.changes(&bump, 0.01).iter().map(|change| change.at).collect();
        assert_eq!(at, [30, 60]);
    }

    #[test]
    fn nothing_is_said_of_what_is_short_or_never_varies() {
        let mut scanner = Scanner::new(4, 1);
        assert_eq!(scanner.strongest(&[1.0; 50]), None);
        assert_eq!(scanner.strongest(&[1.0, 2.0, 3.0]), None);
        assert_eq!(scanner.strongest(&[]), None);
        // Two levels within eight values: the most extreme of all orders, which chance still produces occasionally.
        let two: Vec<f64> = (0..8).map(f64::from).collect();
        assert!(scanner.strongest(&two).unwrap().p_value > 0.01);
    }

    #[test]
    fn what_lies_far_beyond_chance_has_a_small_p() {
        let mut scanner = Scanner::new(4, 1);
        let step: Vec<f64> =
            (0..200).map(|at| f64::from(at) * 1e-6 + f64::from(u8::from(at >= 100))).collect();
        let change = scanner.strongest(&step).unwrap();
        assert!(change.at == 100 && change.p_value < 1e-20, "{change:?}");
    }
}
