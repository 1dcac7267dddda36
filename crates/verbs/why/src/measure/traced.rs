//! Traced runs of both programs, in turns.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use fauxplat_experiment::steer::how_it_ended;
use fauxplat_experiment::{Driver, Failure};
use fauxplat_stats::describe::median;
use fauxplat_sys::process::end_of;
use fauxplat_sys::signal;
use fauxplat_units::Nanos;

use super::follower::Follower;
use crate::evidence::{CallSum, Traced, Wait, Waited};

/// Time after which a traced run is ended, relative to the time after which it is no longer followed, and in addition to
/// that. A program that traces others itself can wait for a stop of theirs that its tracer sees in its place, for ever.
const LIMIT_TIMES: u64 = 3;
const LIMIT_LEAST_NS: u64 = 1_000_000_000;

/// Traced runs of each program: an odd number, so that each median is a figure of some run.
const ROUNDS: usize = 3;

/// Traces several runs of both commands, in turns, and returns the medians of their figures; `None` if a run ended
/// before it could be traced. A run that takes longer than its command's `each_ns` is no longer traced, but runs on.
///
/// # Errors
/// The commands cannot be traced.
pub(super) fn traced(
    driver: &mut Driver,
    longest_ns: u64,
    each_ns: [u64; 2],
) -> Result<Option<[Traced; 2]>, Failure> {
    let begun_s = driver.elapsed_s();
    let mut runs: [Vec<Traced>; 2] = Default::default();
    for round in 0..ROUNDS {
        let is_late = (driver.elapsed_s() - begun_s) * 1e9 > longest_ns as f64 / 2.0;
        if round > 0 && (is_late || driver.is_interrupted()) {
            break;
        }
        for turn in 0..2 {
            let command = (round + turn) % 2;
            match run(driver, command as u16, each_ns[command])? {
                Some(traced) => runs[command].push(traced),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(runs.map(|runs| middle(&runs))))
}

fn run(driver: &mut Driver, command: u16, longest_ns: u64) -> Result<Option<Traced>, Failure> {
    let mut follower = None;
    let limit = Duration::from_nanos(LIMIT_TIMES.saturating_mul(longest_ns).saturating_add(LIMIT_LEAST_NS));
    let (ended, is_ended) = channel::<()>();
    let mut guard = None;
    let outcome = driver.hold(command, |pid| {
        let process = end_of(pid).map_err(Failure::machine)?;
        guard = Some(thread::spawn(move || {
            let is_late = matches!(is_ended.recv_timeout(limit), Err(RecvTimeoutError::Timeout));
            if is_late {
                signal::send_held(&process, libc::SIGKILL);
            }
            is_late
        }));
        let (tell, told) = channel();
        // A traced process reports its stops only to the thread that attached to it.
        follower = Some(thread::spawn(move || match Follower::attach(pid, longest_ns) {
            Ok(attached) => {
                // The receiver is gone only if fauxplat itself ends.
                let _ = tell.send(None);
                Some(attached.follow())
            }
            Err(error) => {
                let _ = tell.send(Some(error));
                None
            }
        }));
        match told.recv() {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(Failure::machine(format!("a run cannot be traced: {error}"))),
            Err(_) => Err(Failure::machine("the thread that traces is gone")),
        }
    });
    let traced = follower.and_then(|follower| follower.join().ok()).flatten();
    drop(ended);
    let is_late = guard.and_then(|guard| guard.join().ok()).unwrap_or(false);
    let outcome = outcome?;
    if is_late {
        return Err(Failure::command(format!(
            "`{}` did not end within {} where it was traced, and was ended: it may trace others itself",
            driver.commands[usize::from(command)].command,
            Nanos(limit.as_nanos() as u64)
        )));
    }
    let ignored = &driver.commands[usize::from(command)].condition.ignore_failure;
    match outcome.filter(|&outcome| !ignored.lets_pass(outcome)) {
        // A program that traces others, or looks whether it is traced, does something else here than in timed runs.
        Some(failed) => Err(Failure::command(format!(
            "in a traced run, `{}` {}",
            driver.commands[usize::from(command)].command,
            how_it_ended(failed)
        ))),
        None => Ok(outcome.and(traced)),
    }
}

/// The last of some traced runs, with the medians over all runs in place of most figures.
fn middle(runs: &[Traced]) -> Traced {
    let of = |figure: &dyn Fn(&Traced) -> f64| {
        median(&runs.iter().map(figure).collect::<Vec<f64>>()).unwrap_or(0.0)
    };
    let last = runs.last().cloned().unwrap_or_default();
    // The condition is taken from the last run in which it could be read.
    let held = runs.iter().rev().map(|run| &run.held).find(|held| held.program.is_some());
    let held = held.cloned().unwrap_or_default();
    let names = runs.iter().flat_map(|run| run.calls.keys().cloned());
    let calls: BTreeMap<String, CallSum> = names
        .map(|name| {
            let call = |run: &Traced| run.calls.get(&name).copied().unwrap_or_default();
            let sum = CallSum {
                count: of(&|run| call(run).count),
                ns: of(&|run| call(run).ns),
                cpu_ns: of(&|run| call(run).cpu_ns),
            };
            (name, sum)
        })
        .collect();
    let times = |all: fn(&Traced) -> &BTreeMap<Wait, f64>| -> BTreeMap<Wait, f64> {
        let reasons = runs.iter().flat_map(|run| all(run).keys().copied());
        reasons.map(|reason| (reason, of(&|run| all(run).get(&reason).copied().unwrap_or(0.0)))).collect()
    };
    let mut waited_in: BTreeMap<Wait, BTreeMap<String, Waited>> = BTreeMap::new();
    for (&wait, name) in runs
        .iter()
        .flat_map(|run| &run.waited_in)
        .flat_map(|(wait, calls)| calls.keys().map(move |name| (wait, name)))
    {
        let in_run =
            |run: &Traced| run.waited_in.get(&wait).and_then(|it| it.get(name)).copied().unwrap_or_default();
        let waited = Waited { count: of(&|run| in_run(run).count), ns: of(&|run| in_run(run).ns) };
        waited_in.entry(wait).or_default().insert(name.clone(), waited);
    }
    Traced {
        wall_ns: of(&|run| run.wall_ns),
        lanes: of(&|run| run.lanes),
        before_ns: of(&|run| run.before_ns),
        children_ns: of(&|run| run.children_ns),
        starting_ns: of(&|run| run.starting_ns),
        huge_bytes: runs.iter().filter_map(|run| run.huge_bytes).max(),
        held,
        calls,
        waits: times(|run| &run.waits),
        waited_in,
        idle_ns: times(|run| &run.idle_ns),
        is_partial: runs.iter().any(|run| run.is_partial),
        ..last
    }
}
