//! The experiment of `compare`: compares commands with the first of them, in shared blocks.

use fauxplat_analyze::{Judge, Judged, Patience, doubts, replicate};

use fauxplat_model::{CompareFindings, Rule, Verdict};
use fauxplat_store::Measured;

use super::profile::{Profiling, profile};
use super::session::{TWO_PAIRS_FROM, pair_ns, session};
use super::sessions::in_sessions;
use crate::steer::Until;
use crate::surroundings::duet;
use crate::{Driver, Failure};

/// Minimum of the time limit after the warm-up, in seconds: one pair is run in any case.
const MAX_TIME_MIN_S: f64 = 0.001;

/// Compares all commands with the first one.
///
/// # Errors
/// Fails with an error of the runs.
pub fn compare(driver: &mut Driver) -> Result<Judged, Failure> {
    compare_until(driver, None)
}

/// As [`compare`]; if the comparison is made in a single session, it also ends as soon as `until` is answered at a
/// look.
///
/// # Errors
/// Fails as [`compare`] does.
pub fn compare_until(driver: &mut Driver, until: Option<Until>) -> Result<Judged, Failure> {
    let time_s = driver.header.definition.rule.max_time_s;
    compare_by(driver, until, time_s, |_, _| {})
}

/// As [`compare`], for a caller that has other runs to make afterwards: no pair begins that would probably end later
/// than `longest_s` seconds after the beginning of the experiment. Where few pairs fit, each pair is a block by itself;
/// where fewer fit than the first look usually has, the only look comes after all of them.
///
/// # Errors
/// Fails as [`compare`] does.
pub fn compare_within(driver: &mut Driver, longest_s: f64) -> Result<Judged, Failure> {
    compare_by(driver, None, Some(longest_s), |driver, rule| {
        limit(rule, (longest_s - driver.elapsed_s()).max(0.0), pair_ns(driver) / 1e9);
    })
}

/// Whether the traced run of each command serves as its warm-up: the user asked for no warm-up, and so few pairs fit
/// into the time that a further run of each command would cost too much. Slow commands need no further run to be warm.
fn is_warm(driver: &Driver, time_s: Option<f64>) -> bool {
    let pair_s = driver.traced_ns as f64 / 1e9;
    let few = time_s.is_some_and(|time_s| time_s < pair_s * f64::from(TWO_PAIRS_FROM));
    few && driver.header.definition.warmup == 0
}

/// Limits a rule to the pairs that fit into `left_s` seconds, if each takes about `pair_s` seconds.
fn limit(rule: &mut Rule, left_s: f64, pair_s: f64) {
    let pairs = (left_s / pair_s.max(1e-9)) as u32;
    // No pair begins so late that it would end after the limit by more than half of its time.
    rule.max_time_s = Some(if pairs == 0 { 0.0 } else { left_s - 0.5 * pair_s });
    if pairs < TWO_PAIRS_FROM {
        // The first pair may have been a slow one, so twice as many may be made if time is left.
        rule.max_pairs = (2 * pairs).max(1);
        rule.at_least_s = None;
    }
}

/// Makes a comparison whose rule is changed by `change` after the warm-up runs, when it is known how long the commands
/// take. The pairs have `time_s` seconds, if that is limited.
fn compare_by(
    driver: &mut Driver,
    until: Option<Until>,
    time_s: Option<f64>,
    change: impl FnOnce(&Driver, &mut Rule),
) -> Result<Judged, Failure> {
    let (mut rule, commands) = (driver.header.definition.rule.clone(), driver.commands.len());
    // A warm-up run shows whether a command's runs have readings of the deciding metric. A simulated run takes long and
    // needs no warm caches, so no warm-up is added for it.
    let is_counted = driver.header.condition.simulate.is_some();
    let (begun_s, is_warm) = (driver.elapsed_s(), is_warm(driver, time_s));
    driver.warm_up(driver.header.definition.warmup.max(u32::from(!is_counted && !is_warm)))?;
    if driver.header.definition.warmup == 0 {
        // The user did not ask for this warm-up, so its time counts towards the user's time limit.
        let traced_s = if is_warm { driver.traced_ns as f64 / 1e9 } else { 0.0 };
        let spent_s = traced_s + driver.elapsed_s() - begun_s;
        rule.max_time_s = rule.max_time_s.map(|limit_s| (limit_s - spent_s).max(MAX_TIME_MIN_S).min(limit_s));
    }
    if !is_counted {
        driver.check_rates()?;
    }
    change(driver, &mut rule);
    let judge = Judge::new(&rule, commands, driver.header.seed)
        .single_task(driver.single_task)
        .quota(driver.header.condition.limit.cpu_percent.is_some())
        .counted(is_counted)
        .ignore_failure(driver.header.condition.ignore_failure.any())
        .layouts(driver.surroundings.draw_layouts());
    let duet = rule.duet.then(|| duet::begin(driver)).transpose()?;
    // The plan of a session is made by the changed rule, and the record gets the rule that the user gave.
    let given = std::mem::replace(&mut driver.header.definition.rule, rule.clone());
    let measured = match rule.sessions {
        None => session(driver, judge, 0, Patience::new(&rule), until),
        Some(sessions) => in_sessions(driver, judge, sessions),
    };
    driver.header.definition.rule = given;
    let measured = measured?;
    if is_counted {
        driver.check_rates()?;
    }
    let mut judged = measured.judged(driver);
    judged.findings.duet_cpus = driver.duet;
    judged.warnings.extend(duet.and_then(|alone| duet::contention(&alone, driver)));
    if rule.sessions.is_none() && !driver.surroundings.draw_layouts() {
        replicated(driver, &mut judged);
    }
    Ok(judged)
}

/// Adds the measured layouts, rates, the wall time of the empty program, and the elapsed time to the findings of a
/// comparison.
pub fn complete(driver: &mut Driver, mut judged: Judged) -> CompareFindings {
    let (variants, warnings) = driver.surroundings.close_programs();
    judged.findings.variants = variants;
    judged.findings.floor_ns = driver.floor_ns;
    judged.findings.elapsed_s = driver.elapsed_s();
    driver.add_rates(&mut judged.findings.commands);
    // Between sessions the level may change, which is what they are made for.
    if driver.header.definition.rule.sessions.is_none() {
        driver.add_level_changes(&mut judged.findings.commands, driver.header.definition.rule.metric);
    }
    let ignore_failure = driver.header.condition.ignore_failure.any();
    judged.warnings.extend(doubts(driver.samples(), driver.commands.len(), ignore_failure));
    judged.warnings.into_iter().chain(warnings).for_each(|warning| driver.warn(warning));
    judged.findings
}

/// Finds the functions in which the time of different commands differs, by further runs that are sampled and so not
/// timed.
///
/// Nothing is sampled unless the commands were found to differ. That keeps one error level for both steps: if the
/// commands do not differ, functions are tested only after a false verdict; if they do, only functions can falsely be
/// called different, all of them together at the level of the verdict (a fixed sequence of tests: Maurer, Hothorn and
/// Lehmacher 1995).
pub fn locate(driver: &mut Driver, found: &mut CompareFindings, asked: &Profiling) {
    let Some(comparison) = found.comparisons.first() else { return };
    if comparison.verdict != Verdict::Different {
        driver.warn(
            "--profile: nothing was sampled, since no difference was shown; `fauxplat profile A B` samples both",
        );
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

/// Looks up earlier sessions of each pair of commands in the store, and marks verdicts that these replicate; adds a
/// warning for each verdict that they do not replicate. A store that cannot be read by now takes no verdict away.
fn replicated(driver: &Driver, judged: &mut Judged) {
    let Some(store) = driver.store() else { return };
    let (facts, commands) = (driver.machine().facts(), &driver.commands);
    let definition = &driver.header.definition;
    // Every command is compared with the first, metric by metric. An experiment that this experiment confirms does not
    // count as an earlier session, since its findings chose the pair.
    let candidates = judged.findings.metrics().into_iter().flat_map(|_| &commands[1..]);
    for (comparison, candidate) in judged.findings.comparisons.iter_mut().zip(candidates) {
        let measured = Measured { metric: comparison.metric, definition };
        let sessions = match store.sessions_of_pair(facts, (&commands[0], candidate), measured) {
            Ok(sessions) => sessions,
            Err(error) => return judged.warnings.push(unread(&error)),
        };
        let earlier = sessions.iter().filter(|session| Some(session.id) != driver.confirms);
        let earlier: Vec<&[f64]> = earlier.map(|session| session.log_ratios.as_slice()).collect();
        judged.warnings.extend(replicate(comparison, &earlier));
    }
}

/// A warning that earlier sessions do not count, because the store could not be read.
pub(super) fn unread(error: &dyn std::fmt::Display) -> String {
    format!("earlier sessions of these commands could not be read, and do not count: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_limited_to_the_pairs_that_fit() {
        let of = |left_s: f64, pair_s: f64| {
            let mut rule = Rule { at_least_s: Some(30.0), ..Rule::default() };
            limit(&mut rule, left_s, pair_s);
            (rule.max_pairs, rule.at_least_s, rule.max_time_s)
        };
        let usual = Rule::default().max_pairs;
        assert_eq!(of(20.0, 1.0), (usual, Some(30.0), Some(19.5)));
        assert_eq!(of(19.9, 1.3), (30, None, Some(19.25)), "each pair is a block of its own");
        assert_eq!(of(45.0, 5.5), (16, None, Some(42.25)), "a look at the end of the time has eight pairs");
        assert_eq!(of(2.0, 15.0), (1, None, Some(0.0)), "none fits");
    }
}
