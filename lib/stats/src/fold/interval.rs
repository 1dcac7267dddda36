//! How sure a period is.

use super::candidate::{Candidate, centre};
use super::{FEW_BINS, Folder};
use crate::describe::quantile_sorted;

impl Folder<'_> {
    /// All periods near the best that are nearly as likely, and those that the replicates prefer.
    pub(super) fn interval(&self, best: &Candidate, effects: &[f64], replicates: &[Vec<f64>]) -> (f64, f64) {
        let near = self.near(best);
        let spreads = |effects: &[f64]| -> Vec<f64> {
            let mut centred = effects.to_vec();
            let total = centre(&mut centred);
            near.iter().map(|(_, shape)| (total - shape.explains(&centred)).max(1e-12 * total)).collect()
        };
        let least = |spreads: &[f64]| spreads.iter().copied().fold(f64::INFINITY, f64::min);
        let observed = spreads(effects);
        // Twice the log likelihood ratio of normal noise; 3.84 is the 95 % quantile of χ² with one degree of freedom.
        let limit = least(&observed) * (3.84 / effects.len() as f64).exp();
        let likely =
            || near.iter().zip(&observed).filter(|(_, spread)| **spread <= limit).map(|(one, _)| one.0);
        let preferred = |effects: &Vec<f64>| {
            let spreads = spreads(effects);
            let least = least(&spreads);
            near[spreads.iter().position(|&spread| spread == least).unwrap_or(0)].0
        };
        let mut resampled: Vec<f64> = replicates.iter().map(preferred).collect();
        resampled.sort_unstable_by(f64::total_cmp);
        let end = |probability, or| quantile_sorted(&resampled, probability).unwrap_or(or);
        let (low, high) = (likely().fold(best.period, f64::min), likely().fold(best.period, f64::max));
        (low.min(end(0.025, low)), high.max(end(0.975, high)))
    }

    /// A fine grid within one resolution of a period, itself in the middle, with the shape that each period gives. Few
    /// bins would jump from one position to the next, so their shape is drawn by as many harmonics.
    fn near(&self, best: &Candidate) -> Vec<(f64, Shape)> {
        const POINTS: i32 = 60;
        let bins = best.inverse_counts.len();
        let reach = (best.period * best.period / self.range).min(best.period / 3.0);
        let at = |point: i32| {
            let period = best.period + reach * f64::from(point) / f64::from(POINTS);
            let shape = match bins <= FEW_BINS {
                true => Shape::Waves(waves(self.positions, period, bins / 2)),
                false => Shape::Bins(self.candidate(period, bins)),
            };
            (period, shape)
        };
        (-POINTS..=POINTS).map(at).collect()
    }
}

/// What effects are projected on.
enum Shape {
    /// Orthonormal columns.
    Waves(Vec<Vec<f64>>),
    /// Indicators of bins.
    Bins(Candidate),
}

impl Shape {
    /// Sum of squares of centred effects that it explains.
    fn explains(&self, centred: &[f64]) -> f64 {
        match self {
            Shape::Waves(columns) => columns.iter().map(|column| dot(column, centred).powi(2)).sum(),
            Shape::Bins(candidate) => candidate.between(centred),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Cosines and sines of a period and its harmonics at the positions, less their means, made orthonormal (Gram and
/// Schmidt). What is left of no length, such as a sine of half the step, is not a column.
fn waves(positions: &[f64], period: f64, harmonics: usize) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (harmonic, function) in
        (1..=harmonics.max(1)).flat_map(|h| [(h, f64::cos as fn(f64) -> f64), (h, f64::sin)])
    {
        let turn = 2.0 * std::f64::consts::PI * harmonic as f64 / period;
        let mut column: Vec<f64> = positions.iter().map(|x| function(turn * x)).collect();
        centre(&mut column);
        for earlier in &columns {
            let along = dot(earlier, &column);
            column.iter_mut().zip(earlier).for_each(|(value, earlier)| *value -= along * earlier);
        }
        let length = dot(&column, &column).sqrt();
        if length > 1e-6 * (positions.len() as f64).sqrt() {
            column.iter_mut().for_each(|value| *value /= length);
            columns.push(column);
        }
    }
    columns
}
