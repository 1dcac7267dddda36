//! Cost of control groups with limits: creating a group, moving a process into it, and removing it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use fauxplat_cgroup::{CgroupError, Group, Host};

use super::{failed, quartiles};
use crate::error::ChoreError;

/// Goal for the cost of one control group for each run, in milliseconds.
const GOAL_MS: f64 = 2.0;

/// Measures control groups in turns: with one limit, as `run --limit` sets it, and with all controllers that `limit`
/// counts.
pub(super) fn run(rounds: u32) -> Result<(), ChoreError> {
    let host = Host::discover(Path::new("/"));
    host.remove_stale();
    let limit = "cpu:50%+memory:64M".parse().map_err(|error: String| ChoreError::Bench(error))?;
    let plain = || host.create(0, &limit, &[]);
    let watched = || host.create_watched(0, &limit);
    let (mut of_plain, mut of_watched) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        of_plain.push(cost_ms(&plain)?);
        of_watched.push(cost_ms(&watched)?);
    }
    told("run --limit cpu:50%+memory:64M", &of_plain);
    told("limit --cpu-quota 50% --memory 64M", &of_watched);
    Ok(())
}

fn told(name: &str, costs: &[[f64; 3]]) {
    let of = |part: fn(&[f64; 3]) -> f64| quartiles(&costs.iter().map(part).collect::<Vec<_>>()).1;
    let (low, middle, high) = quartiles(&costs.iter().map(|cost| cost.iter().sum()).collect::<Vec<_>>());
    let missed = if middle < GOAL_MS { "" } else { "  ABOVE THE GOAL" };
    println!(
        "  {name:<36} {middle:.2} ms  (quartiles {low:.2} … {high:.2}; make {:.2}, enter {:.2}, remove {:.2}), goal: below {GOAL_MS} ms{missed}",
        of(|cost| cost[0]),
        of(|cost| cost[1]),
        of(|cost| cost[2]),
    );
}

/// Milliseconds for creating a group, for moving a process into it, and for removing it once the process has ended.
fn cost_ms(make: &dyn Fn() -> Result<Group, CgroupError>) -> Result<[f64; 3], ChoreError> {
    let mut child = sleeper()?;
    let begun = Instant::now();
    let group = make().map_err(|error| failed("a group", &error));
    let made = Instant::now();
    let entered = group.and_then(|group| {
        group.put(child.id() as i32).map_err(|error| failed("a group", &error)).map(|()| group)
    });
    let inside = Instant::now();
    let ended = child.kill().and_then(|()| child.wait());
    let group = entered?;
    ended.map_err(|error| failed("sleep", &error))?;
    let over = Instant::now();
    drop(group);
    let gone = Instant::now();
    let ms = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64() * 1e3;
    Ok([ms(begun, made), ms(made, inside), ms(over, gone)])
}

fn sleeper() -> Result<Child, ChoreError> {
    let sleeper = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn();
    sleeper.map_err(|error| failed("sleep", &error))
}
