//! Confidence intervals of periods.

use super::candidate::{Candidate, centre};
use super::{FEW_BINS, Folder};
use crate::describe::quantile_sorted;
use crate::distribution::t_upper_quantile;
use crate::linear::Basis;

impl Folder<'_> {
    /// Interval that contains all periods near the best that are nearly as likely, and the middle 95 % of the best
    /// periods of the replicates.
    pub(super) fn interval(&self, best: &Candidate, effects: &[f64], replicates: &[Vec<f64>]) -> (f64, f64) {
        let near = self.zoom(best, effects);
        let (low, high) = likely(&near, &spreads(&near, effects));
        let preferred = |effects: &Vec<f64>| near[least(&spreads(&near, effects))].0;
        let mut resampled: Vec<f64> = replicates.iter().map(preferred).collect();
        resampled.sort_unstable_by(f64::total_cmp);
        let end = |probability, or| quantile_sorted(&resampled, probability).unwrap_or(or);
        (low.min(end(0.025, low)).min(best.period), high.max(end(0.975, high)).max(best.period))
    }

    /// Periods near the best with their shapes, so closely spaced that many of them are likely.
    fn zoom(&self, best: &Candidate, effects: &[f64]) -> Vec<(f64, Shape)> {
        const ZOOMS: usize = 6;
        let mut centre = best.period;
        let mut reach = (best.period * best.period / self.range).min(best.period / 3.0);
        let mut near = self.near(best, centre, reach);
        for _ in 0..ZOOMS {
            let spreads = spreads(&near, effects);
            let (low, high) = likely(&near, &spreads);
            if high - low >= reach / 4.0 {
                break;
            }
            centre = near[least(&spreads)].0;
            reach = 3.0 * (high - low).max(reach / f64::from(POINTS));
            near = self.near(best, centre, reach);
        }
        near
    }

    /// A grid of periods, each with its shape. With few bins positions would jump between them, so shapes with few bins
    /// are replaced by the same number of harmonics.
    fn near(&self, best: &Candidate, centre: f64, reach: f64) -> Vec<(f64, Shape)> {
        let bins = best.inverse_counts.len();
        let at = |point: i32| {
            let period = centre + reach * f64::from(point) / f64::from(POINTS);
            let shape = match bins <= FEW_BINS {
                true => Shape::Waves(waves(self.positions, period, bins / 2)),
                false => Shape::Bins(self.candidate(period, bins)),
            };
            (period, shape)
        };
        (-POINTS..=POINTS).map(at).collect()
    }
}

/// Number of grid points on either side of the centre.
const POINTS: i32 = 40;

/// Residual sum of squares of each shape.
fn spreads(near: &[(f64, Shape)], effects: &[f64]) -> Vec<f64> {
    let mut centred = effects.to_vec();
    let total = centre(&mut centred);
    near.iter().map(|(_, shape)| (total - shape.explains(&centred)).max(1e-12 * total)).collect()
}

/// Index of the smallest of these sums of squares.
fn least(spreads: &[f64]) -> usize {
    let smallest = spreads.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    smallest.map_or(0, |smallest| smallest.0)
}

/// The smallest and the largest period that are nearly as likely as the best: within the 95 % region of a profile
/// likelihood of normal noise, by F since the noise is unknown.
fn likely(near: &[(f64, Shape)], spreads: &[f64]) -> (f64, f64) {
    let best = least(spreads);
    let left = near[best].1.left().max(1.0);
    let limit = spreads[best] * (1.0 + t_upper_quantile(0.025, left).powi(2) / left);
    let inside = near.iter().zip(spreads).filter(|(_, spread)| **spread <= limit).map(|(one, _)| one.0);
    inside.fold((near[best].0, near[best].0), |(low, high), period| (low.min(period), high.max(period)))
}

/// The basis on which the effects are projected.
enum Shape {
    /// A period and its harmonics.
    Waves(Basis),
    /// Indicators of bins.
    Bins(Candidate),
}

impl Shape {
    /// Degrees of freedom that the shape leaves.
    fn left(&self) -> f64 {
        match self {
            Shape::Waves(basis) => basis.length() as f64 - basis.rank() as f64 - 1.0,
            Shape::Bins(candidate) => candidate.left(),
        }
    }

    /// Sum of squares of centred effects that the shape explains.
    fn explains(&self, centred: &[f64]) -> f64 {
        match self {
            Shape::Waves(basis) => basis.explains(centred),
            Shape::Bins(candidate) => candidate.between(centred),
        }
    }
}

/// Cosines and sines of a period and its harmonics at the positions, minus their means, made orthonormal. A wave that
/// vanishes at all positions, such as a sine of half the step, gives no column.
fn waves(positions: &[f64], period: f64, harmonics: usize) -> Basis {
    let mut basis = Basis::default();
    for (harmonic, function) in
        (1..=harmonics.max(1)).flat_map(|h| [(h, f64::cos as fn(f64) -> f64), (h, f64::sin)])
    {
        let turn = 2.0 * std::f64::consts::PI * harmonic as f64 / period;
        let mut column: Vec<f64> = positions.iter().map(|x| function(turn * x)).collect();
        if centre(&mut column) > 1e-12 * positions.len() as f64 {
            basis.push(column);
        }
    }
    basis
}
