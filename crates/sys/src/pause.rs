//! Ctrl-Z: when SIGTSTP stops this process, its helper processes are stopped too, and continued with it.
//!
//! Helper processes are in process groups of their own, which the signal of a terminal does not reach. They are
//! notified by a queued real-time signal, one for each stop and each continuation: a pending SIGTSTP and a pending
//! SIGCONT would cancel each other.
#![expect(unsafe_code, reason = "signal handlers are C functions")]

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use crate::inherited::{NEWS_OF_PARENT, Signals};
use crate::{Result, check, signal};

/// Process ids of the children to notify; zero for an unused entry. The verb `limit` runs at most this many at once.
static TOLD: [AtomicI32; 128] = [const { AtomicI32::new(0) }; 128];
static PAUSES: AtomicU32 = AtomicU32::new(0);
/// Number of stops and continuations of the parent: odd while it is stopped.
static TURNS: AtomicU32 = AtomicU32::new(0);

/// Installs the handler that notifies the children when SIGTSTP stops this process and when it continues. If SIGTSTP
/// was ignored from the start, it stays ignored.
pub fn tell_when_stopped() -> Result<()> {
    if Signals::at_start().ignores(libc::SIGTSTP) {
        return Ok(());
    }
    // SAFETY: a zeroed sigaction with a function is valid; SA_RESTART keeps calls going that the signal finds blocked.
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = stop as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGTSTP, &action, std::ptr::null_mut())
    };
    check(done, "sigaction").map(drop)
}

/// Returns how often this process was stopped since [`tell_when_stopped`].
pub fn pauses() -> u32 {
    PAUSES.load(Ordering::Relaxed)
}

/// Adds a child to notify, which has to call [`hear_of_parent`] before it unblocks signals.
pub fn add(pid: i32) {
    let _full =
        TOLD.iter().any(|place| place.compare_exchange(0, pid, Ordering::Relaxed, Ordering::Relaxed).is_ok());
}

/// Removes a child before it is reaped, since its process id may be reused from then on.
pub fn remove(pid: i32) {
    for place in &TOLD {
        let _others = place.compare_exchange(pid, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

extern "C" fn stop(_: libc::c_int) {
    // SAFETY: the address of this thread's own errno, which the interrupted code may be about to read.
    let errno = unsafe { *libc::__errno_location() };
    PAUSES.fetch_add(1, Ordering::Relaxed);
    tell(true);
    stop_as_by_default();
    tell(false);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Notifies the children that this process is about to stop, or continues.
fn tell(stops: bool) {
    for place in &TOLD {
        let pid = place.load(Ordering::Relaxed);
        if pid > 0 {
            let value = libc::sigval { sival_ptr: usize::from(stops) as *mut libc::c_void };
            // SAFETY: the value is a number, not read as a pointer; sigqueue(3) is async-signal-safe.
            unsafe { libc::sigqueue(pid, NEWS_OF_PARENT, value) };
        }
    }
}

/// Stops this process by the signal's default action, so that the kernel decides whether it stops: an orphaned process
/// group, which no shell would continue, is not stopped.
fn stop_as_by_default() {
    // SAFETY: zeroed structures are valid, and filled in before they are used; all calls are async-signal-safe. The
    // signal is blocked while its handler runs, so that the raised signal is delivered by SIG_UNBLOCK.
    unsafe {
        let (mut default, mut handled): (libc::sigaction, libc::sigaction) = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(libc::SIGTSTP, &default, &mut handled);
        let (mut only, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigemptyset(&mut only);
        libc::sigaddset(&mut only, libc::SIGTSTP);
        libc::raise(libc::SIGTSTP);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &only, &mut before);
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        libc::sigaction(libc::SIGTSTP, &handled, std::ptr::null_mut());
    }
}

/// In a helper process: counts the stops and continuations of the parent. From each of them on, blocked calls are
/// interrupted every 10 ms until [`signal::quiet`].
pub fn hear_of_parent() -> Result<()> {
    signal::note_parent();
    // SAFETY: a zeroed sigaction with a function is valid; with SA_SIGINFO that gets three arguments, which it takes.
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = hear as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(NEWS_OF_PARENT, &action, std::ptr::null_mut())
    };
    check(done, "sigaction").map(drop)
}

/// Handles a notification. A signal that another process sends to the whole group is not from the parent, and is
/// ignored.
extern "C" fn hear(_: libc::c_int, info: *const libc::siginfo_t, _context: *const libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo_t to a handler with SA_SIGINFO, and both ways to send fill in these
    // two.
    let (sender, stops) = unsafe { ((*info).si_pid(), !(*info).si_value().sival_ptr.is_null()) };
    let turns = TURNS.load(Ordering::Relaxed);
    if signal::is_parent(sender) && stops != is_odd(turns) {
        TURNS.store(turns.wrapping_add(1), Ordering::Relaxed);
        signal::repeat();
    }
}

fn is_odd(turns: u32) -> bool {
    turns % 2 == 1
}

/// Returns the number of stops and continuations of the parent so far.
pub fn turns_of_parent() -> u32 {
    TURNS.load(Ordering::Relaxed)
}

pub fn parent_is_stopped() -> bool {
    is_odd(turns_of_parent())
}
