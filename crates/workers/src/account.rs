//! Accounting of the time of a shift, which is one piece of work of a worker.

use std::fs::File;
use std::os::unix::fs::FileExt;

use fauxplat_model::{Metric, ShiftCount, ShiftSample};
use fauxplat_procfs::stat::{self, Kind};
use fauxplat_procfs::whole_lines;
use fauxplat_sys::clock;
use fauxplat_sys::perf::{Count, Counter, CountingEvent, Whom};
use fauxplat_sys::sched::{self, WaitClock};
use fauxplat_units::Cpu;

/// A metric, and the kernel event that counts it.
pub type Counted = (Metric, CountingEvent);

/// Clocks and counters of the thread that created the value.
#[derive(Debug)]
pub(crate) struct Books {
    counters: Vec<(Metric, Option<Counter>)>,
    wait: WaitClock,
    stat: Option<File>,
    cpu: Cpu,
}

/// Number of attempts to read all clocks without being preempted. All attempts fail only on a machine that is too busy
/// for measurements.
const TRIES: usize = 10;

/// Readings of all clocks of a worker at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    wall_ns: u64,
    cpu_ns: u64,
    run_delay_ns: Option<u64>,
    steal_ns: Option<u64>,
    involuntary_switches: u64,
    cpu: Option<Cpu>,
}

impl Books {
    /// Opens all files once, since opening a file costs more than reading it.
    pub(crate) fn open(cpu: Cpu, counted: &[Counted]) -> Self {
        let open = |(metric, event): &Counted| {
            let counter = Counter::open(event, Whom::Myself, None).ok();
            (*metric, counter.filter(|counter| counter.enable().is_ok()))
        };
        let counters = counted.iter().map(open).collect();
        Books { counters, wait: WaitClock::open(), stat: File::open("/proc/stat").ok(), cpu }
    }

    pub(crate) fn counts(&self) -> Vec<Option<Count>> {
        self.counters.iter().map(|(_, counter)| counter.as_ref()?.read().ok()).collect()
    }

    /// Counts between two readings. A counter that was never scheduled on the processor has no count.
    pub(crate) fn counted(&self, begin: Vec<Option<Count>>, end: Vec<Option<Count>>) -> Vec<ShiftCount> {
        let more = begin.into_iter().zip(end).map(|(begin, end)| end?.since(begin?));
        let whole = |more: Count| (more.running_ns > 0).then(|| more.scaled());
        let all = self.counters.iter().zip(more);
        all.map(|((metric, _), more)| ShiftCount { metric: *metric, count: more.and_then(whole) }).collect()
    }

    /// Reads all clocks at one moment. The readings are repeated if the thread was preempted between them, since the
    /// wait would be included in one clock and not in another.
    pub(crate) fn stand(&self) -> Stand {
        let (steal_ns, involuntary_switches) =
            (self.steal_ns(), fauxplat_sys::process::involuntary_switches_of_thread());
        let mut run_delay_ns = self.wait.run_delay_ns();
        for _ in 1..TRIES {
            let stand = self.clocks(steal_ns, run_delay_ns, involuntary_switches);
            let after = self.wait.run_delay_ns();
            if after == run_delay_ns {
                return stand;
            }
            run_delay_ns = after;
        }
        self.clocks(steal_ns, run_delay_ns, involuntary_switches)
    }

    fn clocks(&self, steal_ns: Option<u64>, run_delay_ns: Option<u64>, involuntary_switches: u64) -> Stand {
        Stand {
            steal_ns,
            run_delay_ns,
            involuntary_switches,
            cpu: sched::current_cpu(),
            cpu_ns: clock::thread_cpu_ns(),
            wall_ns: clock::monotonic_ns(),
        }
    }

    /// Time that the hypervisor took from the worker's CPU. The lines of CPUs come first in /proc/stat, so a read of 64
    /// KiB suffices for some hundreds of CPUs.
    fn steal_ns(&self) -> Option<u64> {
        let mut buffer = [0u8; 1 << 16];
        let got = self.stat.as_ref()?.read_at(&mut buffer, 0).ok()?;
        stat::cpu(whole_lines(&buffer, got), self.cpu.0)?.ns_of(Kind::Steal)
    }
}

impl Stand {
    pub(crate) fn until(&self, end: &Stand, units: u64, laps_cpu_ns: Vec<u64>) -> ShiftSample {
        let run_delay = self.run_delay_ns.zip(end.run_delay_ns);
        ShiftSample {
            units,
            wall_ns: end.wall_ns.saturating_sub(self.wall_ns),
            cpu_ns: end.cpu_ns.saturating_sub(self.cpu_ns),
            run_delay_ns: run_delay.map(|(begin, end)| end.saturating_sub(begin)),
            steal_ns: self.steal_ns.zip(end.steal_ns).map(|(begin, end)| end.saturating_sub(begin)),
            involuntary_switches: end.involuntary_switches.saturating_sub(self.involuntary_switches),
            cpus: [self.cpu, end.cpu],
            clock_ns: clock_cost_ns(),
            laps_cpu_ns,
            ..ShiftSample::default()
        }
    }
}

/// Cost of reading the CPU clock of the thread, in nanoseconds: the least of several attempts.
fn clock_cost_ns() -> u64 {
    let cost = |_| {
        let before_ns = clock::thread_cpu_ns();
        clock::thread_cpu_ns() - before_ns
    };
    (0..8).map(cost).min().unwrap_or(0)
}
