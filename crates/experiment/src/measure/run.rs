//! The experiment of `run`: rounds of all commands, by themselves.

use fauxplat_analyze::{Judge, run_findings};
use fauxplat_model::{Phase, Rule, RunFindings, Sample};
use fauxplat_plan::{Layout, Plan};

use super::plan_of;
use crate::steer::{Bounds, Rounds};
use crate::{Driver, Failure};

/// Runs all commands as often as the definition says, and, if wanted, each once more to list its processes. What failed
/// stands beside what was found until then.
pub fn run(driver: &mut Driver, with_trees: bool) -> (Vec<RunFindings>, Option<Failure>) {
    let mut failed = rounds(driver).err();
    let ignore_failure = driver.header.condition.ignore_failure.any();
    let mut findings = run_findings(driver.samples(), driver.commands.len(), ignore_failure);
    driver.add_rates(&mut findings);
    if failed.is_none() {
        judge(driver, &mut findings);
    }
    if with_trees && failed.is_none() && !driver.is_interrupted() {
        failed = trees(driver, &mut findings).err();
    }
    (findings, failed)
}

fn rounds(driver: &mut Driver) -> Result<(), Failure> {
    let (warmup, bounds) = (driver.header.definition.warmup, Bounds::of(&driver.header.definition));
    driver.warm_up(warmup)?;
    if driver.is_interrupted() {
        return Ok(());
    }
    let plan = Plan { layout: Layout::Single, ..plan_of(driver) };
    driver.plan(&plan)?;
    driver.steer(&mut Rounds::new(plan, bounds)).map(drop)
}

/// Fewer rounds than this allow nothing to be said, whatever they show.
const ROUNDS_MIN: usize = 6;

/// What the rounds allow to say of each command against the first: they took turns, as in a comparison. How many there are
/// was not decided by what they showed, so each may be looked at like a comparison of so many pairs at most.
fn judge(driver: &mut Driver, findings: &mut [RunFindings]) {
    let commands = driver.commands.len();
    let is_whole = |block: &&[Sample]| block.len() == commands;
    let measured = driver.samples().iter().skip_while(|sample| sample.phase != Phase::Measured);
    let measured: Vec<Sample> = measured.cloned().collect();
    let rounds: Vec<&[Sample]> =
        measured.chunk_by(|one, next| one.block == next.block).filter(is_whole).collect();
    if commands < 2 || rounds.len() < ROUNDS_MIN {
        return;
    }
    let header = &driver.header;
    let rule = Rule { max_pairs: rounds.len() as u32, ..header.definition.rule.clone() };
    let mut judge =
        Judge::new(&rule, commands, header.seed).ignore_failure(header.condition.ignore_failure.any());
    for round in rounds {
        judge.block(round);
    }
    let judged = judge.findings(&measured, &driver.names(), judge.stopped_by());
    for (found, comparison) in findings.iter_mut().skip(1).zip(judged.findings.comparisons) {
        found.against_first = Some(Box::new(comparison));
    }
    judged.warnings.into_iter().for_each(|warning| driver.warn(warning));
}

fn trees(driver: &mut Driver, findings: &mut [RunFindings]) -> Result<(), Failure> {
    for (command, found) in findings.iter_mut().enumerate() {
        found.tree = driver.record_tree(command as u16)?;
    }
    Ok(())
}
