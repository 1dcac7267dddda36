//! Ways in which one thread wakes another: futex, event counter, signal.
#![expect(unsafe_code, reason = "futex(2), eventfd(2) and signal handlers have no safe form in std")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::{Result, SysError, check, clock};

/// Sleeps while the word has this value, see `FUTEX_WAIT` in `futex(2)`. Spurious wake-ups are possible.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    let no_limit: *const libc::timespec = std::ptr::null();
    // SAFETY: the word outlives the call, and a null pointer for the time limit means none.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, no_limit) };
}

pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: the word outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
}

/// An event counter whose reader sleeps in the read itself, see `eventfd(2)`.
#[derive(Debug)]
pub struct EventCounter(OwnedFd);

impl EventCounter {
    pub fn new() -> Result<Self> {
        // SAFETY: no pointer is passed.
        let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) }, "eventfd")?;
        // SAFETY: the descriptor was just created and belongs to nobody else.
        Ok(EventCounter(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    pub fn add(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight readable bytes, as eventfd wants.
        unsafe { libc::write(self.0.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Sleeps until the count is not zero, and resets it; returns false if a signal came first.
    pub fn take(&self) -> bool {
        let mut count = [0u8; 8];
        // SAFETY: eight writable bytes, as eventfd wants.
        unsafe { libc::read(self.0.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) == 8 }
    }
}

/// Time of the last signal of [`stamp_signals`], and number of such signals. Both are global, since signal handlers are
/// per process.
static ARRIVED_NS: AtomicU64 = AtomicU64::new(0);
static ARRIVALS: AtomicU64 = AtomicU64::new(0);

extern "C" fn stamp(_: libc::c_int) {
    // clock_gettime is async-signal-safe (signal-safety(7)).
    ARRIVED_NS.store(clock::monotonic_ns(), Ordering::Relaxed);
    // Release: a reader that sees the count also sees its time.
    ARRIVALS.fetch_add(1, Ordering::Release);
}

/// Makes the first real-time signal record the time of its arrival. Returns the signal's number.
pub fn stamp_signals() -> Result<i32> {
    let signal = libc::SIGRTMIN();
    // SAFETY: a zeroed sigaction is valid: no flags and an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = stamp as *const () as usize;
    // SAFETY: `action` is initialised, and the handler does only what signal-safety(7) allows.
    check(unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) }, "sigaction")?;
    Ok(signal)
}

/// Returns the number of signals that arrived so far, and the time of the last signal.
pub fn arrivals() -> (u64, u64) {
    // Acquire: the counterpart of the release in the handler.
    let count = ARRIVALS.load(Ordering::Acquire);
    (count, ARRIVED_NS.load(Ordering::Relaxed))
}

pub fn thread_id() -> i32 {
    // SAFETY: no pointer is passed.
    unsafe { libc::gettid() }
}

/// Sends a signal to one thread of this process, see `tgkill(2)`.
///
/// # Errors
/// Fails where the thread is gone.
pub fn signal_thread(tid: i32, signal: i32) -> Result<()> {
    // SAFETY: no pointer is passed; the group is our own.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), tid, signal) };
    if sent < 0 { Err(SysError::last("tgkill")) } else { Ok(()) }
}

/// Sleeps until any signal arrives, see `pause(2)`.
pub fn pause() {
    // SAFETY: no pointer is passed.
    unsafe { libc::poll(std::ptr::null_mut(), 0, -1) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_sleeper_on_a_futex_is_woken() {
        let word = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&word);
        let sleeper = std::thread::spawn(move || {
            while theirs.load(Ordering::Acquire) == 0 {
                futex_wait(&theirs, 0);
            }
        });
        word.store(1, Ordering::Release);
        futex_wake(&word);
        sleeper.join().unwrap();
    }

    #[test]
    fn a_signal_to_a_thread_is_stamped() {
        let signal = stamp_signals().unwrap();
        let (before, sent_ns) = (arrivals().0, clock::monotonic_ns());
        signal_thread(thread_id(), signal).unwrap();
        let (after, arrived_ns) = arrivals();
        assert_eq!(after, before + 1);
        assert!(arrived_ns >= sent_ns);
        assert!(signal_thread(i32::MAX, signal).is_err());
    }

    #[test]
    fn an_event_counter_keeps_what_was_added() {
        let counter = EventCounter::new().unwrap();
        counter.add();
        assert!(counter.take());
    }
}
