//! The watchdog of the noise test: it frees the CPU when nothing ordinary runs any more.
//!
//! The test takes all of a CPU at a high priority. On a machine of one CPU, or for a fauxplat that may use one alone, the
//! terminal, the shell and whoever would stop the test wait then, for as long as it lasts. So an ordinary thread marks
//! that such threads still run, and the watchdog, which stands above the test, makes the test an ordinary thread while
//! the mark is old. Time that it gave away so is a gap, and the cause says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fauxplat_model::Policy;
use fauxplat_sys::{clock, sched, timer};
use fauxplat_threads::{Place, start_above};

use crate::LatencyError;

/// Time between two marks, and between two looks at them.
const BEAT_NS: u64 = 100_000_000;
/// A mark is old after this time.
const OLD_NS: u64 = 1_000_000_000;

/// The watchdog of the thread that started it. It ends when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Watchdog(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    ended: AtomicBool,
    /// When an ordinary thread last ran.
    mark_ns: AtomicU64,
    /// How often the CPU was freed.
    freed: AtomicU64,
}

impl Watchdog {
    /// Begins to watch the calling thread, which stands at this place. An ordinary one need not be watched.
    ///
    /// # Errors
    /// There is no thread, or no priority above that of the test.
    pub(crate) fn start(place: &Place) -> Result<Self, LatencyError> {
        let watchdog = Watchdog::default();
        let (Policy::Fifo(priority) | Policy::RoundRobin(priority)) = place.policy else {
            return Ok(watchdog);
        };
        let made = |source| LatencyError::Make { what: "a watchdog", source };
        watchdog.0.mark_ns.store(clock::monotonic_ns(), Ordering::Release);
        let (shared, policy) = (Arc::clone(&watchdog.0), place.policy);
        start_above(priority, move |test| shared.watch(test, policy)).map_err(made)?;
        let shared = Arc::clone(&watchdog.0);
        std::thread::Builder::new().stack_size(64 << 10).spawn(move || shared.mark()).map_err(made)?;
        Ok(watchdog)
    }

    /// How often the CPU was freed so far.
    pub(crate) fn freed(&self) -> u64 {
        self.0.freed.load(Ordering::Acquire)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
    }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Shows that ordinary threads run. Where they may run is what the process may use.
    fn mark(&self) {
        // It inherits the place of the test, and is to stand where everybody else does.
        let everywhere = sched::affinity(std::process::id() as i32);
        let placed = sched::set_policy(0, sched::OTHER, 0)
            .and_then(|()| everywhere.and_then(|cpus| sched::set_affinity(0, &cpus)));
        while placed.is_ok() && !self.is_over() {
            self.mark_ns.store(clock::monotonic_ns(), Ordering::Release);
            timer::sleep_until_ns(clock::monotonic_ns() + BEAT_NS);
        }
    }

    fn watch(&self, test: i32, policy: Policy) {
        let mut is_free = false;
        while !self.is_over() {
            timer::sleep_until_ns(clock::monotonic_ns() + BEAT_NS);
            let old = clock::monotonic_ns().saturating_sub(self.mark_ns.load(Ordering::Acquire)) > OLD_NS;
            // The test ends and so does its number; a call that finds nobody does nothing.
            if old && !is_free {
                let _gone = sched::set_policy(test, sched::OTHER, 0);
                self.freed.fetch_add(1, Ordering::AcqRel);
            } else if !old && is_free && !self.is_over() {
                let _gone = match policy {
                    Policy::Fifo(priority) => sched::set_policy(test, sched::FIFO, priority),
                    Policy::RoundRobin(priority) => sched::set_policy(test, sched::ROUND_ROBIN, priority),
                    Policy::Other => Ok(()),
                };
            }
            is_free = old;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The policy of the calling thread, numbered as in `sched(7)`.
    fn policy() -> Option<u32> {
        let line = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        fauxplat_procfs::task::TaskStat::parse(&line)?.policy()
    }

    /// Nobody marks that ordinary threads run, as if none could, until it was seen what comes of that.
    #[test]
    fn the_cpu_is_freed_when_nobody_else_runs_and_taken_again_when_somebody_does() {
        const OTHER: Option<u32> = Some(0);
        const FIFO: Option<u32> = Some(1);
        let shared = Arc::new(Shared::default());
        let watched = Arc::clone(&shared);
        let watch = move |test| watched.watch(test, Policy::Fifo(1));
        if sched::set_policy(0, sched::FIFO, 1).is_err() || start_above(1, watch).is_err() {
            assert!(!fauxplat_sys::process::is_root());
            return;
        }
        let pause = || std::thread::sleep(std::time::Duration::from_millis(5));
        while shared.freed.load(Ordering::Acquire) == 0 {
            pause();
        }
        assert_eq!(policy(), OTHER);
        while policy() == OTHER {
            shared.mark_ns.store(clock::monotonic_ns(), Ordering::Release);
            pause();
        }
        assert_eq!(policy(), FIFO);
        shared.ended.store(true, Ordering::Release);
        sched::set_policy(0, sched::OTHER, 0).unwrap();
    }

    #[test]
    fn an_ordinary_test_is_not_watched() {
        let place = Place { cpu: fauxplat_units::Cpu(0), policy: Policy::Other, slack_ns: None };
        let watchdog = Watchdog::start(&place).unwrap();
        assert_eq!((watchdog.freed(), Arc::strong_count(&watchdog.0)), (0, 1));
    }
}
