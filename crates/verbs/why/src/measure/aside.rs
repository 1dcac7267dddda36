//! Pairs of runs under another condition than that of the comparison, which are not recorded.

use fauxplat_experiment::steer::{Bounds, Rounds};
use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Command, EnvPad, Metric, Phase, Placement, Runs, Sample};
use fauxplat_plan::{Layout, Plan};

use crate::analysis::amount;
use crate::evidence::Elsewhere;

/// Maximum number of pairs of runs of an experiment, and its longest duration.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) pairs: u32,
    pub(super) longest_ns: u64,
}

/// Settings that a further experiment may change against the first comparison; both commands run with them.
pub(super) struct Under {
    pub(super) placement: Placement,
    pub(super) env_pad: EnvPad,
}

impl Under {
    /// Settings under which the two commands were first compared.
    pub(super) fn usual(driver: &Driver) -> Self {
        let condition = &driver.header.condition;
        Under { placement: condition.cpu.clone(), env_pad: condition.env_pad }
    }

    /// Settings under which the two commands were first compared, but with this placement on CPUs.
    pub(super) fn on(driver: &Driver, placement: Placement) -> Self {
        Under { placement, ..Under::usual(driver) }
    }
}

/// Runs two commands in turns and returns the samples of each pair.
///
/// # Errors
/// A command cannot be started, or fails.
pub(super) fn pairs(
    driver: &Driver,
    commands: &[Command; 2],
    under: Under,
    effort: Effort,
) -> Result<Vec<[Sample; 2]>, Failure> {
    let plan = Plan {
        commands: 2,
        placement: under.placement,
        env_pad: under.env_pad,
        heap: driver.header.condition.heap,
        layout: Layout::Single,
        seed: driver.header.seed ^ 0x5eed,
    };
    let bounds =
        Bounds { runs: Runs::Count(effort.pairs), max_time_ns: Some(effort.longest_ns), ..Bounds::default() };
    let samples = driver.aside(commands, &[], &mut Rounds::new(plan, bounds))?;
    Ok(in_pairs(&samples))
}

/// Measured samples of both commands in pairs, one for each block that has a sample of either.
fn in_pairs(samples: &[Sample]) -> Vec<[Sample; 2]> {
    let measured = |command: u16| {
        samples.iter().filter(move |sample| sample.phase == Phase::Measured && sample.command == command)
    };
    let partner = |a: &Sample| measured(1).find(|b| b.block == a.block).map(|b| [a.clone(), b.clone()]);
    measured(0).filter_map(partner).collect()
}

/// Differences of a metric within pairs, second command minus first. Pairs without a reading of the metric are left
/// out.
pub(super) fn differences(pairs: &[[Sample; 2]], metric: Metric) -> Vec<f64> {
    let of = |pair: &[Sample; 2]| Some(pair[1].get(metric)? as f64 - pair[0].get(metric)? as f64);
    pairs.iter().filter_map(of).collect()
}

/// Differences of CPU time and wall time within pairs.
pub(super) fn elsewhere(pairs: &[[Sample; 2]]) -> Elsewhere {
    let of = |metric| amount(&differences(pairs, metric), 0.01);
    Elsewhere { more_cpu_ns: of(Metric::CPU), more_wall_ns: of(Metric::WALL) }
}
