//! Where a test's threads run, and what keeps the machine awake meanwhile.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use fauxplat_model::Policy;
use fauxplat_sys::timer;
use fauxplat_threads::{Place, real_time_or_ordinary};
use fauxplat_units::Cpu;

use crate::LatencyError;

/// Places the calling thread.
pub(crate) fn take(place: &Place) -> Result<(), LatencyError> {
    place.take().map_err(|source| LatencyError::Place { cpu: place.cpu, source })
}

/// Runs a body on a thread of its own at a place.
pub(crate) fn run<T: Send>(
    place: &Place,
    body: impl FnOnce() -> Result<T, LatencyError> + Send,
) -> Result<T, LatencyError> {
    let placed = || take(place).and_then(|()| body());
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(format!("latency {}", place.cpu));
        let thread = thread
            .spawn_scoped(scope, placed)
            .map_err(|source| LatencyError::Make { what: "a thread", source })?;
        thread.join().map_err(|_| LatencyError::Gone(place.cpu))?
    })
}

/// The policy under which tests run on a CPU: real-time where that is permitted, else the ordinary one.
///
/// # Errors
/// The CPU is not there or not allowed.
pub fn highest_policy(cpu: Cpu, priority: u8) -> Result<Policy, LatencyError> {
    let stand = |policy| run(&Place { cpu, policy, slack_ns: None }, || Ok(()));
    real_time_or_ordinary(priority, LatencyError::is_permission, stand).map(|((), policy)| policy)
}

/// Keeps CPUs out of idle states that take long to leave, and memory resident, for as long as it lives. Both end with
/// the process, whatever happens to it; what is not permitted is named.
#[derive(Debug)]
pub struct Calm {
    _latency: Option<File>,
}

/// Asks for calm: `/dev/cpu_dma_latency` held open at zero (`Documentation/power/pm_qos_interface.rst` of Linux) and
/// `mlockall(2)`. Returns what was refused as well.
pub fn calm() -> (Calm, Vec<String>) {
    let mut refused = Vec::new();
    let path = Path::new("/dev/cpu_dma_latency");
    let held = OpenOptions::new().write(true).open(path).and_then(|mut file| {
        file.write_all(&0u32.to_ne_bytes())?;
        Ok(file)
    });
    if let Err(error) = &held {
        refused.push(format!("idle states are not held off ({}: {error})", path.display()));
    }
    if let Err(error) = timer::lock_memory() {
        refused.push(format!("memory is not locked ({error})"));
    }
    (Calm { _latency: held.ok() }, refused)
}

impl Drop for Calm {
    fn drop(&mut self) {
        timer::unlock_memory();
    }
}
