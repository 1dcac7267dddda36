//! Pairs of runs under another condition, which are no part of the record.

use fauxplat_experiment::steer::{Bounds, Rounds};
use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Command, Metric, Phase, Placement, Runs, Sample};
use fauxplat_plan::{Layout, Plan};

/// How many pairs, and how long.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) pairs: u32,
    pub(super) longest_ns: u64,
}

/// Runs two commands in turns; the pairs of readings of a metric, in nanoseconds or another unit of the metric.
///
/// # Errors
/// A command cannot be started, or fails.
pub(super) fn pairs(
    driver: &Driver,
    commands: &[Command; 2],
    placement: Placement,
    effort: Effort,
) -> Result<Vec<[Sample; 2]>, Failure> {
    let plan = Plan {
        commands: 2,
        placement,
        env_pad: driver.header.condition.env_pad,
        heap: driver.header.condition.heap,
        layout: Layout::Single,
        seed: driver.header.seed ^ 0x5eed,
    };
    let bounds =
        Bounds { runs: Runs::Count(effort.pairs), max_time_ns: Some(effort.longest_ns), ..Bounds::default() };
    let samples = driver.aside(commands, &[], &mut Rounds::new(plan, bounds))?;
    Ok(in_pairs(&samples))
}

/// The samples of each block, where both are there.
fn in_pairs(samples: &[Sample]) -> Vec<[Sample; 2]> {
    let measured = |command: u16| {
        samples.iter().filter(move |sample| sample.phase == Phase::Measured && sample.command == command)
    };
    let partner = |a: &Sample| measured(1).find(|b| b.block == a.block).map(|b| [a.clone(), b.clone()]);
    measured(0).filter_map(partner).collect()
}

/// Differences of a metric in pairs, the second command less the first.
pub(super) fn differences(pairs: &[[Sample; 2]], metric: Metric) -> Vec<f64> {
    let of = |pair: &[Sample; 2]| Some(pair[1].get(metric)? as f64 - pair[0].get(metric)? as f64);
    pairs.iter().filter_map(of).collect()
}
