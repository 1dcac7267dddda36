//! Divides the variance of the log ratio of a pair among its sources.

use std::collections::BTreeMap;

use fauxplat_model::{Metric, Sample, VarianceBudget};
use fauxplat_stats::components::nested;
use fauxplat_stats::describe::{mean, variance};
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::series::{autocorrelation, slope};
use fauxplat_stats::winsor::{location, winsorise};

use crate::pairing::Pair;

/// Shares of the variance of the pairs' log ratios `d`. The shares are moments, not a fitted model: they are taken in
/// the order `order`, `process`, `layout`, and each is capped at the part of the whole that the earlier ones leave.
pub(crate) fn budget(pairs: &[Pair], d: &[f64], metric: Metric) -> VarianceBudget {
    let (pulled, _) = winsorise(d);
    let total = variance(&pulled);
    let (ratio, low, high) = position_effect(pairs, location(d).estimate, metric);
    let mut left = 1.0;
    let mut take = |share: f64| {
        let taken = share.clamp(0.0, left);
        left -= taken;
        taken
    };
    let order = take(order_share(pairs, &pulled));
    let process = process_variance(pairs, metric).map(|within| take(share(within, total)));
    let layout = setup_variance(pairs, &pulled).map(|between| take(share(between, total)));
    VarianceBudget {
        layout,
        process,
        order,
        residual: if total > 0.0 { left } else { 0.0 },
        pair_sd: if d.len() > 1 { location(d).sd() } else { 0.0 },
        autocorrelation: autocorrelation(&pulled),
        position_ratio: ratio.exp(),
        position_low_ratio: low.exp(),
        position_high_ratio: high.exp(),
    }
}

fn share(part: f64, total: f64) -> f64 {
    if total > 0.0 { part / total } else { 0.0 }
}

/// Share of the variance of the log ratios `d` that is explained by order (which command came first) and drift (a
/// straight line over the session).
fn order_share(pairs: &[Pair], d: &[f64]) -> f64 {
    let order: Vec<f64> = pairs.iter().map(|pair| mean_position(&pair.b) - mean_position(&pair.a)).collect();
    let time: Vec<f64> = (0..d.len()).map(|index| index as f64).collect();
    slope(&order, d).1 + slope(&time, d).1
}

fn mean_position(runs: &[&Sample]) -> f64 {
    mean(&runs.iter().map(|run| f64::from(run.position)).collect::<Vec<_>>()).unwrap_or(0.0)
}

/// Contribution of repeated runs of one program in one setup to the variance of a log ratio of means; `None` unless
/// blocks repeat each program.
fn process_variance(pairs: &[Pair], metric: Metric) -> Option<f64> {
    let of_mean = |pair: &Pair, runs: &[&Sample]| {
        let logs: Vec<f64> = runs.iter().filter_map(|run| pair.log(run, metric)).collect();
        (logs.len() > 1).then(|| variance(&logs) / logs.len() as f64)
    };
    let both = |pair: &Pair| Some(of_mean(pair, &pair.a)? + of_mean(pair, &pair.b)?);
    let parts: Vec<f64> = pairs.iter().filter_map(both).collect();
    // The variances are winsorised, because an outlier in one run of a block would dominate their mean.
    let (pulled, _) = winsorise(&parts);
    mean(&pulled)
}

/// Variance of the log ratio between setups (CPU and environment padding); `None` unless at least half of the pairs
/// share their setup with another pair.
fn setup_variance(pairs: &[Pair], d: &[f64]) -> Option<f64> {
    let mut setups: BTreeMap<(u16, u16), Vec<f64>> = BTreeMap::new();
    for (pair, &d) in pairs.iter().zip(d) {
        let run = pair.a.first()?;
        setups.entry((run.cpu_first, run.env_pad_bytes)).or_default().push(d);
    }
    let shared: usize = setups.values().map(Vec::len).filter(|&members| members > 1).sum();
    let groups: Vec<Vec<f64>> = setups.into_values().collect();
    (2 * shared >= pairs.len()).then(|| nested(&groups))?.map(|components| components.between)
}

/// Log ratio of the second position within a block over the first, with the lower and upper end of its 95 % interval.
/// The runs of a block are taken in twos of different commands, or in halves where each command ran several times in a
/// row; `effect`, the log ratio of the commands, is subtracted.
fn position_effect(pairs: &[Pair], effect: f64, metric: Metric) -> (f64, f64, f64) {
    let values: Vec<f64> = pairs.iter().filter_map(|pair| second_over_first(pair, effect, metric)).collect();
    let place = location(&values);
    let half = t_upper_quantile(0.025, place.df) * place.se;
    let half = if half.is_finite() { half } else { 0.0 };
    (place.estimate, place.estimate - half, place.estimate + half)
}

fn second_over_first(pair: &Pair, effect: f64, metric: Metric) -> Option<f64> {
    let mut runs: Vec<(&Sample, bool)> = pair.a.iter().map(|&run| (run, false)).collect();
    runs.extend(pair.b.iter().map(|&run| (run, true)));
    runs.sort_by_key(|(run, _)| run.position);
    let half = runs.len() / 2;
    let is_in_a_row = half > 1 && runs[..half].iter().all(|run| run.1 == runs[0].1);
    let size = if is_in_a_row { half } else { 1 };
    let log = |runs: &[(&Sample, bool)]| {
        let logs: Option<Vec<f64>> = runs.iter().map(|run| pair.log(run.0, metric)).collect();
        mean(&logs?)
    };
    let ratio = |both: &[(&Sample, bool)]| {
        let (first, second) = both.split_at(size);
        let ratio = log(second)? - log(first)?;
        let candidate_second = second[0].1;
        (first[0].1 != candidate_second).then_some(if candidate_second {
            ratio - effect
        } else {
            ratio + effect
        })
    };
    mean(&runs.chunks_exact(2 * size).filter_map(ratio).collect::<Vec<_>>())
}
