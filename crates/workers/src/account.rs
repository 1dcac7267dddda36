//! Where the time of a shift went.

use std::fs::File;
use std::os::unix::fs::FileExt;

use fauxplat_sys::{clock, sched};
use fauxplat_units::Cpu;

/// What one worker did in one shift. Wall time is CPU time, time in the run queue, and the rest, which on a virtual
/// machine is what the hypervisor took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Units of the kernel that were done.
    pub units: u64,
    /// From the first unit to the last.
    pub wall_ns: u64,
    /// CPU time of the thread (`CLOCK_THREAD_CPUTIME_ID`).
    pub cpu_ns: u64,
    /// Time spent runnable without a CPU (`/proc/thread-self/schedstat`, second field).
    pub run_delay_ns: Option<u64>,
    /// Times that the scheduler took the CPU away.
    pub involuntary_switches: u64,
    /// CPU on which it began and ended.
    pub cpus: [Option<Cpu>; 2],
    /// CPU time of each lap, in the order in which they were run; empty unless asked for.
    pub laps_cpu_ns: Vec<u64>,
}

impl Account {
    /// What CPU time and waiting leave of the wall time: steal, and interrupts where the kernel keeps them apart.
    pub fn rest_ns(&self) -> Option<i64> {
        let known = self.cpu_ns as i64 + self.run_delay_ns? as i64;
        Some(self.wall_ns as i64 - known)
    }

    /// Units per second of CPU time.
    pub fn units_per_cpu_s(&self) -> f64 {
        self.units as f64 * 1e9 / self.cpu_ns.max(1) as f64
    }

    /// Units per second of wall time.
    pub fn units_per_wall_s(&self) -> f64 {
        self.units as f64 * 1e9 / self.wall_ns.max(1) as f64
    }
}

/// Reads the clocks of the thread that made it.
#[derive(Debug)]
pub(crate) struct Books {
    schedstat: Option<File>,
}

/// The clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    wall_ns: u64,
    cpu_ns: u64,
    run_delay_ns: Option<u64>,
    involuntary_switches: u64,
    cpu: Option<Cpu>,
}

impl Books {
    /// The file is opened once: opening it costs more than reading it.
    pub(crate) fn open() -> Self {
        Books { schedstat: File::open("/proc/thread-self/schedstat").ok() }
    }

    pub(crate) fn stand(&self) -> Stand {
        Stand {
            run_delay_ns: self.run_delay_ns(),
            involuntary_switches: fauxplat_sys::process::involuntary_switches_of_thread(),
            cpu: sched::current_cpu(),
            cpu_ns: clock::thread_cpu_ns(),
            wall_ns: clock::monotonic_ns(),
        }
    }

    fn run_delay_ns(&self) -> Option<u64> {
        let mut buffer = [0u8; 64];
        let got = self.schedstat.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(&buffer[..got]).ok()?;
        text.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

impl Stand {
    /// What happened between two moments.
    pub(crate) fn until(&self, end: &Stand, units: u64, laps_cpu_ns: Vec<u64>) -> Account {
        let run_delay = self.run_delay_ns.zip(end.run_delay_ns);
        Account {
            units,
            wall_ns: end.wall_ns.saturating_sub(self.wall_ns),
            cpu_ns: end.cpu_ns.saturating_sub(self.cpu_ns),
            run_delay_ns: run_delay.map(|(begin, end)| end.saturating_sub(begin)),
            involuntary_switches: end.involuntary_switches.saturating_sub(self.involuntary_switches),
            cpus: [self.cpu, end.cpu],
            laps_cpu_ns,
        }
    }
}
