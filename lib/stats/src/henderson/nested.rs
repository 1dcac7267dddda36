//! Parts of a residual: places within the levels of a factor, and interactions of two factors.

use super::{FactorEstimates, LevelEffect, Parts, ROUNDS, pull_in};
use crate::describe::{mean, median};
use crate::distribution::t_upper_quantile;

/// Minimum number of runs per place; fewer cannot distinguish a slow place from a single slow run.
const RUNS_PER_PLACE: usize = 2;

impl Parts {
    /// Adds the part of places within the levels of a factor. `places` has the place of each run, out of `count`; each
    /// level has `within` consecutive places. `raw` are the values before outliers were winsorised. `None` if there are
    /// too few runs, or nothing varies.
    ///
    /// Outliers are winsorised again, now around the mean of their place, since an effect of a place on all of its runs
    /// is no outlier, however rare the place is. The residual and its degrees of freedom become those after the places.
    pub fn with_places(mut self, raw: &[f64], places: &[u16], count: usize, within: usize) -> Option<Self> {
        let fit: Vec<f64> = self.values.iter().zip(&self.left).map(|(value, left)| value - left).collect();
        let mut rest: Vec<f64> = raw.iter().zip(&fit).map(|(raw, fit)| raw - self.centre - fit).collect();
        let runs = counted(places, count);
        let seen = runs.iter().filter(|&&runs| runs > 0).count();
        let levels = runs.chunks(within).filter(|runs| runs.iter().any(|&runs| runs > 0)).count();
        let df = seen.checked_sub(levels).filter(|&df| df > 0 && rest.len() >= RUNS_PER_PLACE * seen)?;
        let error_df = self.df - df as f64;
        let mut left = Vec::new();
        for round in 0..=ROUNDS {
            let means = means(&rest, places, &runs);
            left = rest.iter().zip(places).map(|(value, &place)| value - means[usize::from(place)]).collect();
            if round < ROUNDS {
                pull_in(&mut rest, &left, left.len() as f64 / error_df.max(1.0));
            }
        }
        let residual = squares(&left) / error_df;
        if error_df < 1.0 || residual <= 0.0 {
            return None;
        }
        let part = Self::part_of_places(&rest, places, &runs, within, (df, residual, error_df));
        (self.residual, self.df, self.left) = (residual, error_df, left);
        self.values = fit.iter().zip(&rest).map(|(fit, rest)| fit + rest).collect();
        self.factors.push(part);
        Some(self)
    }

    fn part_of_places(
        rest: &[f64],
        places: &[u16],
        runs: &[usize],
        within: usize,
        (df, residual, error_df): (usize, f64, f64),
    ) -> FactorEstimates {
        let means = means(rest, places, runs);
        let mut between = 0.0;
        let mut effects = Vec::with_capacity(runs.len());
        for (means, runs) in means.chunks(within).zip(runs.chunks(within)) {
            let visited = || means.iter().zip(runs).filter(|&(_, &runs)| runs > 0);
            let all: usize = runs.iter().sum();
            let centre = visited().map(|(mean, &runs)| mean * runs as f64).sum::<f64>() / all.max(1) as f64;
            between += visited().map(|(mean, &runs)| runs as f64 * (mean - centre).powi(2)).sum::<f64>();
            // The median is used, because a single place that is much slower would make all others of its level look
            // faster.
            let usual = median(&visited().map(|(&mean, _)| mean).collect::<Vec<_>>()).unwrap_or(0.0);
            effects.extend(means.iter().map(|mean| mean - usual));
        }
        let multiplier = multiplier(runs, within, df);
        let critical = t_upper_quantile(0.025, error_df);
        let level = |(&effect, &runs): (&f64, &usize)| {
            let half = critical * (residual / runs.max(1) as f64).sqrt();
            let effect = if runs > 0 { effect } else { 0.0 };
            LevelEffect { runs, effect, low: effect - half, high: effect + half }
        };
        FactorEstimates {
            variance: ((between / df as f64 - residual) / multiplier).max(0.0),
            squares: between,
            df,
            multiplier,
            efficiency: 1.0,
            p_value: 1.0,
            is_sample: true,
            levels: effects.iter().zip(runs).map(level).collect(),
            without: Vec::new(),
        }
    }
}

/// The interaction of two factors as a part of the residual, from the means of the cells of their table. `cells` has
/// the cell of each run. `None` if there are too few runs for the number of cells, or nothing is left.
pub fn interaction(parts: &Parts, cells: &[u16], (rows, columns): (usize, usize)) -> Option<FactorEstimates> {
    let runs = counted(cells, rows * columns);
    let df = (rows - 1) * (columns - 1);
    if parts.left.len() < RUNS_PER_PLACE * rows * columns || df == 0 || parts.residual <= 0.0 {
        return None;
    }
    let means = means(&parts.left, cells, &runs);
    let between: f64 = means.iter().zip(&runs).map(|(mean, &runs)| runs as f64 * mean * mean).sum();
    let multiplier = parts.left.len() as f64 / (rows * columns) as f64;
    Some(FactorEstimates {
        variance: ((between / df as f64 - parts.residual) / multiplier).max(0.0),
        squares: between,
        df,
        multiplier,
        efficiency: 1.0,
        p_value: 1.0,
        is_sample: true,
        levels: Vec::new(),
        without: Vec::new(),
    })
}

fn counted(levels: &[u16], count: usize) -> Vec<usize> {
    let mut runs = vec![0; count];
    levels.iter().for_each(|&level| runs[usize::from(level)] += 1);
    runs
}

fn means(values: &[f64], levels: &[u16], runs: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; runs.len()];
    levels.iter().zip(values).for_each(|(&level, value)| sums[usize::from(level)] += value);
    sums.iter().zip(runs).map(|(sum, &runs)| sum / runs.max(1) as f64).collect()
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// The expected mean square between places as a multiple of their component: the runs per place, corrected for unequal
/// numbers (Searle, Casella and McCulloch, section 3.6).
fn multiplier(runs: &[usize], within: usize, df: usize) -> f64 {
    let of_level = |runs: &[usize]| {
        let all: usize = runs.iter().sum();
        let squares: usize = runs.iter().map(|runs| runs * runs).sum();
        if all > 0 { all as f64 - squares as f64 / all as f64 } else { 0.0 }
    };
    let levels: Vec<f64> = runs.chunks(within).map(of_level).collect();
    mean(&levels).unwrap_or(0.0) * levels.len() as f64 / df as f64
}
