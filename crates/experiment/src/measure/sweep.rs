//! The experiment of `sweep`: measures the levels of a factor, until it is decided whether they differ.

use fauxplat_analyze::SweepPanel;
use fauxplat_model::{Metric, Outcome, Sample, SweepFindings};

use crate::steer::{SweepSteering, WarmUp};
pub use crate::sweep::{Prepared, prepare};
use crate::{Beginning, Driver, Failure};

/// Begins a sweep: each level that may be visited is one command.
///
/// # Errors
/// Fails for an invalid factor or command, or a machine that does not support the factor.
pub fn begin(beginning: Beginning<'_>) -> Result<(Driver, Prepared), Failure> {
    let mut prepared = None;
    let driver = Driver::of(beginning, |definition, machine| {
        let ready = prepare(definition, machine)?;
        Ok(prepared.insert(ready).commands.clone())
    })?;
    let prepared = prepared.ok_or_else(|| Failure::usage("there is nothing to sweep"))?;
    Ok((driver, prepared))
}

/// Time in nanoseconds that a sweep may always take before it ends undecided: one minute.
const CHEAP_NS: f64 = 60e9;

/// Maximum number of blocks that are permitted because they fit into [`CHEAP_NS`].
const CHEAP_BLOCKS_MAX: f64 = 1000.0;

/// Measures the levels in blocks until the judge decides. If the number of blocks is not given (`is_open`), the warm-up
/// runs determine how many fit into `CHEAP_NS`.
///
/// # Errors
/// Fails with an error of the runs.
pub fn sweep(driver: &mut Driver, prepared: &Prepared, is_open: bool) -> Result<SweepFindings, Failure> {
    // The command may fail at the first level alone, which does not end the sweep.
    driver.steer(&mut WarmUp::new(1, driver.header.definition.warmup.max(1)).that_may_fail())?;
    driver.check_values()?;
    let mut judge = prepared.judge.clone();
    if is_open {
        judge = allow_cheap_blocks(driver, judge);
    }
    let plan = driver.single_plan();
    driver.plan(&plan)?;
    let rule = driver.header.definition.rule.clone();
    let mut steering = SweepSteering::new(&prepared.level_of, plan, judge, &rule);
    let stopped = driver.steer(&mut steering)?;
    driver.check_read()?;
    driver.check_values()?;
    let judged = steering.judged(driver.samples(), stopped);
    judged.warnings.into_iter().chain(prepared.left_behind()).for_each(|warning| driver.warn(warning));
    let mut findings = judged.findings;
    findings.floor_ns = driver.floor_ns;
    findings.elapsed_s = driver.elapsed_s();
    Ok(findings)
}

fn allow_cheap_blocks(driver: &mut Driver, judge: SweepPanel) -> SweepPanel {
    let blocks = cheap_blocks(driver.samples(), judge.distinct().len());
    let rule = &mut driver.header.definition.rule;
    rule.max_pairs = rule.max_pairs.max(blocks);
    judge.blocks_max(rule.max_pairs)
}

/// Number of blocks of this many levels that fit into [`CHEAP_NS`].
fn cheap_blocks(warm_up: &[Sample], levels: usize) -> u32 {
    // A failed run does not show the duration of successful ones.
    let good = warm_up.iter().filter(|sample| sample.outcome == Outcome::Exited(0));
    let wall_ns = good.filter_map(|sample| sample.get(Metric::WALL)).min();
    wall_ns.map_or(0, |wall_ns| {
        (CHEAP_NS / (wall_ns.max(1) as f64 * levels as f64)).min(CHEAP_BLOCKS_MAX) as u32
    })
}
