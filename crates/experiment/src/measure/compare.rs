//! The experiment of `compare`: commands against the first of them, in shared blocks.

use fauxplat_analyze::{Judge, Judged, Patience, doubts, replicate};

use super::session::session;
use super::sessions::in_sessions;
use crate::surroundings::duet;
use crate::{Driver, Failure};

/// Compares all commands with the first.
///
/// # Errors
/// Those of the runs.
pub fn compare(driver: &mut Driver) -> Result<Judged, Failure> {
    let (rule, commands) = (driver.header.definition.rule.clone(), driver.commands.len());
    // Whether a command has what decides shows after one run. One that is simulated takes long, and finds nothing cold.
    let is_counted = driver.header.condition.simulate.is_some();
    driver.warm_up(driver.header.definition.warmup.max(u32::from(!is_counted)))?;
    if !is_counted {
        driver.check_rates()?;
    }
    let judge = Judge::new(&rule, commands, driver.header.seed)
        .single_task(driver.single_task)
        .counted(is_counted)
        .ignore_failure(driver.header.condition.ignore_failure.any())
        .layouts(driver.surroundings.draw_layouts());
    let duet = rule.duet.then(|| duet::begin(driver)).transpose()?;
    let measured = match rule.sessions {
        None => session(driver, judge, 0, Patience::new(&rule))?,
        Some(sessions) => in_sessions(driver, judge, sessions)?,
    };
    if is_counted {
        driver.check_rates()?;
    }
    let mut judged = measured.judged(driver);
    judged.findings.duet_cpus = driver.duet;
    judged.warnings.extend(duet.and_then(|alone| duet::contention(&alone, driver)));
    if rule.sessions.is_none() && !driver.surroundings.draw_layouts() {
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
    let ignore_failure = driver.header.condition.ignore_failure.any();
    judged.warnings.extend(doubts(driver.samples(), driver.commands.len(), ignore_failure));
    judged.warnings.into_iter().chain(warnings).for_each(|warning| driver.warn(warning));
    judged.findings
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
