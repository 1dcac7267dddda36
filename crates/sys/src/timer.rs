//! Sleeps until a moment, and settings that make sleepers wake in time.
#![expect(unsafe_code, reason = "clock_nanosleep(2), prctl(2) and mlockall(2) are C calls")]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Result, check};

/// Sleeps until a moment of `CLOCK_MONOTONIC`, see `clock_nanosleep(2)`; returns false if a signal ended the sleep
/// earlier.
pub fn sleep_until_ns(moment_ns: u64) -> bool {
    let until = libc::timespec {
        tv_sec: (moment_ns / 1_000_000_000) as _,
        tv_nsec: (moment_ns % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `until` is a valid timespec that is only read; an absolute sleep reports no remainder.
    let woken = unsafe {
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &until, std::ptr::null_mut())
    };
    woken == 0
}

/// Sleeps until a moment of `CLOCK_MONOTONIC`, or until the user asks to stop
/// ([`signal::stop_requested`](crate::signal::stop_requested)). Another thread may receive the signal, so the sleep is
/// divided into short sleeps.
pub fn sleep_unless_stopped(moment_ns: u64) {
    const SLICE_NS: u64 = 50_000_000;
    loop {
        let now_ns = crate::clock::monotonic_ns();
        if now_ns >= moment_ns || crate::signal::stop_requested() {
            return;
        }
        sleep_until_ns(moment_ns.min(now_ns + SLICE_NS));
    }
}

/// Number of signals of [`storm_once`] that arrived. The count is global, since signal handlers are per process.
static STORM: AtomicU64 = AtomicU64::new(0);

extern "C" fn count(_: libc::c_int) {
    STORM.fetch_add(1, Ordering::Relaxed);
}

/// Sends this process one `SIGALRM` after 1 µs, the shortest time that the timer of `setitimer(2)` can be set to.
pub fn storm_once() -> Result<()> {
    // SAFETY: a zeroed sigaction is valid: no flags and an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = count as *const () as usize;
    // SAFETY: `action` is initialised, and the handler does only what signal-safety(7) allows.
    check(unsafe { libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut()) }, "sigaction")?;
    let (never, soon) = (libc::timeval { tv_sec: 0, tv_usec: 0 }, libc::timeval { tv_sec: 0, tv_usec: 1 });
    let timer = libc::itimerval { it_interval: never, it_value: soon };
    // SAFETY: `timer` is valid for the call and only read.
    check(unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) }, "setitimer").map(drop)
}

pub fn storm_signals() -> u64 {
    STORM.load(Ordering::Relaxed)
}

/// Returns the timer slack of the calling thread: the delay that the kernel may add to its timers to fire several at
/// once, see `PR_GET_TIMERSLACK` in `prctl(2)`. `None` if the kernel refuses. Threads of real-time policies have no
/// such delay.
pub fn slack_ns() -> Option<u64> {
    // SAFETY: the option takes no argument.
    u64::try_from(unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) }).ok()
}

/// Sets the timer slack of the calling thread, which processes that it creates inherit; 0 restores the default. See
/// `PR_SET_TIMERSLACK` in `prctl(2)`.
pub fn set_slack_ns(slack_ns: u64) -> Result<()> {
    // SAFETY: the option takes one integer.
    check(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack_ns, 0, 0, 0) }, "prctl(PR_SET_TIMERSLACK)")
        .map(drop)
}

/// Keeps all memory of this process resident, now and later, see `mlockall(2)`.
pub fn lock_memory() -> Result<()> {
    // SAFETY: no pointer is passed.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) }, "mlockall").map(drop)
}

/// Undoes [`lock_memory`].
pub fn unlock_memory() {
    // SAFETY: no pointer is passed.
    unsafe { libc::munlockall() };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn nobody_wakes_too_early() {
        let moment_ns = clock::monotonic_ns() + 2_000_000;
        assert!(sleep_until_ns(moment_ns));
        assert!(clock::monotonic_ns() >= moment_ns);
        assert!(sleep_until_ns(0), "the past is no sleep");
    }

    #[test]
    fn the_slack_is_that_of_the_thread() {
        set_slack_ns(7).unwrap();
        assert_eq!(slack_ns(), Some(7));
        set_slack_ns(0).unwrap();
        assert_ne!(slack_ns(), Some(7));
    }
}
