//! Placement of a test's threads, and settings that keep the machine awake during the test.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use fauxplat_sys::{clock, timer};
use fauxplat_threads::ThreadPlacement;
use fauxplat_units::Cpu;

use crate::LatencyError;

/// Places the calling thread on the CPU and under the policy of `place`.
pub(crate) fn take(place: &ThreadPlacement) -> Result<(), LatencyError> {
    place.take().map_err(|source| LatencyError::ThreadPlacement { cpu: place.cpu, source })
}

/// Runs `body` on a new thread that was placed on the CPU and under the policy of `place`; returns its result.
pub(crate) fn run<T: Send>(
    place: &ThreadPlacement,
    body: impl FnOnce() -> Result<T, LatencyError> + Send,
) -> Result<T, LatencyError> {
    let placed = || take(place).and_then(|()| body());
    std::thread::scope(|scope| {
        let thread = begin(scope, place.cpu, builder(place.cpu), placed)?;
        thread.join().map_err(|_| LatencyError::Gone(place.cpu))?
    })
}

/// Runs two bodies, each on a new thread at its place, and returns both results. Neither body begins before both
/// threads are placed; if a thread cannot be placed, neither body runs.
///
/// # Errors
/// Returns the error of the first body, or else that of the second. Fails where a thread cannot be created or placed.
pub(crate) fn run_both<A: Send, B: Send>(
    places: [&ThreadPlacement; 2],
    first: impl FnOnce() -> Result<A, LatencyError> + Send,
    second: impl FnOnce() -> Result<B, LatencyError> + Send,
) -> Result<(A, B), LatencyError> {
    run_both_on(places.map(|place| (place, builder(place.cpu))), first, second)
}

fn run_both_on<A: Send, B: Send>(
    [(here, one), (there, other)]: [(&ThreadPlacement, Builder); 2],
    first: impl FnOnce() -> Result<A, LatencyError> + Send,
    second: impl FnOnce() -> Result<B, LatencyError> + Send,
) -> Result<(A, B), LatencyError> {
    let (both, failed) = (Barrier::new(2), AtomicBool::new(false));
    // A thread that cannot be placed still comes to the barrier, since the other thread waits there.
    let meet = |stands: bool| {
        failed.fetch_or(!stands, Ordering::AcqRel);
        both.wait();
        !failed.load(Ordering::Acquire)
    };
    let meet = &meet;
    std::thread::scope(|scope| {
        let first = begin(scope, here.cpu, one, move || {
            let placed = take(here);
            if meet(placed.is_ok()) { first().map(Some) } else { placed.map(|()| None) }
        })?;
        let second = begin(scope, there.cpu, other, move || {
            let placed = take(there);
            if meet(placed.is_ok()) { second().map(Some) } else { placed.map(|()| None) }
        });
        // The first thread waits at the barrier already: if the second thread cannot be created, this thread comes to
        // the barrier instead, so that the first does not wait for ever.
        let second = second.inspect_err(|_| {
            meet(false);
        })?;
        let first = first.join().map_err(|_| LatencyError::Gone(here.cpu))?;
        let second = second.join().map_err(|_| LatencyError::Gone(there.cpu))?;
        // If both threads succeeded, both bodies ran.
        first?.zip(second?).ok_or(LatencyError::Gone(there.cpu))
    })
}

fn builder(cpu: Cpu) -> Builder {
    Builder::new().name(format!("latency {cpu}"))
}

fn begin<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    cpu: Cpu,
    thread: Builder,
    body: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, LatencyError> {
    thread.spawn_scoped(scope, body).map_err(|source| LatencyError::Thread { cpu, source })
}

/// Longest sleep, in nanoseconds, without a check for a stop: the kernel may deliver the signal that requests a stop to
/// another thread, and then the signal does not end the sleep.
pub(crate) const DEAF_NS: u64 = 50_000_000;

/// Sleeps until the time `moment_ns` of `CLOCK_MONOTONIC`, and returns false if `is_over` holds before. `is_over` is
/// checked every [`DEAF_NS`], but not within the last [`DEAF_NS`] before that time: the test measures the wake-up from
/// an uninterrupted sleep.
pub(crate) fn sleep_until(moment_ns: u64, is_over: impl Fn() -> bool) -> bool {
    let last_ns = moment_ns.saturating_sub(DEAF_NS);
    loop {
        let now_ns = clock::monotonic_ns();
        if now_ns >= last_ns {
            break;
        }
        if is_over() {
            return false;
        }
        timer::sleep_until_ns(last_ns.min(now_ns + DEAF_NS));
    }
    // A signal interrupts the sleep, which is then resumed.
    while !timer::sleep_until_ns(moment_ns) {
        if is_over() {
            return false;
        }
    }
    true
}

/// Guard of two settings for latency tests: CPUs enter no idle state that takes long to leave, and memory stays
/// resident. Both settings end when this value is dropped, or with the process, however it ends.
#[derive(Debug)]
pub struct Calm {
    _latency: Option<File>,
}

/// Holds `/dev/cpu_dma_latency` open at zero (`Documentation/power/pm_qos_interface.rst` of Linux) and calls
/// `mlockall(2)`. Also returns a text for each refused setting.
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

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Policy;
    use std::cell::Cell;

    use fauxplat_sys::sched;

    fn here() -> ThreadPlacement {
        let cpu = sched::affinity(0).unwrap().first().unwrap();
        ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None }
    }

    #[test]
    fn two_bodies_run_or_none() {
        let (here, nowhere) = (here(), ThreadPlacement { cpu: Cpu(99_999), ..here() });
        assert_eq!(run_both([&here, &here], || Ok(1), || Ok('b')).unwrap(), (1, 'b'));
        for places in [[&here, &nowhere], [&nowhere, &here]] {
            let ran = AtomicBool::new(false);
            let run = || {
                ran.store(true, Ordering::Relaxed);
                Ok(())
            };
            let refused = run_both(places, run, run).unwrap_err();
            assert!(refused.to_string().contains("99999") && !ran.into_inner(), "{refused}");
        }
        let gone = || Err::<(), _>(LatencyError::Gone(Cpu(7)));
        assert!(run_both([&here, &here], gone, || Ok(())).unwrap_err().to_string().contains("CPU 7"));
        assert!(run_both([&here, &here], || Ok(()), gone).unwrap_err().to_string().contains("CPU 7"));
    }

    /// The builder of a thread whose stack is too large for any machine.
    fn too_large() -> Builder {
        Builder::new().stack_size(usize::MAX / 4)
    }

    #[test]
    fn nobody_waits_for_a_thread_that_cannot_be_made() {
        let (here, there) = (here(), ThreadPlacement { cpu: Cpu(12_345), ..here() });
        for second_is_made in [true, false] {
            let builders = if second_is_made {
                [too_large(), builder(here.cpu)]
            } else {
                [builder(here.cpu), too_large()]
            };
            let places = if second_is_made { [&there, &here] } else { [&here, &there] };
            let [one, other] = builders;
            let ran = AtomicBool::new(false);
            let run = || {
                ran.store(true, Ordering::Relaxed);
                Ok(())
            };
            let refused = run_both_on([(places[0], one), (places[1], other)], run, run).unwrap_err();
            assert!(matches!(refused, LatencyError::Thread { cpu: Cpu(12_345), .. }), "{refused}");
            assert!(refused.to_string().contains("CPU 12345") && !ran.into_inner(), "{refused}");
        }
    }

    #[test]
    fn a_long_sleep_ends_when_the_test_does() {
        const HOUR_NS: u64 = 3_600_000_000_000;
        let looks = Cell::new(0);
        let third = || looks.replace(looks.get() + 1) == 2;
        assert!(!sleep_until(clock::monotonic_ns() + HOUR_NS, third));
        assert_eq!(looks.get(), 3);
    }

    #[test]
    fn who_sleeps_wakes_at_the_moment_and_not_before() {
        for wait_ns in [0, 1000, DEAF_NS, DEAF_NS + 1000, 2 * DEAF_NS + 1000] {
            let moment_ns = clock::monotonic_ns() + wait_ns;
            assert!(sleep_until(moment_ns, || false) && clock::monotonic_ns() >= moment_ns, "{wait_ns}");
        }
        assert!(sleep_until(clock::monotonic_ns(), || true), "what is due is due");
    }
}
