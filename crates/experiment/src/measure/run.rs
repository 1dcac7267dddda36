//! The experiment of `run`: rounds of all commands, by themselves.

use fauxplat_analyze::run_findings;
use fauxplat_model::RunFindings;
use fauxplat_plan::{Layout, Plan};

use super::plan_of;
use crate::steer::Rounds;
use crate::{Driver, Failure};

/// Runs all commands as often as the definition says, and, if wanted, each once more to list its processes. What failed
/// stands beside what was found until then.
pub fn run(driver: &mut Driver, with_trees: bool) -> (Vec<RunFindings>, Option<Failure>) {
    let mut failed = rounds(driver).err();
    let ignore_failure = driver.header.condition.ignore_failure;
    let mut findings = run_findings(driver.samples(), driver.commands.len(), ignore_failure);
    driver.add_rates(&mut findings);
    if with_trees && failed.is_none() && !driver.is_interrupted() {
        failed = trees(driver, &mut findings).err();
    }
    (findings, failed)
}

fn rounds(driver: &mut Driver) -> Result<(), Failure> {
    let (warmup, runs) = (driver.header.definition.warmup, driver.header.definition.runs);
    driver.warm_up(warmup)?;
    if driver.is_interrupted() {
        return Ok(());
    }
    let plan = Plan { layout: Layout::Single, ..plan_of(driver) };
    driver.plan(&plan)?;
    driver.steer(&mut Rounds::new(plan, runs)).map(drop)
}

fn trees(driver: &mut Driver, findings: &mut [RunFindings]) -> Result<(), Failure> {
    for (command, found) in findings.iter_mut().enumerate() {
        found.tree = driver.record_tree(command as u16)?;
    }
    Ok(())
}
