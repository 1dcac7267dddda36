//! Shares of the variance, with intervals.

use super::{FactorEstimates, Parts};
use crate::describe::quantile_sorted;
use crate::draw::Draw;
use crate::noncentral::noncentral_f_cdf;

/// Number of random draws from which each interval is computed.
const DRAWS: usize = 2000;

/// Number of points of a confidence distribution.
const GRID: usize = 160;

/// Share of a factor or of the residual, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Share of the sum of all components, 0 to 1.
    pub share: f64,
    /// Lower end of the interval of `share`.
    pub low: f64,
    /// Upper end of the interval of `share`.
    pub high: f64,
}

/// Shares of all factors, followed by that of the residual, with intervals at `level` (0.05 for 95 %).
///
/// The intervals are those of generalised pivots (Weerahandi 1993; Hannig, Iyer and Patterson 2006): each mean square
/// is divided by a drawn χ² and solved for its component, so the uncertainty due to few levels is included. The
/// variance between eight stack displacements, for instance, is only known as well as eight numbers permit. For a
/// factor whose levels are not a sample, draws come from the confidence distribution of its noncentrality.
pub fn shares(parts: &Parts, level: f64, seed: u64) -> Vec<Share> {
    let mut draw = Draw::new(seed, 7);
    let known: Vec<Option<Confidence>> =
        parts.factors.iter().map(|part| Confidence::of(part, parts)).collect();
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(DRAWS); parts.factors.len() + 1];
    for _ in 0..DRAWS {
        let residual = parts.residual * parts.df / draw.chi_square(parts.df);
        let component = |(part, known): (&FactorEstimates, &Option<Confidence>)| match known {
            Some(known) => known.at(draw.uniform()) * residual / (part.df as f64 * part.multiplier),
            None if part.df == 0 => 0.0,
            None => {
                let mean_square = part.squares / draw.chi_square(part.df as f64);
                (mean_square - residual) / part.multiplier
            }
        };
        let mut all: Vec<f64> = parts.factors.iter().zip(&known).map(component).collect();
        all.push(residual);
        // A drawn component may be negative. Truncating it before the sum would make components of zero look positive,
        // and the others smaller.
        let total: f64 = all.iter().sum();
        let share = |part: f64| if total > 0.0 { (part / total).clamp(0.0, 1.0) } else { 0.0 };
        drawn.iter_mut().zip(all).for_each(|(drawn, part)| drawn.push(share(part)));
    }
    let found: Vec<f64> = parts.factors.iter().map(|part| part.variance).chain([parts.residual]).collect();
    let total: f64 = found.iter().sum();
    let share = |(component, mut drawn): (f64, Vec<f64>)| {
        drawn.sort_unstable_by(f64::total_cmp);
        let share = if total > 0.0 { component / total } else { 0.0 };
        let end = |probability| quantile_sorted(&drawn, probability).unwrap_or(share);
        Share { share, low: end(level / 2.0).min(share), high: end(1.0 - level / 2.0).max(share) }
    };
    found.into_iter().zip(drawn).map(share).collect()
}

/// The confidence distribution of a noncentrality: the probability of the observed ratio as a function of the
/// noncentrality.
struct Confidence {
    /// Noncentrality and P(F ≤ observed), the latter descending.
    points: Vec<(f64, f64)>,
}

impl Confidence {
    /// The distribution for a factor whose levels are not a sample; `None` for a sample, or without a residual.
    fn of(part: &FactorEstimates, parts: &Parts) -> Option<Self> {
        if part.is_sample || part.df == 0 || parts.residual <= 0.0 {
            return None;
        }
        let (df1, df2) = (part.df as f64, parts.df);
        let f = part.squares / df1 / parts.residual;
        // Five standard deviations of a noncentral χ² beyond the observed value.
        let most = df1 * f + 5.0 * (2.0 * (df1 + 2.0 * df1 * f)).sqrt() + 20.0;
        let point = |index: usize| {
            let lambda = most * (index as f64 / (GRID - 1) as f64).powi(2);
            (lambda, noncentral_f_cdf(f, df1, df2, lambda))
        };
        Some(Confidence { points: (0..GRID).map(point).collect() })
    }

    /// The noncentrality at which the observed ratio has this probability; zero if it is below that even for a
    /// noncentrality of zero.
    fn at(&self, probability: f64) -> f64 {
        let after = self.points.partition_point(|point| point.1 > probability);
        let Some(before) = after.checked_sub(1) else { return 0.0 };
        let (Some(&(x1, y1)), (x0, y0)) = (self.points.get(after), self.points[before]) else {
            return self.points[before].0;
        };
        x0 + (x1 - x0) * (y0 - probability) / (y0 - y1).max(1e-12)
    }
}
