//! The ratio of two means, with an interval that is valid whenever the sampling stops.
//!
//! The total cost of many runs is given by the mean, slow runs included. The mean of unbounded readings cannot be
//! bounded by any number of them, so readings beyond [`CAP`] times the typical reading of their command count as that
//! multiple, and readings below its inverse as the inverse. The interval inverts a bet against each ratio: a bet
//! against the true mean cannot win more than a fair game allows (Waudby-Smith and Ramdas 2024, "Estimating means of
//! bounded random variables by betting"). Neither symmetry nor any shape of the noise is assumed, nor a random order of
//! the two commands.

use crate::describe::{MAD_TO_SD, median, median_in_place};

/// Readings beyond this multiple of the typical reading of their command are capped at it.
pub const CAP: f64 = 1.5;

/// Number of standard deviations of the log readings at which the cap lies if the noise itself is wide.
const CAP_DEVIATIONS: f64 = 6.0;

/// Number of first pairs that only set the caps, without a bet.
const WARM: usize = 12;

/// Numbers of pairs for which the stakes are optimal. The right one is not known in advance, so each gets an equal part
/// of the total stake.
const HORIZONS: [f64; 5] = [16.0, 64.0, 256.0, 1024.0, 4096.0];

/// Maximum share of the remaining stake that one pair may lose.
const LOSS_MAX: f64 = 0.95;

/// Number of bisection steps that find an end of the interval.
const HALVINGS: u32 = 30;

/// The ratio of the mean of B to that of A, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanRatio {
    /// Ratio of the mean of B to that of A, from readings with the cap.
    pub ratio: f64,
    /// Lower end of the interval; zero while nothing is excluded.
    pub low: f64,
    /// Upper end of the interval; infinite while nothing is excluded.
    pub high: f64,
    /// Ratio of the mean of B to that of A, from readings without the cap.
    pub plain: f64,
    /// The cap, as a multiple of the typical reading of each command.
    pub cap: f64,
    /// Number of readings of A and of B that were capped.
    pub capped: [usize; 2],
}

impl MeanRatio {
    /// The ratio, with the interval extended to include that of another selection of readings.
    pub fn reaching(self, other: &MeanRatio) -> MeanRatio {
        MeanRatio { low: self.low.min(other.low), high: self.high.max(other.high), ..self }
    }
}

/// Ratio of the mean of B to that of A, from pairs of readings (A, B) in chronological order, all above zero. `None`
/// for fewer than `WARM` pairs, or if a typical reading is zero. `level` is the probability that the interval ever
/// misses, both sides together.
pub fn mean_ratio(pairs: &[(f64, f64)], level: f64) -> Option<MeanRatio> {
    let (first, rest) = pairs.split_at_checked(WARM)?;
    let side = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> { first.iter().map(of).collect() };
    let (a, b) = (side(|pair| pair.0), side(|pair| pair.1));
    let typical = [median(&a)?, median(&b)?];
    if !typical.iter().all(|&it| it > 0.0) {
        return None;
    }
    let cap = cap(&a, typical[0]).max(cap(&b, typical[1]));
    let scaled = |(a, b): &(f64, f64)| [a / typical[0], b / typical[1]].map(|it| it.clamp(1.0 / cap, cap));
    let (warm, bets): (Vec<[f64; 2]>, Vec<[f64; 2]>) =
        (first.iter().map(scaled).collect(), rest.iter().map(scaled).collect());
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
    let all = warm.iter().chain(&bets);
    let sums = all.fold([0.0, 0.0], |sums, pair| [sums[0] + pair[0], sums[1] + pair[1]]);
    let ratio = sums[1] / sums[0];
    let (warm_back, bets_back) = (mirrored(&warm), mirrored(&bets));
    let (forth, back) = (Stakes::new(&warm, &bets, cap), Stakes::new(&warm_back, &bets_back, cap));
    let scale = typical[1] / typical[0];
    let over = |value: f64, of: f64| value > cap * of;
    Some(MeanRatio {
        ratio: ratio * scale,
        low: forth.lower(ratio, 0.5 * level) * scale,
        high: scale / back.lower(1.0 / ratio, 0.5 * level),
        plain: sum(&|pair| pair.1) / sum(&|pair| pair.0),
        cap,
        capped: [
            pairs.iter().filter(|pair| over(pair.0, typical[0])).count(),
            pairs.iter().filter(|pair| over(pair.1, typical[1])).count(),
        ],
    })
}

/// The cap of these readings as a multiple of the typical one.
fn cap(readings: &[f64], typical: f64) -> f64 {
    let mut distances: Vec<f64> = readings.iter().map(|it| (it / typical).max(1e-9).ln().abs()).collect();
    let deviation = MAD_TO_SD * median_in_place(&mut distances).unwrap_or(0.0);
    CAP.max((CAP_DEVIATIONS * deviation).min(4.0).exp())
}

/// The pairs with A and B exchanged.
fn mirrored(pairs: &[[f64; 2]]) -> Vec<[f64; 2]> {
    pairs.iter().map(|&[a, b]| [b, a]).collect()
}

/// Stake on each pair, determined by the pairs before it.
struct Stakes<'p> {
    pairs: &'p [[f64; 2]],
    /// For each pair the stakes per unit of deviation, one for each of [`HORIZONS`].
    stakes: Vec<[f64; HORIZONS.len()]>,
    cap: f64,
}

impl<'p> Stakes<'p> {
    fn new(warm: &[[f64; 2]], pairs: &'p [[f64; 2]], cap: f64) -> Self {
        let mut past = Moments::default();
        warm.iter().for_each(|&pair| past.take(pair));
        let stakes = pairs.iter().map(|&pair| {
            let deviation = past.deviation().max(1e-6);
            past.take(pair);
            HORIZONS.map(|pairs| (2.0 * STAKED_FOR / pairs).sqrt() / deviation)
        });
        Stakes { stakes: stakes.collect(), pairs, cap }
    }

    /// Logarithm of the wealth of a bet on a ratio above `ratio`, over all horizons.
    fn evidence(&self, ratio: f64) -> f64 {
        let most = LOSS_MAX / (self.cap * ratio - 1.0 / self.cap).max(1e-3);
        let mut logs = [0.0f64; HORIZONS.len()];
        for (&[a, b], stakes) in self.pairs.iter().zip(&self.stakes) {
            let won = b - ratio * a;
            logs.iter_mut().zip(stakes).for_each(|(log, stake)| *log += (stake.min(most) * won).ln_1p());
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest + (logs.iter().map(|log| (log - largest).exp()).sum::<f64>() / logs.len() as f64).ln()
    }

    /// The largest ratio below `from` that is excluded at the level.
    fn lower(&self, from: f64, level: f64) -> f64 {
        let is_excluded = |ratio: f64| self.evidence(ratio) >= -level.ln();
        let (mut outside, mut inside) = (1e-3 * from, from);
        if !is_excluded(outside) {
            return 0.0;
        }
        for _ in 0..HALVINGS {
            let middle = (outside * inside).sqrt();
            if is_excluded(middle) { outside = middle } else { inside = middle }
        }
        outside
    }
}

/// Logarithm of the wealth that the stakes aim for: about 1000, by which one of five horizons alone excludes a ratio at
/// 99 %, two-sided.
const STAKED_FOR: f64 = 6.9;

/// Sums over the pairs so far: of the readings of A and of B, and of their squares and products.
#[derive(Default)]
struct Moments {
    count: f64,
    a: f64,
    b: f64,
    aa: f64,
    ab: f64,
    bb: f64,
}

impl Moments {
    fn take(&mut self, [a, b]: [f64; 2]) {
        self.count += 1.0;
        self.a += a;
        self.b += b;
        self.aa += a * a;
        self.ab += a * b;
        self.bb += b * b;
    }

    /// Standard deviation of B − ratio · A, with the ratio of the means.
    fn deviation(&self) -> f64 {
        let ratio = self.b / self.a;
        let square = (self.bb - 2.0 * ratio * self.ab + ratio * ratio * self.aa) / self.count;
        square.max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Pairs in which B is slow by `by` in `share` of its runs, with normal noise.
    fn pairs(draw: &mut Draw, n: usize, (share, by, sd): (f64, f64, f64)) -> Vec<(f64, f64)> {
        (0..n)
            .map(|_| {
                let slow = if draw.uniform() < share { by } else { 1.0 };
                (100.0 * (sd * draw.normal()).exp(), 250.0 * slow * (sd * draw.normal()).exp())
            })
            .collect()
    }

    #[test]
    fn the_interval_holds_at_every_moment() {
        for design in [(0.0, 1.0, 0.02), (0.3, 1.3, 0.01), (0.05, 2.0, 0.005), (0.5, 1.4, 0.01)] {
            let mut draw = Draw::new(11, 0);
            let truth = {
                let all = pairs(&mut draw, 200_000, design);
                let capped = |of: fn(&(f64, f64)) -> f64, typical: f64| {
                    all.iter().map(|pair| of(pair).clamp(typical / 1.5, 1.5 * typical)).sum::<f64>()
                };
                // In every design but the last the typical run of B is a fast one.
                (design.0 < 0.4).then(|| capped(|pair| pair.1, 250.0) / capped(|pair| pair.0, 100.0))
            };
            let Some(truth) = truth else { continue };
            let missed = (0..200u64).filter(|&seed| {
                let mut draw = Draw::new(seed, 5);
                let all = pairs(&mut draw, 400, design);
                [20, 40, 80, 160, 400].into_iter().any(|n| {
                    let found = mean_ratio(&all[..n], 0.05).unwrap();
                    // The typical reading that sets the cap is an estimate, hence the tolerance of 0.3 %.
                    found.low > truth * 1.003 || found.high < truth * 0.997
                })
            });
            // Five standard errors of 5 % in 200 are 7.7 points.
            assert!(missed.count() <= 25, "{design:?}");
        }
    }

    #[test]
    fn quiet_programs_are_bounded_and_slow_runs_are_not() {
        let mut draw = Draw::new(3, 1);
        let quiet = mean_ratio(&pairs(&mut draw, 800, (0.0, 1.0, 0.01)), 0.01).unwrap();
        assert!(quiet.low > 2.5 * 0.99 && quiet.high < 2.5 * 1.01, "{quiet:?}");
        let few = mean_ratio(&pairs(&mut draw, 100, (0.0, 1.0, 0.01)), 0.01).unwrap();
        assert!(
            few.low < 2.5 * 0.985 && few.high > 2.5 * 1.015,
            "no hundred runs say what one in a hundred does: {few:?}"
        );
        let slow = mean_ratio(&pairs(&mut draw, 800, (0.1, 10.0, 0.01)), 0.01).unwrap();
        assert!(slow.low > 2.5 * 1.01 && slow.plain > 2.5 * 1.5 && slow.capped[1] > 40, "{slow:?}");
    }

    #[test]
    fn exchanging_both_inverts_everything() {
        let mut draw = Draw::new(8, 1);
        let all = pairs(&mut draw, 300, (0.1, 1.4, 0.02));
        let back: Vec<(f64, f64)> = all.iter().map(|&(a, b)| (b, a)).collect();
        let (forth, back) = (mean_ratio(&all, 0.01).unwrap(), mean_ratio(&back, 0.01).unwrap());
        for (one, other) in [(forth.ratio, back.ratio), (forth.low, back.high), (forth.plain, back.plain)] {
            assert!((one * other - 1.0).abs() < 1e-6, "{one} {other}");
        }
        assert_eq!(mean_ratio(&all[..5], 0.01), None);
        assert_eq!(mean_ratio(&[(0.0, 0.0); 40], 0.01), None);
        let same = mean_ratio(&[(3.0, 3.0); 800], 0.01).unwrap();
        assert!(same.low > 0.99 && same.high < 1.01 && same.low < 1.0, "{same:?}");
    }
}
