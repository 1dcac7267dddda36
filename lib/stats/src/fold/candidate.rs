//! A candidate period: its bins, and the part of the effects that these explain.

use crate::noncentral::f_upper_tail;

/// Number of arrangements that are judged at a time, chosen to fit a few vector registers.
pub(super) const LANES: usize = 8;

/// A period and the bin of each position.
pub(super) struct Candidate {
    pub(super) period: f64,
    bins: Vec<u16>,
    pub(super) inverse_counts: Vec<f64>,
    /// Number of bins that contain a position.
    pub(super) used: usize,
}

impl Candidate {
    /// Folds the positions at a period into `bins` bins. Positions that are a number of whole bins from the middle
    /// position lie in the middle of a bin, so that rounding cannot move them to another.
    pub(super) fn new(positions: &[f64], period: f64, bins: usize) -> Self {
        let middle = positions[positions.len() / 2];
        let bin = |position: &f64| {
            let phase = (position - middle).rem_euclid(period) / period;
            ((phase * bins as f64 + 0.5) as usize % bins) as u16
        };
        let places: Vec<u16> = positions.iter().map(bin).collect();
        let mut counts = vec![0u32; bins];
        places.iter().for_each(|&bin| counts[usize::from(bin)] += 1);
        Candidate {
            period,
            bins: places,
            used: counts.iter().filter(|&&count| count > 0).count(),
            inverse_counts: counts.iter().map(|&n| if n > 0 { 1.0 / f64::from(n) } else { 0.0 }).collect(),
        }
    }

    /// Whether enough degrees of freedom are left for a test.
    pub(super) fn is_testable(&self) -> bool {
        self.used >= 2 && self.bins.len() >= self.used + 3
    }

    /// Sums of squares between bins of several arrangements of centred values.
    fn between_lanes(&self, values: &[[f64; LANES]]) -> [f64; LANES] {
        let mut sums = vec![[0.0; LANES]; self.inverse_counts.len()];
        for (&bin, value) in self.bins.iter().zip(values) {
            sums[usize::from(bin)].iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
        }
        let mut between = [0.0; LANES];
        for (sums, inverse) in sums.iter().zip(&self.inverse_counts) {
            between.iter_mut().zip(sums).for_each(|(between, sum)| *between += sum * sum * inverse);
        }
        between
    }

    /// Twice the gain of log likelihood under normal noise, minus the penalty for the bins (the corrected criterion of
    /// Akaike; Hurvich and Tsai 1989), so that periods with different numbers of bins are comparable.
    pub(super) fn clearness(&self, centred: &[[f64; LANES]], total: f64) -> [f64; LANES] {
        let (n, k) = (self.bins.len() as f64, self.used as f64);
        let price = 2.0 * k * n / (n - k - 1.0);
        self.between_lanes(centred)
            .map(|between| n * (total / (total - between).max(1e-12 * total)).ln() - price)
    }

    /// Degrees of freedom that the bins leave.
    pub(super) fn left(&self) -> f64 {
        (self.bins.len() - self.used) as f64
    }

    /// Sum of squares between bins of centred values.
    pub(super) fn between(&self, values: &[f64]) -> f64 {
        let mut sums = vec![0.0; self.inverse_counts.len()];
        self.bins.iter().zip(values).for_each(|(&bin, value)| sums[usize::from(bin)] += value);
        sums.iter().zip(&self.inverse_counts).map(|(sum, inverse)| sum * sum * inverse).sum()
    }

    /// Sums of squares between and within bins.
    pub(super) fn parts(&self, effects: &[f64]) -> (f64, f64) {
        let mut centred = effects.to_vec();
        let total = centre(&mut centred);
        let between = self.between(&centred);
        (between, (total - between).max(0.0))
    }

    /// Whether a candidate with more bins explains no more than this one, apart from chance, at one per cent.
    pub(super) fn explains_as_much_as(&self, finer: &Candidate, effects: &[f64]) -> bool {
        let extra = finer.used as f64 - self.used as f64;
        let left = finer.left();
        let (ours, theirs) = (self.parts(effects).1, finer.parts(effects).1);
        let f = (ours - theirs) / extra / (theirs / left);
        extra > 0.0 && (ours <= theirs || f.is_finite() && f_upper_tail(f, extra, left) > 0.01)
    }

    pub(super) fn explained(&self, effects: &[f64]) -> f64 {
        let (between, within) = self.parts(effects);
        let n = effects.len() as f64;
        let adjusted = 1.0 - within / (n - self.used as f64) / ((between + within) / (n - 1.0));
        adjusted.clamp(0.0, 1.0)
    }
}

/// Subtracts the mean; returns the remaining sum of squares.
pub(super) fn centre(values: &mut [f64]) -> f64 {
    let mean = crate::describe::mean(values).unwrap_or(0.0);
    values.iter_mut().for_each(|value| *value -= mean);
    values.iter().map(|value| value * value).sum()
}
