//! A session of a comparison: draws its blocks, and steers it to its end.

use fauxplat_analyze::{Judge, Judged, Patience};
use fauxplat_model::{Metric, Order, Rule, StoppedBy};
use fauxplat_plan::{Layout, Plan};

use super::layouts;
use crate::median::median_of;
use crate::steer::{CompareSteering, Until};
use crate::{Driver, Failure};

pub(super) struct Measured {
    pub(super) judge: Judge,
    ended_by: StoppedBy,
    /// Index of the comparison's first sample in the samples of the experiment.
    first_sample: usize,
}

impl Measured {
    pub(super) fn judged(&self, driver: &Driver) -> Judged {
        let judge = self.judge.clone().scope(driver.surroundings.scope());
        judge.findings(&driver.samples()[self.first_sample..], &driver.names(), self.ended_by)
    }

    /// Extends this last session of a comparison to all of its sessions, the first of which began at this sample.
    pub(super) fn since(self, first_sample: usize) -> Self {
        Measured { first_sample, ..self }
    }
}

/// Runs one session of a comparison: blocks until the judge decides, the limits of `patience` are reached, or `until`
/// is answered. Session 0 uses the seed of the experiment itself, and every other session a different one.
pub(super) fn session(
    driver: &mut Driver,
    judge: Judge,
    number: u32,
    patience: Patience,
    until: Option<Until>,
) -> Result<Measured, Failure> {
    let seed = driver.header.seed ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let rule = driver.header.definition.rule.clone();
    let mut plan = plan(driver, seed);
    let redraws = driver.surroundings.draw_layouts();
    if let Some(builds) = driver.surroundings.programs().filter(|_| redraws) {
        plan.layout = layouts::per_layout(plan.layout, builds.build_ns(), pair_ns(driver), rule.max_pairs);
    }
    driver.plan(&plan)?;
    let first_sample = driver.samples().len();
    let steering = CompareSteering::new(plan, judge, &rule, driver.samples(), driver.machine().root());
    let mut steering = steering.warmed_anew(redraws).patient(patience).until(until);
    let stopped = driver.steer(&mut steering)?;
    let ended_by = steering.ended_by(stopped);
    Ok(Measured { judge: steering.into_judge(), ended_by, first_sample })
}

/// Duration in nanoseconds below which a run is so short that the machine does not change meanwhile, so that a block
/// contains each pair twice, the second time in reverse order.
const SHORT_NS: f64 = 2e6;

/// The plan of a comparison whose commands have been warmed up. The warm-up runs show how long they take.
pub(super) fn plan(driver: &Driver, seed: u64) -> Plan {
    let plan = driver.single_plan();
    let wall_ns = |command| median_of(driver.samples(), command, Metric::WALL);
    let longest_ns = (0..plan.commands).filter_map(wall_ns).fold(0.0, f64::max);
    let rule = &driver.header.definition.rule;
    let has_coins = has_coins(rule, pair_ns(driver) / 1e9);
    let layout = match driver.duet {
        Some(cpus) => Layout::Duet(cpus),
        None if driver.header.condition.simulate.is_some() => Layout::Single,
        None if rule.order == Order::Aabb && has_coins => Layout::Twice(1),
        None if longest_ns < SHORT_NS && has_coins => Layout::Mirrored,
        None => Layout::Single,
    };
    Plan { layout, seed, ..plan }
}

/// Minimum number of pairs with which a comparison can be decided in blocks of two pairs: the test gets one independent
/// sign (a "coin") from each block, and so half as many signs as pairs.
pub(super) const TWO_PAIRS_FROM: u32 = 20;

/// Whether the rule permits enough pairs of `pair_s` seconds each for blocks of two pairs. Where fewer fit into
/// `--max-time`, a block of two could end without a single whole pair.
fn has_coins(rule: &Rule, pair_s: f64) -> bool {
    let fit = rule.max_time_s.is_none_or(|limit_s| limit_s >= pair_s * f64::from(TWO_PAIRS_FROM));
    fit && (rule.max_pairs >= TWO_PAIRS_FROM || rule.at_least_s.is_some())
}

/// Sum of the commands' median wall times in nanoseconds, from the warm-up runs, or from the traced runs that were made
/// in their place.
pub(super) fn pair_ns(driver: &Driver) -> f64 {
    if driver.samples().is_empty() {
        return driver.traced_ns as f64;
    }
    let commands = 0..driver.commands.len() as u16;
    commands.filter_map(|command| median_of(driver.samples(), command, Metric::WALL)).sum()
}
