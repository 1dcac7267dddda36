//! Background loads of fauxplat and of stress-ng: how much they disturb, how well they keep to the requested intensity,
//! and how soon they end when fauxplat is killed.

mod pressure;
mod share;
mod sudden;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fauxplat_procfs::task;

use super::{failed, fauxplat};
use crate::error::ChoreError;

/// CPU on which loads run, and CPU of the victim that they disturb.
const LOADED: &str = "1";
const VICTIM: &str = "0";

/// Runs the named parts of the bench, or all.
pub(super) fn run(parts: &[&str]) -> Result<(), ChoreError> {
    if std::thread::available_parallelism().map_or(1, std::num::NonZero::get) < 2 {
        println!("loads: not measured: this machine has one CPU, and the victim needs one of its own");
        return Ok(());
    }
    let fauxplat = fauxplat()?;
    let rival = Command::new("stress-ng").arg("--version").output().is_ok();
    if !rival {
        println!("stress-ng is not here (apt install stress-ng): its columns are not measured");
    }
    for part in if parts.is_empty() { &["kill", "share", "pressure"] } else { parts } {
        match *part {
            "kill" => sudden::run(&fauxplat)?,
            "share" => share::run(&fauxplat, rival)?,
            "pressure" => pressure::run(&fauxplat, rival)?,
            _ => return Err(ChoreError::Usage("usage: cargo xtask bench load [kill] [share] [pressure]")),
        }
    }
    Ok(())
}

/// A process that is ended by SIGTERM and waited for when the value is dropped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Result<Self, ChoreError> {
        let name = command.get_program().display().to_string();
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().map(Running).map_err(|error| failed(&name, &error))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Waits until at least `count` children of the process have each used CPU time, and returns their ids.
    fn workers(&self, count: usize) -> Result<Vec<u32>, ChoreError> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(20) {
            let pids = children(self.pid());
            if pids.len() >= count && pids.iter().all(|&pid| cpu_ns(pid).is_some_and(|ns| ns > 5_000_000)) {
                return Ok(pids);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(failed("a load", &"it does not work after 20 s"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        fauxplat_sys::signal::send(self.0.id() as i32, fauxplat_sys::signal::SIGTERM);
        let _reaped = self.0.wait();
    }
}

/// The command that starts these loads of fauxplat.
fn ours(fauxplat: &Path, loads: &[String]) -> Command {
    let mut command = Command::new(fauxplat);
    command.arg("load").args(loads).args(["--store", "none", "--quiet"]);
    command
}

/// The command that starts a load of stress-ng on the CPU [`LOADED`].
fn theirs(words: &[&str]) -> Command {
    let mut command = Command::new("stress-ng");
    command.args(words).args(["--taskset", LOADED, "--quiet"]);
    command
}

/// Ids of the children of a process with a single thread, see `proc_pid_task_children(5)`.
fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    task::children(&list).map(i32::unsigned_abs).collect()
}

/// CPU time of a process with a single thread in nanoseconds, as the scheduler counts it; `None` if it has ended.
fn cpu_ns(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    task::cpu_ns(&text)
}
