//! The experiment of `compare`: compares commands with the first of them, in shared blocks.

use fauxplat_analyze::{Judge, Judged, Patience, doubts, replicate};

use fauxplat_model::{CompareFindings, Verdict};
use fauxplat_store::Measured;

use super::profile::{Profiling, profile};
use super::session::session;
use super::sessions::in_sessions;
use crate::steer::Until;
use crate::surroundings::duet;
use crate::{Driver, Failure};

/// Compares all commands with the first.
///
/// # Errors
/// Fails with an error of the runs.
pub fn compare(driver: &mut Driver) -> Result<Judged, Failure> {
    compare_until(driver, None)
}

/// As [`compare`]; a single session also ends when a look answers the question of the caller.
///
/// # Errors
/// Fails as [`compare`] does.
pub fn compare_until(driver: &mut Driver, until: Option<Until>) -> Result<Judged, Failure> {
    let (rule, commands) = (driver.header.definition.rule.clone(), driver.commands.len());
    // A warm-up run shows whether a command has the deciding metric. A simulated run takes long and needs no warm
    // caches, so no warm-up is added for it.
    let is_counted = driver.header.condition.simulate.is_some();
    driver.warm_up(driver.header.definition.warmup.max(u32::from(!is_counted)))?;
    if !is_counted {
        driver.check_rates()?;
    }
    let judge = Judge::new(&rule, commands, driver.header.seed)
        .single_task(driver.single_task)
        .quota(driver.header.condition.limit.cpu_percent.is_some())
        .counted(is_counted)
        .ignore_failure(driver.header.condition.ignore_failure.any())
        .layouts(driver.surroundings.draw_layouts());
    let duet = rule.duet.then(|| duet::begin(driver)).transpose()?;
    let measured = match rule.sessions {
        None => session(driver, judge, 0, Patience::new(&rule), until)?,
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

/// Completes a judged comparison with the measured layouts, rates, floor and elapsed time.
pub fn complete(driver: &mut Driver, mut judged: Judged) -> CompareFindings {
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

/// Locates the difference between commands in their functions, by further runs that are sampled and so not timed.
///
/// Nothing is sampled unless the commands were found to differ. That keeps one error level for both steps: if the
/// commands do not differ, functions are tested only after a false verdict; if they do, only functions can falsely be
/// called different, all of them together at the level of the verdict (a fixed sequence of tests: Maurer, Hothorn and
/// Lehmacher 1995).
pub fn locate(driver: &mut Driver, found: &mut CompareFindings, asked: &Profiling) {
    let Some(comparison) = found.comparisons.first() else { return };
    if comparison.verdict != Verdict::Different {
        driver.warn("--profile: nothing was sampled, since the commands were not told apart; `fauxplat profile A B` samples both");
        return;
    }
    if driver.is_interrupted() {
        return;
    }
    let (profile, failed) = profile(driver, &Profiling { error: comparison.level, ..asked.clone() });
    failed.into_iter().for_each(|failure| driver.warn(format!("--profile: {failure}")));
    found.profile = (!profile.stacks.is_empty()).then(|| Box::new(profile));
    found.elapsed_s = driver.elapsed_s();
}

/// Looks up earlier sessions of each pair in the store, and compares their verdict with the present one.
fn replicated(driver: &Driver, judged: &mut Judged) -> Result<(), Failure> {
    let Some(store) = driver.store() else { return Ok(()) };
    let (facts, commands) = (driver.machine().facts(), &driver.commands);
    let definition = &driver.header.definition;
    // Every command against the first, metric by metric. A comparison that confirms a winner is not included, since
    // this session chose its pair.
    let candidates = judged.findings.metrics().into_iter().flat_map(|_| &commands[1..]);
    for (comparison, candidate) in judged.findings.comparisons.iter_mut().zip(candidates) {
        let measured = Measured { metric: comparison.metric, definition };
        let sessions = store.sessions_of_pair(facts, (&commands[0], candidate), measured)?;
        let earlier = sessions.iter().filter(|session| Some(session.id) != driver.confirms);
        let earlier: Vec<&[f64]> = earlier.map(|session| session.log_ratios.as_slice()).collect();
        judged.warnings.extend(replicate(comparison, &earlier));
    }
    Ok(())
}
