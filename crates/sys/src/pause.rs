//! Ctrl-Z: a process that SIGTSTP stops has those stopped that work for it, and continued when it is continued itself.
//!
//! They stand in process groups of their own, which the signal of a terminal does not reach. They are told by a signal of
//! their own, one for each turn in its order: SIGTSTP and SIGCONT would take each other out of a queue.
#![expect(unsafe_code, reason = "signal handlers are C functions")]

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use crate::inherited::{NEWS_OF_PARENT, Signals};
use crate::{Result, check, signal};

/// Who is told; zero where nobody is. More than a `limit` runs at once are never there.
static TOLD: [AtomicI32; 128] = [const { AtomicI32::new(0) }; 128];
/// How often this process was stopped.
static PAUSES: AtomicU32 = AtomicU32::new(0);
/// How often the parent has stopped or gone on: odd while it is stopped.
static TURNS: AtomicU32 = AtomicU32::new(0);

/// From now on SIGTSTP stops this process as ever, and [`tell`]s before and after. Where it was ignored from the start, it is.
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

/// How often this process was stopped since [`tell_when_stopped`].
pub fn pauses() -> u32 {
    PAUSES.load(Ordering::Relaxed)
}

/// Has a child told. It has to call [`hear_of_parent`] before it lets signals come.
pub fn add(pid: i32) {
    let _full =
        TOLD.iter().any(|place| place.compare_exchange(0, pid, Ordering::Relaxed, Ordering::Relaxed).is_ok());
}

/// Has it told no more. Its number may be somebody else's as soon as it is reaped.
pub fn remove(pid: i32) {
    for place in &TOLD {
        let _others = place.compare_exchange(pid, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

extern "C" fn stop(_: libc::c_int) {
    // SAFETY: the place of this thread's own errno, which whoever was interrupted may be about to read.
    let errno = unsafe { *libc::__errno_location() };
    PAUSES.fetch_add(1, Ordering::Relaxed);
    tell(true);
    stop_as_by_default();
    tell(false);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Tells that this process is about to stop, or goes on.
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

/// The kernel decides whether this stops: nobody would continue a group without a parent in its session.
fn stop_as_by_default() {
    // SAFETY: zeroed structures are valid, and filled in before they are used; all calls are async-signal-safe. The signal
    // is blocked while its handler runs, hence comes when it is let through.
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

/// The other side: counts the turns of the parent, and interrupts blocked calls again and again from each on, until
/// [`signal::quiet`].
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

/// What a program sends to its whole group is no news of the parent.
extern "C" fn hear(_: libc::c_int, info: *const libc::siginfo_t, _context: *const libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo_t to a handler with SA_SIGINFO, and both ways to send fill in these two.
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

/// How often the parent has stopped or gone on so far.
pub fn turns_of_parent() -> u32 {
    TURNS.load(Ordering::Relaxed)
}

/// Whether it is stopped now.
pub fn parent_is_stopped() -> bool {
    is_odd(turns_of_parent())
}
