//! The counters of the kernel, tried on the calling thread.

use fauxplat_sys::clock::thread_cpu_ns;
use fauxplat_sys::perf::{Count, Counter, CountingEvent, Whom};

use super::{Counters, Ran};

/// CPU time, in nanoseconds, of the work during which a group of events is tried: a thousand times the time that the
/// kernel takes to schedule events onto counters.
const TRIAL_NS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug)]
pub struct Kernel;

impl Counters for Kernel {
    type Open = Counter;

    fn open(&self, event: &CountingEvent, leader: Option<&Counter>) -> Result<Counter, i32> {
        // An error without an error number does not come from the kernel.
        let number = |error: fauxplat_sys::SysError| error.source.raw_os_error().unwrap_or(libc::EIO);
        Counter::open(event, Whom::Myself, leader).map_err(number)
    }

    fn try_out(&self, group: &[Counter]) -> Ran {
        // The leader is enabled last, since its members start counting with it.
        for counter in group.iter().rev() {
            if counter.enable().is_err() {
                return Ran::Never;
            }
        }
        work();
        let each = group.iter().map(|counter| counter.read().map_or(Ran::Never, ran));
        each.reduce(worse).unwrap_or(Ran::Whole)
    }
}

fn work() {
    let end = thread_cpu_ns() + TRIAL_NS;
    while thread_cpu_ns() < end {
        std::hint::spin_loop();
    }
}

fn ran(count: Count) -> Ran {
    match (count.running_ns, count.enabled_ns) {
        (0, _) => Ran::Never,
        (running, enabled) if running < enabled => Ran::Part,
        _ => Ran::Whole,
    }
}

fn worse(a: Ran, b: Ran) -> Ran {
    match (a, b) {
        (Ran::Never, _) | (_, Ran::Never) => Ran::Never,
        (Ran::Part, _) | (_, Ran::Part) => Ran::Part,
        _ => Ran::Whole,
    }
}
