//! Variance components of several crossed factors, by Henderson's method 3.

use crate::describe::{MAD_TO_SD, mad, mean, variance};
use crate::distribution::t_upper_quantile;
use crate::linear::{Basis, dot, inverse};
use crate::noncentral::f_upper_tail;

mod nested;
mod shares;

pub use nested::interaction;
pub use shares::{Share, shares};

/// A factor, as the level of each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Index of the level of each run.
    pub levels: Vec<u16>,
    /// Number of levels.
    pub count: usize,
    /// Whether the levels are a sample of a larger set. The component is then the variance of that set; otherwise it is
    /// the mean square of the levels themselves.
    pub is_sample: bool,
}

/// Effect of one level, with all other factors held constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelEffect {
    /// Number of runs at the level.
    pub runs: usize,
    /// Effect relative to the mean of the levels.
    pub effect: f64,
    /// Lower end of the 95 % interval of `effect`.
    pub low: f64,
    /// Upper end of the 95 % interval of `effect`.
    pub high: f64,
}

/// Estimates for one factor.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorEstimates {
    /// Variance component, zero or more.
    pub variance: f64,
    /// Sum of squares that the factor explains beyond all others.
    pub squares: f64,
    /// Degrees of freedom of `squares`.
    pub df: usize,
    /// Factor of the variance component in the expected mean square of the factor.
    pub multiplier: f64,
    /// Share of the factor's information that the design keeps separate from the other factors; 1 if orthogonal.
    pub efficiency: f64,
    /// p-value of the F test against the residual.
    pub p_value: f64,
    /// Whether the levels are a sample of a larger set.
    pub is_sample: bool,
    /// Effects of the factor's levels.
    pub levels: Vec<LevelEffect>,
    /// Residuals of the model without this factor, for each run, for randomisation tests.
    pub without: Vec<f64>,
}

/// Estimates for all factors, and the residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Estimates for each factor, in the order of the given factors.
    pub factors: Vec<FactorEstimates>,
    /// Variance of the residuals, which no factor explains.
    pub residual: f64,
    /// Degrees of freedom of `residual`.
    pub df: f64,
    /// The values with outliers winsorised, minus their mean.
    pub values: Vec<f64>,
    /// Residuals of `values`: the part of each that no factor explains.
    pub left: Vec<f64>,
    /// The mean that was subtracted from the values.
    pub centre: f64,
}

/// Number of rounds of fitting and winsorising.
const ROUNDS: usize = 3;

/// A value further than this many standard deviations from its fit is winsorised.
const FENCE: f64 = 4.0;

/// Decomposes values into factors; `None` if no degrees of freedom are left for a residual.
///
/// Henderson 1953, method 3 (Searle, Casella and McCulloch, "Variance Components", section 5.5): the sum of squares
/// that a factor explains beyond all others has the expectation trace · variance + df · residual, for any design. For a
/// nearly orthogonal design the method is nearly optimal.
pub fn components(values: &[f64], factors: &[Factor]) -> Option<Parts> {
    let centre = mean(values)?;
    let mut values: Vec<f64> = values.iter().map(|value| value - centre).collect();
    let all = basis(values.len(), factors.iter());
    let df = values.len().checked_sub(all.rank()).filter(|&left| left > 0)? as f64;
    let mut left = values.clone();
    for _ in 0..ROUNDS {
        left.clone_from(&values);
        all.remove_from(&mut left);
        let stretch = left.len() as f64 / df;
        pull_in(&mut values, &left, stretch);
    }
    left.clone_from(&values);
    all.remove_from(&mut left);
    let residual = dot(&left, &left) / df;
    let part = |index: usize| {
        let others =
            factors.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, factor)| factor);
        part(&factors[index], &basis(values.len(), others), &values, residual, df)
    };
    let factors = (0..factors.len()).map(part).collect::<Option<_>>()?;
    Some(Parts { factors, residual, df, values, left, centre })
}

/// Pulls in outliers among the residuals, and the values with them. If most residuals are zero there is no scale, and
/// nothing is changed.
fn pull_in(values: &mut [f64], residuals: &[f64], stretch: f64) {
    let reach = FENCE * MAD_TO_SD * mad(residuals).unwrap_or(0.0) * stretch.sqrt();
    if reach > 0.0 {
        let beyond = residuals.iter().map(|residual| residual - residual.clamp(-reach, reach));
        values.iter_mut().zip(beyond).for_each(|(value, beyond)| *value -= beyond);
    }
}

/// Orthonormal basis of the space that a constant column and the indicator columns of these factors span.
fn basis<'a>(runs: usize, factors: impl Iterator<Item = &'a Factor>) -> Basis {
    let mut basis = Basis::default();
    basis.push(vec![1.0; runs]);
    for factor in factors {
        basis.extend(indicators(factor));
    }
    basis
}

/// Indicator columns, one per level: 1 where a run is at the level.
fn indicators(factor: &Factor) -> Vec<Vec<f64>> {
    let column = |level: usize| {
        factor.levels.iter().map(|&at| f64::from(u8::from(usize::from(at) == level))).collect()
    };
    (0..factor.count).map(column).collect()
}

fn part(factor: &Factor, others: &Basis, values: &[f64], residual: f64, df: f64) -> Option<FactorEstimates> {
    let plain = indicators(factor);
    let runs: Vec<usize> = plain.iter().map(|column| column.iter().filter(|&&at| at > 0.0).count()).collect();
    let centred: f64 = runs.iter().map(|&n| n as f64 - (n * n) as f64 / values.len() as f64).sum();
    let mut own = plain;
    own.iter_mut().for_each(|column| others.remove_from(column));
    let trace: f64 = own.iter().map(|column| dot(column, column)).sum();
    let mut without = values.to_vec();
    others.remove_from(&mut without);
    let mut space = Basis::default();
    space.extend(own.iter().cloned());
    let (squares, rank) = (space.explains(values), space.rank());
    // The mean square of the present levels is smaller than the variance of their population, by the factor (n − 1)/n.
    let whole =
        if factor.is_sample { trace } else { trace * factor.count as f64 / (factor.count - 1).max(1) as f64 };
    let f = squares / rank.max(1) as f64 / residual;
    let is_testable = rank > 0 && whole > 1e-9 && residual > 0.0;
    Some(FactorEstimates {
        variance: if whole > 1e-9 { ((squares - rank as f64 * residual) / whole).max(0.0) } else { 0.0 },
        squares,
        df: rank,
        multiplier: whole / rank.max(1) as f64,
        efficiency: if centred > 0.0 { (trace / centred).min(1.0) } else { 0.0 },
        p_value: if is_testable { f_upper_tail(f, rank as f64, df) } else { 1.0 },
        is_sample: factor.is_sample,
        levels: effects(&own, &runs, values, residual, df)?,
        without,
    })
}

/// Least-squares effects of the levels, summing to zero.
fn effects(
    own: &[Vec<f64>],
    runs: &[usize],
    values: &[f64],
    residual: f64,
    df: f64,
) -> Option<Vec<LevelEffect>> {
    let count = own.len();
    let scale = own.iter().map(|column| dot(column, column)).sum::<f64>().max(1e-9) / count as f64;
    // Without the constant part the matrix is singular: effects are known only up to their mean, which is set to zero.
    // A level that was never run gets a tiny pivot and the effect zero.
    let entry = |a: usize, b: usize| {
        let idle = if a == b && runs[a] == 0 { scale } else { 0.0 };
        dot(&own[a], &own[b]) + scale / count as f64 + idle
    };
    let matrix: Vec<Vec<f64>> = (0..count).map(|a| (0..count).map(|b| entry(a, b)).collect()).collect();
    let inverse = inverse(&matrix)?;
    let right: Vec<f64> = own.iter().map(|column| dot(column, values)).collect();
    let critical = t_upper_quantile(0.025, df);
    let effects = inverse.iter().zip(runs).enumerate().map(|(level, (row, &runs))| {
        let effect = dot(row, &right);
        let error = (residual * (row[level] - 1.0 / (scale * count as f64)).max(0.0)).sqrt();
        LevelEffect { runs, effect, low: effect - critical * error, high: effect + critical * error }
    });
    Some(effects.collect())
}

impl Parts {
    /// The part of each run's value that a factor accounts for: the effect of its level, shrunk towards zero according
    /// to its uncertainty (best linear unbiased prediction, Henderson 1975).
    pub fn contributions(&self, index: usize, levels: &[u16]) -> Vec<f64> {
        let part = &self.factors[index];
        let spread = part.variance;
        let shrunk = |level: &LevelEffect| {
            let noise = self.residual / (level.runs.max(1) as f64 * part.efficiency.max(1e-9));
            if spread > 0.0 { level.effect * spread / (spread + noise) } else { 0.0 }
        };
        let effects: Vec<f64> = part.levels.iter().map(shrunk).collect();
        levels.iter().map(|&level| effects[usize::from(level)]).collect()
    }

    /// Variance of the winsorised values, which all parts share.
    pub fn total(&self) -> f64 {
        variance(&self.values)
    }
}

#[cfg(test)]
mod tests;
