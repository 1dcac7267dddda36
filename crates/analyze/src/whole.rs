//! Tests in addition to the test of typical runs: of rare slow runs, the mean, and the spread. Programs are equivalent
//! as a whole only if all four are equivalent.

use fauxplat_model::{Side, Verdict};
use fauxplat_stats::describe::median_in_place;
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::mean_ratio::{MeanRatio, mean_ratio};
use fauxplat_stats::paired::path::Keys;
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted, tail};

use crate::design::Design;
use crate::series::{FAR, Look, Series, TYPICAL_SHARE};
use crate::slow_runs::side;
use crate::standing::{Sides, Spread, Standing, bounded};

/// Readings beyond this multiple of the median reading of both commands count as this multiple in the test of the mean.
const FAR_READING: f64 = 4.0;

/// Share of the usual distance of two successive runs by which the spreads may differ and still count as equal; the
/// margin if that is larger.
const SPREAD_PART: f64 = 0.25;

/// Choice among two successive runs of a command.
#[derive(Clone, Copy)]
enum Runs {
    All,
    First,
    Second,
}

impl Series {
    pub(crate) fn mean(&self, n: usize, level: f64) -> Option<MeanRatio> {
        let view = self.is_twice().then(|| self.view(n));
        let [is_parted, is_in_doubt] = view.map_or([false; 2], |it| [it.is_parted(), it.is_in_doubt()]);
        let of = |runs| mean_ratio(&self.seen_readings(n, runs), level);
        match (is_in_doubt, is_parted) {
            (true, _) => Some(of(Runs::All)?.reaching(&of(Runs::First)?).reaching(&of(Runs::Second)?)),
            (false, true) => of(Runs::Second),
            (false, false) => of(Runs::All),
        }
    }

    /// Readings of A and B in the first `n` clusters, pair by pair, of the runs that `runs` selects. A cluster whose
    /// pairs are not independent, such as a layout, gives a single pair: the means of its readings.
    fn seen_readings(&self, n: usize, runs: Runs) -> Vec<(f64, f64)> {
        let per_cluster = (self.readings.len() / self.d.len().max(1)).max(1);
        let clusters = self.readings[..n * per_cluster].chunks(per_cluster);
        let (skipped, step) = match runs {
            Runs::All => (0, 1),
            Runs::First => (0, 2),
            Runs::Second => (1, 2),
        };
        let answering = |pairs: &[(f64, f64)]| -> Vec<(f64, f64)> {
            pairs.iter().copied().skip(skipped).step_by(step).collect()
        };
        match self.group > 1 {
            true => clusters.flat_map(answering).collect(),
            false => clusters.map(|pairs| mean_pair(&answering(pairs))).collect(),
        }
    }

    /// The readings of A and B that decide, cluster by cluster, up to the look at the data of `standing`: of all runs,
    /// or only of runs that follow their own command. `None` before the first look.
    pub(crate) fn answering_readings(&self, standing: &Standing) -> Option<Vec<Vec<(f64, f64)>>> {
        let per_cluster = self.readings.len() / self.d.len().max(1);
        let skipped = usize::from(standing.parted);
        let answering =
            |pairs: &[(f64, f64)]| pairs.iter().copied().skip(skipped).step_by(1 + skipped).collect();
        let seen = self.readings.get(..standing.n * per_cluster)?;
        (standing.n > 0).then(|| seen.chunks(per_cluster).map(answering).collect())
    }

    /// The sum of the readings of B minus that of A in each of the first `n` clusters (blocks); very large readings are
    /// capped. Exchanging A and B in a cluster only changes the sign.
    pub(crate) fn excess_readings(&self, n: usize) -> Vec<f64> {
        let per_cluster = self.readings.len() / self.d.len().max(1);
        let seen = &self.readings[..n * per_cluster];
        let mut all: Vec<f64> = seen.iter().flat_map(|&(a, b)| [a, b]).collect();
        let cap = FAR_READING * median_in_place(&mut all).unwrap_or(f64::INFINITY);
        let excess = |pairs: &[(f64, f64)]| pairs.iter().map(|(a, b)| b.min(cap) - a.min(cap)).sum();
        seen.chunks(per_cluster.max(1)).map(excess).collect()
    }

    /// Test statistic (in z) of slow runs or of the mean, whichever is farther from zero; positive if B is higher.
    pub(crate) fn rare_key(&self, n: usize) -> f64 {
        let tail = tail::observed(&self.pairs[..n * self.group], self.excess.least());
        let mean = self.mean_key(n);
        if tail.abs() >= mean.abs() { tail } else { mean }
    }

    /// Test statistic of the mean (in z): the sum of B minus that of A, relative to its standard deviation under
    /// exchanged labels.
    fn mean_key(&self, n: usize) -> f64 {
        let excess = self.excess_readings(n);
        let length = excess.iter().map(|it| it * it).sum::<f64>().sqrt();
        if length > 0.0 { excess.iter().sum::<f64>() / length } else { 0.0 }
    }

    /// Test statistics of slow runs and of the mean together, for every pattern of signs.
    pub(crate) fn rare_keys(&self, rows: &Rows, n: usize) -> Keys {
        let large = tail::keys(rows, &self.pairs[..n * self.group], self.group, self.excess.least());
        large.or(&Keys::of_sums(rows, &self.excess_readings(n)))
    }

    /// Adds the conclusions about rare slow runs, the mean and the spread to those about typical runs.
    pub(crate) fn rare(&mut self, main: Standing, rows: &Rows, design: &Design, look: Look) -> Standing {
        let own = (1.0 - TYPICAL_SHARE) * look.level;
        let observed = self.rare_key(look.n);
        let mut standing = main;
        // If runs that follow their own command differ from the other runs, carry-over would look like slow runs.
        if !(main.parted || main.is_in_doubt) && observed.abs() >= normal_upper_quantile(own / 2.0) - FAR {
            let spent = design.spent(own, &self.looked, look.closing);
            let (looked, mut rare) = (self.looked.clone(), std::mem::take(&mut self.rare));
            let crossed = rare.crossed(&looked, &spent, |n| self.rare_keys(rows, n));
            self.rare = rare;
            if let Some(side) = side(crossed, observed) {
                standing = self.located(standing, look, side, crossed.critical);
            }
        }
        let spread =
            (design.question != Question::Mean).then(|| self.spread_of(rows, design, look)).flatten();
        self.bounded_as_whole(standing, design, spread)
    }

    /// Decides whether the difference towards `side`, which the joint test has shown, lies in slow runs, in the mean,
    /// or in both.
    fn located(&self, standing: Standing, look: Look, side: Side, critical: f64) -> Standing {
        let sign = if side == Side::B { 1.0 } else { -1.0 };
        let large = tail::observed(&self.pairs[..look.n * self.group], self.excess.least());
        let mean = self.mean(look.n, look.level);
        let is_moved = |it: &MeanRatio| if side == Side::B { it.low > 1.0 } else { it.high < 1.0 };
        let is_tail = sign * large >= critical.min(sign * self.mean_key(look.n));
        Standing {
            tail: if is_tail { Verdict::Different } else { standing.tail },
            tail_side: is_tail.then_some(side),
            gate_side: is_tail.then_some(side),
            mean,
            mean_verdict: match mean.as_ref().is_some_and(is_moved) {
                true => Verdict::Different,
                false => standing.mean_verdict,
            },
            ..standing
        }
    }

    /// Sets the verdicts on slow runs and the mean to *equivalent* where their differences are shown to be small
    /// enough.
    pub(crate) fn bounded_as_whole(
        &self,
        standing: Standing,
        design: &Design,
        spread: Option<Spread>,
    ) -> Standing {
        let level = standing.level;
        let mut standing = Standing { spread, ..standing };
        if standing.tail == Verdict::Inconclusive && self.excess.excludes(design.tail_margin, level) {
            standing.tail = Verdict::Equivalent;
        }
        // The mean takes longest, and is computed only if everything else is equivalent.
        let is_near = standing.typical == Verdict::Equivalent && standing.tail == Verdict::Equivalent;
        if is_near && standing.mean.is_none() {
            standing.mean = self.mean(standing.n, level);
        }
        let is_within = |it: &MeanRatio| {
            let margin = design.margin;
            it.low.ln() >= -margin && it.high.ln() <= margin && it.plain.ln().abs() <= margin
        };
        if standing.mean_verdict == Verdict::Inconclusive && standing.mean.as_ref().is_some_and(is_within) {
            standing.mean_verdict = Verdict::Equivalent;
        }
        standing
    }

    /// State of the comparison at a look at the data if the mean decides.
    pub(crate) fn by_mean(&mut self, rows: &Rows, design: &Design, look: Look) -> Standing {
        let open =
            Standing { parted: self.is_twice() && self.view(look.n).is_parted(), ..Standing::open(look.n) };
        let Some(mean) = self.mean(look.n, look.level) else { return open };
        let level = TYPICAL_SHARE * look.level;
        let spent = design.spent(level, &self.looked, look.closing);
        let (looked, mut zero) = (self.looked.clone(), std::mem::take(&mut self.zero));
        let crossed = zero.crossed(&looked, &spent, |n| Keys::of_sums(rows, &self.excess_readings(n)));
        self.zero = zero;
        let (low, high, margin) = (mean.low.ln(), mean.high.ln(), design.margin);
        let (up, down) = (crossed.up && low > 0.0, crossed.down && high < 0.0);
        // The interval says nothing about the excess of readings beyond the cap, so the difference counts as within the
        // margin only if the ratio of the uncapped means lies within it too.
        let capped = mean.plain.ln();
        let held = Sides::of(low, high, margin);
        let beyond = Sides {
            up: held.up.filter(|&is_beyond| is_beyond || capped <= margin),
            down: held.down.filter(|&is_beyond| is_beyond || capped >= -margin),
        };
        // The interval, which comes from a betting test, and the sign-flip test both have to show a difference.
        let beyond = beyond.agreeing(up, down);
        let is_equal = !(up || down) && beyond == Sides::WITHIN;
        let verdict = match (up || down, is_equal) {
            (true, _) => Verdict::Different,
            (_, true) => Verdict::Equivalent,
            _ => Verdict::Inconclusive,
        };
        Standing {
            estimate: mean.ratio.ln(),
            se: 0.5 * (high - low) / crossed.critical.min(4.0),
            low: bounded(low),
            high: bounded(high),
            critical: crossed.critical,
            beyond,
            typical: verdict,
            mean: Some(mean),
            mean_verdict: verdict,
            ..open
        }
    }

    /// Compares the spreads of B and A, which are the distances of two successive runs of a command; `None` unless
    /// commands ran twice in a row.
    pub(crate) fn spread_of(&mut self, rows: &Rows, design: &Design, look: Look) -> Option<Spread> {
        if !self.is_twice() {
            return None;
        }
        let mut usual = self.apart_usual[..look.n].to_vec();
        let usual = median_in_place(&mut usual)?;
        let of_each = self.apart_of_each(look.n);
        let margin = design.margin.max(SPREAD_PART * usual);
        let spent = design.spent(look.level, &self.looked, look.closing);
        let (looked, mut paths) = (self.looked.clone(), std::mem::take(&mut self.spread));
        let keys = |n: usize| Keys::of(rows, &Sorted::new(&self.apart[..n]), 0.0, Question::Typical);
        let crossed = paths.crossed(&looked, &spent, keys);
        self.spread = paths;
        let sorted = Sorted::new(&self.apart[..look.n]);
        let shift = Shift::new(&sorted, Question::Typical);
        let (low, high) = shift.interval(crossed.critical, &[-margin, 0.0, margin]);
        let verdict = match (low > margin || high < -margin, -margin <= low && high <= margin) {
            (true, _) if crossed.up || crossed.down => Verdict::Different,
            (_, true) => Verdict::Equivalent,
            _ => Verdict::Inconclusive,
        };
        let difference = shift.estimate().clamp(low, high);
        let (low, high) = (bounded(low), bounded(high));
        Some(Spread { usual, of_each, difference, low, high, margin, verdict })
    }

    /// Median distances of two successive runs of A, and of two of B, over the first `n` clusters.
    fn apart_of_each(&self, n: usize) -> [f64; 2] {
        [-0.5, 0.5].map(|half| {
            let both = self.apart_usual[..n].iter().zip(&self.apart[..n]);
            let mut own: Vec<f64> = both.map(|(usual, difference)| usual + half * difference).collect();
            median_in_place(&mut own).unwrap_or(0.0)
        })
    }
}

fn mean_pair(pairs: &[(f64, f64)]) -> (f64, f64) {
    let count = pairs.len().max(1) as f64;
    let sums = pairs.iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    (sums.0 / count, sums.1 / count)
}

#[cfg(test)]
mod tests {
    use fauxplat_model::Rule;

    use super::*;
    use crate::pairing::{Seen, Twice};

    /// A block in which each command runs twice in a row with equal readings.
    fn block() -> Seen {
        let twice = Twice { after_itself: 0.0, after_another: 0.0, apart: [0.0; 2] };
        Seen {
            log_ratios: vec![0.0; 2],
            readings: vec![(100.0, 100.0); 2],
            twice: Some(twice),
            ..Seen::of(0.0, 100f64.ln())
        }
    }

    #[test]
    fn pairs_of_one_layout_are_one_pair_of_means() {
        for (question, pairs) in [(Question::Typical, 22), (Question::Mean, 11)] {
            let design = Design::new(&Rule::default(), 0.01, 1, 64, question);
            let mut series = Series::new(&design);
            (0..11).for_each(|_| {
                series.push(&block(), &design);
            });
            assert_eq!(series.seen_readings(11, Runs::All).len(), pairs);
        }
    }
}
