//! The watchdog of the noise test: it frees the CPU when nothing ordinary runs any more.
//!
//! The test takes all of a CPU at a high priority. On a machine of one CPU, or for a fauxplat that may use one alone, the
//! terminal, the shell and whoever would stop the test wait then, for as long as it lasts. So an ordinary thread marks
//! that such threads still run, and the watchdog, which stands above the test, makes the test an ordinary thread while
//! the mark is old. Time that it gave away so is a gap, and the cause says so.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use fauxplat_model::Policy;
use fauxplat_sys::{SysError, clock, sched, timer};
use fauxplat_threads::{Place, start_above};
use fauxplat_units::{Cpu, CpuSet};

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
    /// There is no thread, or no priority above that of the test, or the marks cannot be made where others run.
    pub(crate) fn start(place: &Place) -> Result<Self, LatencyError> {
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

/// The name of the thread that marks.
const MARKS: &str = "latency mark";

/// Starts the thread that marks, from the thread of the test on this CPU. It stands at its place when this returns and
/// has marked once: a test that spins before that would never let it go there.
fn start_marks(shared: &Arc<Shared>, test: Cpu) -> io::Result<()> {
    let marks = Arc::clone(shared);
    let (ready, placed) = channel();
    let thread = std::thread::Builder::new().name(MARKS.to_owned()).stack_size(64 << 10);
    thread.spawn(move || marks.mark(test, &ready))?;
    match placed.recv_timeout(Duration::from_nanos(OLD_NS)) {
        Ok(placed) => placed.map_err(io::Error::other),
        // Somebody else keeps it from running, and the watchdog sees the same.
        Err(RecvTimeoutError::Timeout) => Ok(()),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("its thread ended early")),
    }
}

/// Where marks are made: what the process may use, without the CPU of the test if any other is left.
fn apart(allowed: &CpuSet, test: Cpu) -> CpuSet {
    let others = allowed.without(&[test].into_iter().collect());
    if others.is_empty() { allowed.clone() } else { others }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Shows that ordinary threads run, and says first whether it could take its place among them.
    fn mark(&self, test: Cpu, ready: &Sender<Result<(), SysError>>) {
        // It inherits the place of the test. The CPUs come first: an ordinary thread on that of the test may not run
        // any more, and could not leave it.
        let placed = sched::affinity(std::process::id() as i32)
            .and_then(|allowed| sched::set_affinity(0, &apart(&allowed, test)))
            .and_then(|()| sched::set_policy(0, sched::OTHER, 0));
        let goes_on = placed.is_ok();
        self.mark_ns.store(clock::monotonic_ns(), Ordering::Release);
        // Who waits no longer has gone on without it.
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
    use std::path::{Path, PathBuf};

    use super::*;

    /// As `sched(7)` numbers them.
    const OTHER: Option<u32> = Some(0);
    const FIFO: Option<u32> = Some(1);

    /// The policy of a thread, by its folder.
    fn policy_of(task: &Path) -> Option<u32> {
        let line = std::fs::read_to_string(task.join("stat")).ok()?;
        fauxplat_procfs::task::TaskStat::parse(&line)?.policy()
    }

    /// That of the calling thread.
    fn policy() -> Option<u32> {
        policy_of(Path::new("/proc/thread-self"))
    }

    /// Nobody marks that ordinary threads run, as if none could, until it was seen what comes of that.
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
        let place = Place { cpu: fauxplat_units::Cpu(0), policy: Policy::Other, slack_ns: None };
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

    /// Starts marks as a test at this place does, and says at which places they are made when it goes on. `None` where
    /// the place is not permitted.
    fn places_of_marks(place: Place) -> Option<Vec<(Option<u32>, CpuSet)>> {
        place.take().ok()?;
        let (shared, begun_ns) = (Arc::new(Shared::default()), clock::monotonic_ns());
        start_marks(&shared, place.cpu).unwrap();
        let has_waited = clock::monotonic_ns() - begun_ns >= OLD_NS;
        assert!(shared.mark_ns.load(Ordering::Acquire) > 0 || has_waited);
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
        let place_of = |task: PathBuf| {
            // Whoever has ended meanwhile has none.
            let name = std::fs::read_to_string(task.join("comm")).ok()?;
            let tid = task.file_name()?.to_str()?.parse().ok()?;
            (name.trim_end() == MARKS).then_some((policy_of(&task)?, sched::affinity(tid).ok()?))
        };
        let places = tasks.filter_map(place_of).map(|(policy, cpus)| (Some(policy), cpus)).collect();
        shared.ended.store(true, Ordering::Release);
        // A machine that stands still for a second says nothing about places.
        Some(if has_waited { Vec::new() } else { places })
    }

    /// What they inherit of a real-time test is what would keep them from being made.
    #[test]
    fn a_test_begins_when_an_ordinary_thread_beside_it_has_marked() {
        let allowed = sched::affinity(0).unwrap();
        let cpu = allowed.first().unwrap();
        for policy in [Policy::Other, Policy::Fifo(2), Policy::RoundRobin(2)] {
            let place = Place { cpu, policy, slack_ns: None };
            match std::thread::spawn(move || places_of_marks(place)).join().unwrap() {
                Some(places) => {
                    assert!(
                        places.iter().all(|it| *it == (OTHER, apart(&allowed, cpu))),
                        "{policy:?} {places:?}"
                    );
                }
                // Root of a container may lack the right to it, too.
                None => assert!(policy != Policy::Other),
            }
        }
    }
}
