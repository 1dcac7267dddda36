//! The watchdog of the noise test: frees the CPU when ordinary threads cannot run any more.
//!
//! The test takes all of a CPU at a high priority. On a machine with one CPU, or for a fauxplat that may use only one,
//! the terminal, the shell and the user's attempt to stop the test would wait until its end. Therefore an ordinary
//! thread periodically stores a time stamp, and while the stamp is old, the watchdog, whose priority is above that of
//! the test, makes the test an ordinary thread. Such time is a gap, with the watchdog as its cause.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use fauxplat_model::Policy;
use fauxplat_sys::{SysError, clock, sched, timer};
use fauxplat_threads::{ThreadPlacement, start_above};
use fauxplat_units::{Cpu, CpuSet};

use crate::LatencyError;

/// Time between two stamps of the ordinary thread, and between two checks of the watchdog.
const BEAT_NS: u64 = 100_000_000;
/// Age, in nanoseconds, from which the time stamp of the ordinary thread is old.
const OLD_NS: u64 = 1_000_000_000;

/// The watchdog of the thread that started it. Ends when dropped.
#[derive(Debug, Default)]
pub(crate) struct Watchdog(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    ended: AtomicBool,
    /// Time of `CLOCK_MONOTONIC` at which the stamping thread last ran.
    mark_ns: AtomicU64,
    /// Number of times that the CPU was freed.
    freed: AtomicU64,
}

impl Watchdog {
    /// Starts to watch the calling thread, which is at `place`. A thread with the ordinary policy need not be watched.
    ///
    /// # Errors
    /// Fails where the thread cannot be created, there is no priority above that of the test, or the stamping thread
    /// cannot be placed.
    pub(crate) fn start(place: &ThreadPlacement) -> Result<Self, LatencyError> {
        let watchdog = Watchdog::default();
        let (Policy::Fifo(priority) | Policy::RoundRobin(priority)) = place.policy else {
            return Ok(watchdog);
        };
        let made = |source| LatencyError::Make { what: "a watchdog", source };
        start_marks(&watchdog.0, place.cpu).map_err(made)?;
        let (shared, policy) = (Arc::clone(&watchdog.0), place.policy);
        start_above(priority, move |test| shared.watch(test, policy)).map_err(made)?;
        Ok(watchdog)
    }

    pub(crate) fn freed(&self) -> u64 {
        self.0.freed.load(Ordering::Acquire)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
    }
}

/// Name of the stamping thread.
const MARKS: &str = "latency mark";

/// Starts the stamping thread, from the thread of the test on this CPU. On return the stamping thread is placed and has
/// stored a stamp: a test that spins before that would never let the stamping thread leave the CPU.
fn start_marks(shared: &Arc<Shared>, test: Cpu) -> io::Result<()> {
    let marks = Arc::clone(shared);
    let (ready, placed) = channel();
    let thread = std::thread::Builder::new().name(MARKS.to_owned()).stack_size(64 << 10);
    thread.spawn(move || marks.mark(test, &ready))?;
    match placed.recv_timeout(Duration::from_nanos(OLD_NS)) {
        Ok(placed) => placed.map_err(io::Error::other),
        // Another program keeps the thread from running, which the watchdog will detect as well.
        Err(RecvTimeoutError::Timeout) => Ok(()),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the watchdog's thread ended early")),
    }
}

/// CPUs of the stamping thread: those of the process, without the CPU of the test if any other is left.
fn apart(allowed: &CpuSet, test: Cpu) -> CpuSet {
    let others = allowed.without(&[test].into_iter().collect());
    if others.is_empty() { allowed.clone() } else { others }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Body of the stamping thread: reports whether it could be placed, and then stores stamps whenever ordinary
    /// threads can run.
    fn mark(&self, test: Cpu, ready: &Sender<Result<(), SysError>>) {
        // The thread inherits the placement of the test. The CPUs are set first: an ordinary thread on the CPU of the
        // test might not run any more, and could not leave it.
        let placed = sched::affinity(std::process::id() as i32)
            .and_then(|allowed| sched::set_affinity(0, &apart(&allowed, test)))
            .and_then(|()| sched::set_policy(0, sched::OTHER, 0));
        let goes_on = placed.is_ok();
        self.mark_ns.store(clock::monotonic_ns(), Ordering::Release);
        // The receiver may have stopped waiting and gone on without this report.
        let _ = ready.send(placed);
        while goes_on && !self.is_over() {
            self.mark_ns.store(clock::monotonic_ns(), Ordering::Release);
            timer::sleep_until_ns(clock::monotonic_ns() + BEAT_NS);
        }
    }

    fn watch(&self, test: i32, policy: Policy) {
        let mut is_free = false;
        while !self.is_over() {
            timer::sleep_until_ns(clock::monotonic_ns() + BEAT_NS);
            let old = clock::monotonic_ns().saturating_sub(self.mark_ns.load(Ordering::Acquire)) > OLD_NS;
            // The test and with it the thread id may have ended; a call for a missing thread has no effect.
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
    use std::path::{Path, PathBuf};

    use super::*;

    /// Numbers of policies in `sched(7)`.
    const OTHER: Option<u32> = Some(0);
    const FIFO: Option<u32> = Some(1);

    /// The policy of a thread, from its directory in `/proc`.
    fn policy_of(task: &Path) -> Option<u32> {
        let line = std::fs::read_to_string(task.join("stat")).ok()?;
        fauxplat_procfs::task::TaskStat::parse(&line)?.policy()
    }

    fn policy() -> Option<u32> {
        policy_of(Path::new("/proc/thread-self"))
    }

    /// Until the effect is seen, no stamp is stored, as if ordinary threads could not run.
    #[test]
    fn the_cpu_is_freed_when_nobody_else_runs_and_taken_again_when_somebody_does() {
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
        let place = ThreadPlacement { cpu: fauxplat_units::Cpu(0), policy: Policy::Other, slack_ns: None };
        let watchdog = Watchdog::start(&place).unwrap();
        assert_eq!((watchdog.freed(), Arc::strong_count(&watchdog.0)), (0, 1));
    }

    #[test]
    fn marks_are_made_beside_the_test_where_that_can_be() {
        let set = |cpus: &[u32]| cpus.iter().copied().map(Cpu).collect::<CpuSet>();
        assert_eq!(apart(&set(&[0, 1, 5]), Cpu(1)), set(&[0, 5]));
        assert_eq!(apart(&set(&[0, 5]), Cpu(1)), set(&[0, 5]));
        assert_eq!(apart(&set(&[1]), Cpu(1)), set(&[1]));
    }

    /// Starts the stamping thread as a test at this place does, and returns its policies and CPUs. `None` where the
    /// place is not permitted.
    fn places_of_marks(place: ThreadPlacement) -> Option<Vec<(Option<u32>, CpuSet)>> {
        place.take().ok()?;
        let (shared, begun_ns) = (Arc::new(Shared::default()), clock::monotonic_ns());
        start_marks(&shared, place.cpu).unwrap();
        let has_waited = clock::monotonic_ns() - begun_ns >= OLD_NS;
        assert!(shared.mark_ns.load(Ordering::Acquire) > 0 || has_waited);
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
        let place_of = |task: PathBuf| {
            // A thread that has ended has no directory.
            let name = std::fs::read_to_string(task.join("comm")).ok()?;
            let tid = task.file_name()?.to_str()?.parse().ok()?;
            (name.trim_end() == MARKS).then_some((policy_of(&task)?, sched::affinity(tid).ok()?))
        };
        let places = tasks.filter_map(place_of).map(|(policy, cpus)| (Some(policy), cpus)).collect();
        shared.ended.store(true, Ordering::Release);
        // On a machine that stalls for a second the placement cannot be observed.
        Some(if has_waited { Vec::new() } else { places })
    }

    /// The inherited real-time policy would keep the stamping thread from running.
    #[test]
    fn a_test_begins_when_an_ordinary_thread_beside_it_has_marked() {
        let allowed = sched::affinity(0).unwrap();
        let cpu = allowed.first().unwrap();
        for policy in [Policy::Other, Policy::Fifo(2), Policy::RoundRobin(2)] {
            let place = ThreadPlacement { cpu, policy, slack_ns: None };
            match std::thread::spawn(move || places_of_marks(place)).join().unwrap() {
                Some(places) => {
                    assert!(
                        places.iter().all(|it| *it == (OTHER, apart(&allowed, cpu))),
                        "{policy:?} {places:?}"
                    );
                }
                // Root in a container may lack the permission, too.
                None => assert!(policy != Policy::Other),
            }
        }
    }
}
