//! Session of a comparison: draws its blocks, and steers it to its end.

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
    /// Index of the comparison's first sample among those of the experiment.
    first_sample: usize,
}

impl Measured {
    pub(super) fn judged(&self, driver: &Driver) -> Judged {
        let judge = self.judge.clone().scope(driver.surroundings.scope());
        judge.findings(&driver.samples()[self.first_sample..], &driver.names(), self.ended_by)
    }

    /// The comparison as the last of several sessions, the first of which began at this sample.
    pub(super) fn since(self, first_sample: usize) -> Self {
        Measured { first_sample, ..self }
    }
}

/// Runs one session: blocks until the judge decides, its patience ends, or the caller's question is answered. Session 0
/// uses the seed of the experiment itself.
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

/// Duration in nanoseconds below which a run is over before the machine changes, so that a block contains it twice,
/// mirrored.
const SHORT_NS: f64 = 2e6;

/// The plan of a comparison, after the commands were warmed up.
pub(super) fn plan(driver: &Driver, seed: u64) -> Plan {
    let plan = driver.single_plan();
    let wall_ns = |command| median_of(driver.samples(), command, Metric::WALL);
    let longest_ns = (0..plan.commands).filter_map(wall_ns).fold(0.0, f64::max);
    let rule = &driver.header.definition.rule;
    let layout = match driver.duet {
        Some(cpus) => Layout::Duet(cpus),
        None if driver.header.condition.simulate.is_some() => Layout::Single,
        None if rule.order == Order::Aabb && has_coins(rule) => Layout::Twice(1),
        None if longest_ns < SHORT_NS && has_coins(rule) => Layout::Mirrored,
        None => Layout::Single,
    };
    Plan { layout, seed, ..plan }
}

/// Minimum number of pairs with which blocks of two pairs can decide: only half of the pairs are independent coins.
pub(super) const TWO_PAIRS_FROM: u32 = 20;

/// Whether the limit of a rule leaves enough coins for blocks of two pairs.
fn has_coins(rule: &Rule) -> bool {
    rule.max_pairs >= TWO_PAIRS_FROM || rule.at_least_s.is_some()
}

/// Time in nanoseconds for one run of every command, from the warm-up.
pub(super) fn pair_ns(driver: &Driver) -> f64 {
    let commands = 0..driver.commands.len() as u16;
    commands.filter_map(|command| median_of(driver.samples(), command, Metric::WALL)).sum()
}
