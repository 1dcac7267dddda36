//! How exactly a load takes the requested share of the time, as the kernel counts the CPU time of its process.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{LOADED, Running, cpu_ns, ours, theirs};
use crate::bench::{failed, quartiles};
use crate::error::ChoreError;

const SHARES: [u32; 4] = [5, 30, 50, 80];
/// Number of readings of each load, and the length of a reading.
const LOOKS: usize = 3;
const LOOK: Duration = Duration::from_secs(1);
/// Goal for the error of a share, in percentage points.
const GOAL_POINTS: f64 = 1.0;

pub(super) fn run(fauxplat: &Path, rival: bool) -> Result<(), ChoreError> {
    println!(
        "CPU time of a load over wall time, by /proc/PID/schedstat; goal: within {GOAL_POINTS} point of the request"
    );
    for contended in [false, true] {
        let beside = if contended { "beside a shell loop on the same CPU" } else { "alone" };
        println!("  {beside}:");
        for share in SHARES {
            let hog = contended.then(hog).transpose()?;
            let load = format!("integer:{share}%@{LOADED}");
            let own = look(&mut ours(fauxplat, &[load]))?;
            let percent = share.to_string();
            let words = ["--cpu", "1", "--cpu-method", "int64", "--cpu-load", &percent];
            let other = if rival { Some(look(&mut theirs(&words))?) } else { None };
            drop(hog);
            // A fair scheduler gives each of two equal processes half of the CPU, which no load can exceed.
            let possible = if contended { share.min(50) } else { share };
            let verdict = if (own - f64::from(share)).abs() <= GOAL_POINTS {
                ""
            } else if possible < share {
                "  (half of the CPU is what a fair scheduler gives)"
            } else {
                "  MISSES THE GOAL"
            };
            let other = other.map_or("not measured".to_owned(), |other| format!("{other:.2} %"));
            println!("    asked {share:>2} %: fauxplat {own:.2} %, stress-ng {other}{verdict}");
        }
    }
    Ok(())
}

fn hog() -> Result<Running, ChoreError> {
    Running::start(Command::new("taskset").args(["-c", LOADED, "sh", "-c", "while :; do :; done"]))
}

/// Median of several readings of a load's CPU time, in per cent of wall time.
fn look(command: &mut Command) -> Result<f64, ChoreError> {
    let running = Running::start(command)?;
    let pid = running.workers(1)?[0];
    let mut shares = Vec::new();
    for _ in 0..LOOKS {
        let used = || cpu_ns(pid).ok_or_else(|| failed("a load", &"it ended early"));
        let (begun, before_ns) = (Instant::now(), used()?);
        std::thread::sleep(LOOK);
        shares.push((used()? - before_ns) as f64 / begun.elapsed().as_nanos() as f64 * 100.0);
    }
    Ok(quartiles(&shares).1)
}
