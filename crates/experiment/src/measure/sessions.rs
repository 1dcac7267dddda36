//! A comparison in several sessions. Between sessions, the spawner is started anew and the commands are warmed up
//! again.

use fauxplat_analyze::{Judge, Patience, SessionCost};
use fauxplat_model::Sessions;
use fauxplat_sys::{clock, signal, timer};

use super::session::{Measured, session};
use crate::part::ExperimentPart;
use crate::{Driver, Failure};

/// Measures the sessions one after the other, with one judge for all of them. The first session uses the warm-up that
/// has taken place.
pub(super) fn in_sessions(
    driver: &mut Driver,
    judge: Judge,
    sessions: Sessions,
) -> Result<Measured, Failure> {
    let first_sample = driver.samples().len();
    let mut measured = one_of(driver, judge.in_sessions(), 0, sessions)?;
    for number in 1..sessions.count {
        pause(driver, sessions.gap_s);
        if driver.is_over() {
            break;
        }
        measured = one_of(driver, measured.judge, number, sessions)?;
    }
    driver.part = None;
    Ok(measured.since(first_sample))
}

/// Runs session `number` of a comparison. Sessions after the first begin with a new spawner and a warm-up, and draw new
/// orders of the commands.
fn one_of(driver: &mut Driver, judge: Judge, number: u32, sessions: Sessions) -> Result<Measured, Failure> {
    let begun_ns = clock::monotonic_ns();
    let words = format!("session {} of {}", number + 1, sessions.count);
    driver.part = Some(ExperimentPart { number, of: sessions.count, words });
    if number > 0 {
        driver.replace_commands(&[])?;
        driver.warm_up(driver.header.definition.warmup.max(1))?;
    }
    let patience = Patience::of_session(&driver.header.definition.rule, sessions.count);
    let warm_ns = clock::monotonic_ns();
    let mut measured = session(driver, judge, number, patience, None)?;
    let seconds = |from_ns: u64, to_ns: u64| to_ns.saturating_sub(from_ns) as f64 / 1e9;
    measured.judge.end_session(SessionCost {
        pairs_s: seconds(warm_ns, clock::monotonic_ns()),
        outside_s: seconds(begun_ns, warm_ns) + if number > 0 { sessions.gap_s } else { 0.0 },
    });
    Ok(measured)
}

/// Waits for this many seconds, or until the user asks to stop.
fn pause(driver: &mut Driver, seconds: f64) {
    let until_ns = clock::monotonic_ns().saturating_add((seconds * 1e9) as u64);
    while clock::monotonic_ns() < until_ns && !signal::stop_requested() {
        // The sleep ends early at any signal, so the loop checks whether that was a request to stop.
        timer::sleep_until_ns(until_ns);
    }
    if signal::stop_requested() {
        driver.interrupt();
    }
}
