//! Times and counts of the timed runs of both programs.

use std::collections::BTreeMap;

use fauxplat_model::{Metric, Phase, Sample};
use fauxplat_stats::describe::mean;

use crate::analysis::amount;
use crate::evidence::{Count, PairReading};

/// Metrics that the kernel counts in every run.
const COUNTS: [Metric; 9] = [
    Metric::MINOR_FAULTS,
    Metric::MAJOR_FAULTS,
    Metric::VOLUNTARY_SWITCHES,
    Metric::INVOLUNTARY_SWITCHES,
    Metric::MIGRATIONS,
    Metric::BLOCK_INPUT,
    Metric::BLOCK_OUTPUT,
    Metric::PEAK_MEMORY,
    Metric::STEAL,
];
/// Error level of the interval of each count, so that all of them hold simultaneously at 1 %.
const LEVEL: f64 = 0.01 / COUNTS.len() as f64;

/// Means of a metric over the runs of both commands in each block, a group of consecutive runs; blocks in which a
/// command has no reading are left out.
fn blocks(samples: &[Sample], metric: Metric) -> BTreeMap<u32, [f64; 2]> {
    let mut sums: BTreeMap<u32, [(f64, u32); 2]> = BTreeMap::new();
    for sample in samples.iter().filter(|it| it.phase == Phase::Measured && it.command < 2) {
        if let Some(value) = sample.get(metric) {
            let (sum, count) = &mut sums.entry(sample.block).or_default()[usize::from(sample.command)];
            *sum += value as f64;
            *count += 1;
        }
    }
    let means = |both: [(f64, u32); 2]| {
        both.iter().all(|(_, count)| *count > 0).then(|| both.map(|(sum, count)| sum / f64::from(count)))
    };
    sums.into_iter().filter_map(|(block, both)| Some((block, means(both)?))).collect()
}

/// Times of both commands in nanoseconds, for each block of consecutive runs; a time that the machine does not measure
/// is zero.
pub(super) fn pairs(samples: &[Sample]) -> Vec<PairReading> {
    let [wall, user, system, delay] =
        [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::RUN_DELAY].map(|metric| blocks(samples, metric));
    let of = |times: &BTreeMap<u32, [f64; 2]>, block: &u32| times.get(block).copied().unwrap_or_default();
    wall.iter()
        .map(|(block, &wall_ns)| PairReading {
            wall_ns,
            user_ns: of(&user, block),
            system_ns: of(&system, block),
            delay_ns: of(&delay, block),
        })
        .collect()
}

/// Counts of the kernel for both programs.
pub(super) fn counts(samples: &[Sample]) -> Vec<Count> {
    let count = |metric: Metric| {
        let both: Vec<[f64; 2]> = blocks(samples, metric).into_values().collect();
        let side = |side: usize| mean(&both.iter().map(|it| it[side]).collect::<Vec<_>>()).unwrap_or(0.0);
        let more: Vec<f64> = both.iter().map(|it| it[1] - it[0]).collect();
        (!both.is_empty()).then(|| Count {
            name: metric.name().to_owned(),
            title: metric.title().to_owned(),
            means: [side(0), side(1)],
            more: amount(&more, LEVEL),
        })
    };
    COUNTS.into_iter().filter_map(count).collect()
}
