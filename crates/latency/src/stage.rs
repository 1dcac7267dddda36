//! Where a test's threads run, and what keeps the machine awake meanwhile.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use fauxplat_model::Policy;
use fauxplat_sys::{SysError, sched, timer};
use fauxplat_units::Cpu;

use crate::LatencyError;

/// CPU, policy and timer slack of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its CPU.
    pub cpu: Cpu,
    /// Its policy.
    pub policy: Policy,
    /// Its timer slack; the kernel's own, 50 µs, when absent. Real-time policies ignore it.
    pub slack_ns: Option<u64>,
}

impl Place {
    /// Places the calling thread.
    pub(crate) fn take(&self) -> Result<(), LatencyError> {
        let failed = |source: SysError| LatencyError::Place { cpu: self.cpu, source };
        sched::set_affinity(0, &[self.cpu].into_iter().collect()).map_err(failed)?;
        if let Some(slack_ns) = self.slack_ns {
            timer::set_slack_ns(slack_ns).map_err(failed)?;
        }
        match self.policy {
            Policy::Other => Ok(()),
            Policy::Fifo(priority) => sched::set_policy(0, sched::FIFO, priority).map_err(failed),
            Policy::RoundRobin(priority) => {
                sched::set_policy(0, sched::ROUND_ROBIN, priority).map_err(failed)
            }
        }
    }

    /// Runs a body on a thread of its own at this place.
    pub(crate) fn run<T: Send>(
        &self,
        body: impl FnOnce() -> Result<T, LatencyError> + Send,
    ) -> Result<T, LatencyError> {
        let placed = || self.take().and_then(|()| body());
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name(format!("latency {}", self.cpu));
            let thread = thread
                .spawn_scoped(scope, placed)
                .map_err(|source| LatencyError::Make { what: "a thread", source })?;
            thread.join().map_err(|_| LatencyError::Gone(self.cpu))?
        })
    }
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
