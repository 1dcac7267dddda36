//! How long the generators of loads outlive a fauxplat that is killed.

use std::path::Path;
use std::time::{Duration, Instant};

use fauxplat_sys::{process, signal};

use super::{LOADED, Running, ours};
use crate::bench::quartiles;
use crate::error::ChoreError;

/// Number of kills of each kind.
const KILLS: usize = 30;
const GOAL_MS: f64 = 20.0;
/// Number of the signal, see `signal(7)`.
const SIGSTOP: i32 = 19;

pub(super) fn run(fauxplat: &Path) -> Result<(), ChoreError> {
    println!("Time from a SIGKILL to fauxplat to the death of its 3 generators; goal: at most {GOAL_MS} ms");
    for (name, stopped) in [("generators at work", false), ("stopped before (SIGSTOP)", true)] {
        let times_ms = (0..KILLS).map(|_| kill(fauxplat, stopped)).collect::<Result<Vec<f64>, _>>()?;
        let worst = times_ms.iter().copied().fold(0.0, f64::max);
        let (low, middle, high) = quartiles(&times_ms);
        let verdict = if worst <= GOAL_MS { "" } else { "  ABOVE THE GOAL" };
        println!(
            "  {name:<26} {KILLS} kills: median {middle:.2} ms (quartiles {low:.2} … {high:.2}, worst {worst:.2}){verdict}"
        );
    }
    Ok(())
}

fn kill(fauxplat: &Path, stopped: bool) -> Result<f64, ChoreError> {
    let loads = ["llc", "forks:50%", "switches:50%"].map(|load| format!("{load}@{LOADED}"));
    let running = Running::start(&mut ours(fauxplat, &loads))?;
    let pids = running.workers(loads.len())?;
    if stopped {
        pids.iter().for_each(|&pid| signal::send(pid as i32, SIGSTOP));
    }
    let begun = Instant::now();
    signal::send(running.pid() as i32, signal::SIGKILL);
    while pids.iter().any(|&pid| process::start_ticks(pid).is_some()) {
        std::thread::sleep(Duration::from_micros(50));
    }
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
