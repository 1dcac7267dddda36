//! Metrics that are reported with a comparison and do not decide it.

use fauxplat_model::{Metric, Secondary, Unit, metrics_of};
use fauxplat_stats::multiple::holm;

use crate::censored::{is_first_thread, is_open};
use crate::estimate::{Estimate, plain_z};
use crate::judge::Judge;
use crate::pairing::Pair;

/// Compares A and B in every metric that does not decide, on the pairs that were not dropped, with p-values adjusted by
/// Holm's method over these metrics.
///
/// The interval is a plain one at the level of the comparison: these metrics did not end the comparison, so repeated
/// looks at the data need no correction. Some metrics are left out: steal, which is a property of the machine and not
/// of the program; metrics that were not read in every kept run, or that have bounds; and metrics that were always
/// zero. The first published counter has two names, `rate` and its own, which are one hypothesis and appear once.
pub(crate) fn secondary(judge: &Judge, pairs: &[Pair], seed: u64) -> Vec<Secondary> {
    let decided: Vec<Metric> = judge.rule.decided().into_iter().map(|(metric, _)| metric).collect();
    let others = metrics_of(pairs.iter().flat_map(Pair::runs)).into_iter();
    let others = others.filter(|&metric| !decided.contains(&metric) && metric != Metric::STEAL);
    let deciding = pairs.iter().map(|pair| pair.log_ratio(judge.rule.metric)).collect::<Option<Vec<f64>>>();
    let mut measured: Vec<(Metric, Vec<f64>)> = Vec::new();
    for metric in others.filter(|&metric| !is_open(pairs, metric)) {
        let Some(d) = log_ratios(pairs, metric) else { continue };
        let is_echo = |known: &Vec<f64>| *known == d && metric.unit() == Unit::MicroPerSecond;
        if !deciding.iter().chain(measured.iter().map(|(_, d)| d)).any(is_echo) {
            measured.push((metric, d));
        }
    }
    let estimates: Vec<Estimate> = measured.iter().map(|(_, d)| Estimate::of(d)).collect();
    let p_values: Vec<f64> =
        estimates.iter().zip(&measured).map(|(estimate, (_, d))| estimate.p(d, seed)).collect();
    let level = judge.rule.level;
    let rows = measured.iter().zip(&estimates).zip(holm(&p_values));
    rows.map(|(((metric, _), estimate), p_adjusted)| {
        let (low, high) = estimate.interval(plain_z(level));
        Secondary {
            metric: *metric,
            effect_ratio: estimate.centre.exp(),
            ci_low_ratio: low.exp(),
            ci_high_ratio: high.exp(),
            p_adjusted,
            different: p_adjusted <= level,
            first_thread: is_first_thread(pairs, *metric) && !judge.single_task,
        }
    })
    .collect()
}

/// A log ratio for each pair in which the metric was read; `None` if the metric was always zero, or was read in only
/// some runs of a pair. Pairs without the metric are usual: events for which the processor has too few counters are
/// counted in different blocks.
fn log_ratios(pairs: &[Pair], metric: Metric) -> Option<Vec<f64>> {
    let any = pairs.iter().flat_map(Pair::runs).any(|run| run.get(metric) > Some(0));
    let counts = |pair: &&Pair| pair.runs().any(|run| run.get(metric).is_some());
    any.then(|| pairs.iter().filter(counts).map(|pair| pair.log_ratio(metric)).collect())?
}
