//! The experiment of `compare`: commands against the first of them, in shared blocks.

use fauxplat_analyze::{Judge, Judged, replicate};
use fauxplat_model::Metric;
use fauxplat_plan::{Layout, Plan};

use super::{layouts, plan_of};
use crate::median::median_of;
use crate::steer::CompareSteering;
use crate::surroundings::duet;
use crate::{Driver, Failure};

/// Compares all commands with the first.
///
/// # Errors
/// Those of the runs.
pub fn compare(driver: &mut Driver) -> Result<Judged, Failure> {
    let names = driver.names();
    let rule = driver.header.definition.rule.clone();
    driver.warm_up(driver.header.definition.warmup.max(1))?;
    driver.check_rates()?;
    let judge = Judge::new(&rule, names.len(), driver.header.seed)
        .single_task(driver.single_task)
        .ignore_failure(driver.header.condition.ignore_failure.any())
        .layouts(driver.surroundings.draw_layouts());
    let duet = rule.duet.then(|| duet::begin(driver)).transpose()?;
    let mut plan = plan(driver, driver.header.seed);
    let redraws = driver.surroundings.draw_layouts();
    if let Some(builds) = driver.surroundings.programs().filter(|_| redraws) {
        plan.layout = layouts::per_layout(plan.layout, builds.build_ns(), pair_ns(driver), rule.max_pairs);
    }
    driver.plan(&plan)?;
    let steering = CompareSteering::new(plan, judge, &rule, driver.samples(), driver.machine().root());
    let mut steering = steering.warmed_anew(redraws);
    let stopped = driver.steer(&mut steering)?;
    let scope = driver.surroundings.scope();
    let mut judged = steering.judged(driver.samples(), stopped, scope, &names);
    judged.findings.duet_cpus = driver.duet;
    judged.warnings.extend(duet.and_then(|alone| duet::contention(&alone, driver)));
    if !redraws {
        replicated(driver, &mut judged)?;
    }
    Ok(judged)
}

/// What every comparison has in common once it is judged: which layouts were measured, rates, floor, time.
pub fn complete(driver: &mut Driver, mut judged: Judged) -> fauxplat_model::CompareFindings {
    let (variants, warnings) = driver.surroundings.close_programs();
    judged.findings.variants = variants;
    judged.findings.floor_ns = driver.floor_ns;
    judged.findings.elapsed_s = driver.elapsed_s();
    driver.add_rates(&mut judged.findings.commands);
    judged.warnings.into_iter().chain(warnings).for_each(|warning| driver.warn(warning));
    judged.findings
}

/// A run shorter than this is over before the machine changes, so a block holds it twice, mirrored.
const SHORT_NS: f64 = 2e6;

/// The plan of a comparison, after the commands were warmed up.
pub(super) fn plan(driver: &Driver, seed: u64) -> Plan {
    let plan = plan_of(driver);
    let wall_ns = |command| median_of(driver.samples(), command, Metric::WALL);
    let longest_ns = (0..plan.commands).filter_map(wall_ns).fold(0.0, f64::max);
    let layout = match driver.duet {
        Some(cpus) => Layout::Duet(cpus),
        None if longest_ns < SHORT_NS => Layout::Mirrored,
        None => Layout::Single,
    };
    Plan { layout, seed, ..plan }
}

/// How long one run of every command takes, from the warm-up.
fn pair_ns(driver: &Driver) -> f64 {
    let commands = 0..driver.commands.len() as u16;
    commands.filter_map(|command| median_of(driver.samples(), command, Metric::WALL)).sum()
}

/// Asks earlier comparisons of each pair, where the store knows any, whether they came to the same.
fn replicated(driver: &Driver, judged: &mut Judged) -> Result<(), Failure> {
    let Some(store) = driver.store() else { return Ok(()) };
    let (facts, commands) = (driver.machine().facts(), &driver.commands);
    // Every command against the first, metric by metric; the comparison of a winner, which may follow, was chosen by this
    // session.
    let candidates = judged.findings.metrics().into_iter().flat_map(|_| &commands[1..]);
    for (comparison, candidate) in judged.findings.comparisons.iter_mut().zip(candidates) {
        let sessions = store.sessions_of_pair(facts, (&commands[0], candidate), comparison.metric)?;
        let earlier: Vec<&[f64]> = sessions.iter().map(|session| session.log_ratios.as_slice()).collect();
        judged.warnings.extend(replicate(comparison, &earlier));
    }
    Ok(())
}
