//! The experiment of `load`: makes loads without a measurement.

use std::time::Duration;

use fauxplat_model::{LoadAccount, LoadFindings, Placement};
use fauxplat_sys::signal;
use fauxplat_units::CpuSet;

use crate::{Driver, Failure, Standing};

/// Time between two checks of the clock, of a request to stop, and of the processes that make the loads.
const LOOK: Duration = Duration::from_millis(50);

/// Lets the loads of an experiment work for the time `limit`, or until the user ends it. A failure that ended the loads
/// early is returned together with the findings, which say how much each load worked.
///
/// # Errors
/// Fails with an error of the store.
pub fn hold(
    driver: &mut Driver,
    limit: Option<Duration>,
) -> Result<(LoadFindings, Option<Failure>), Failure> {
    driver.open_record()?;
    if driver.surroundings.loads.is_none() {
        // There are no loads if the user stopped fauxplat while they were started.
        let asked: Vec<String> = driver.header.condition.load.iter().map(ToString::to_string).collect();
        driver.warn(format!("load was interrupted before it stood: {}", asked.join(" ")));
        driver.interrupt();
    }
    // Starting the loads takes a while, which is not part of the time limit.
    let begun_s = driver.elapsed_s();
    wait(driver, begun_s, limit);
    let elapsed_s = driver.elapsed_s() - begun_s;
    let failed = driver.surroundings.loads_are_over().map(Failure::machine);
    driver.end_loads();
    let generators = std::mem::take(&mut driver.header.condition.loaded);
    let places: CpuSet = generators.iter().filter_map(|account| account.cpu).collect();
    driver.header.condition.cpu = Placement::Set(places);
    Ok((LoadFindings { generators, elapsed_s }, failed))
}

/// Waits until the time `limit` has passed, the user asks to stop, or all loads have ended.
fn wait(driver: &mut Driver, begun_s: f64, limit: Option<Duration>) {
    let limit_s = limit.map(|limit| limit.as_secs_f64());
    while !signal::stop_requested() {
        let (elapsed_s, accounts) = (driver.elapsed_s() - begun_s, driver.surroundings.load_accounts());
        let is_over = driver.surroundings.loads_are_over().is_some();
        if is_over || limit_s.is_some_and(|limit_s| elapsed_s >= limit_s) {
            return;
        }
        let share = limit_s.map_or(0.0, |limit_s| elapsed_s / limit_s);
        let words = accounts.iter().map(words).collect::<Vec<_>>().join(", ");
        driver.tell(&Standing { share, words, blocks: 0 });
        let left_s = limit_s.map_or(f64::INFINITY, |limit_s| limit_s - elapsed_s);
        std::thread::sleep(LOOK.min(Duration::try_from_secs_f64(left_s).unwrap_or(LOOK)));
    }
    // Without a time limit, an interruption by the user is the normal end.
    if limit.is_some() {
        driver.interrupt();
    }
}

fn words(account: &LoadAccount) -> String {
    let place = account.cpu.map_or(String::new(), |cpu| format!("@{cpu}"));
    let achieved = account.achieved_percent.unwrap_or(0.0);
    format!("{}{place} {achieved:.1} %", account.kind)
}
