//! Signals: a count of requests to stop, and the means to interrupt a blocked wait without a race.
#![expect(unsafe_code, reason = "signal handlers are C functions")]

use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use crate::inherited::{NEWS_OF_PARENT, Signals};
use crate::{Result, check};

/// Number of requests to stop, raised by the handlers. The count is global, since signals are per process.
static STOPS: AtomicU32 = AtomicU32::new(0);

/// Returns whether a stop was requested since the last [`clear_stop`].
pub fn stop_requested() -> bool {
    stops() > 0
}

/// Returns the number of requests to stop since the last [`clear_stop`]. A further request while fauxplat cleans up
/// ends the cleaning up.
pub fn stops() -> u32 {
    // Relaxed is enough: the count carries no other data, and readers check it repeatedly.
    STOPS.load(Ordering::Relaxed)
}

pub fn clear_stop() {
    STOPS.store(0, Ordering::Relaxed);
}

extern "C" fn raise_stop(_: libc::c_int) {
    STOPS.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn raise_stop_again_and_again(_: libc::c_int) {
    STOPS.fetch_add(1, Ordering::Relaxed);
    repeat();
}

/// Whether the timer of [`repeat`] interrupts blocked calls.
static REPEATS: AtomicBool = AtomicBool::new(false);

/// Interrupts blocked calls every 10 ms from now on, until [`quiet`].
pub(crate) fn repeat() {
    REPEATS.store(true, Ordering::Relaxed);
    let tick = libc::timeval { tv_sec: 0, tv_usec: 10_000 };
    let every = libc::itimerval { it_interval: tick, it_value: tick };
    // SAFETY: setitimer is async-signal-safe (signal-safety(7)) and `every` outlives the call.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &every, std::ptr::null_mut()) };
}

extern "C" fn interrupt_only(_: libc::c_int) {}

fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) -> Result<()> {
    // SAFETY: a zeroed sigaction is valid: no flags, so that blocking calls return EINTR, and an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    // SAFETY: `action` is initialised, and the handlers above only do what signal-safety(7) allows.
    check(unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) }, "sigaction").map(drop)
}

/// Returns the signals by which this process is asked to end: SIGINT, SIGTERM and SIGHUP.
///
/// SIGHUP is omitted if it was ignored from the start, which is the purpose of `nohup(1)`. SIGINT is never omitted:
/// scripts start every background job with SIGINT ignored, and a user who sends it to such a job by `kill` wants the
/// job to end.
pub fn requests_to_end() -> Vec<i32> {
    let is_heeded = |signal: &i32| *signal != libc::SIGHUP || !Signals::at_start().ignores(*signal);
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_heeded).collect()
}

/// Makes the signals of [`requests_to_end`] count as requests to stop instead of ending the process; blocking calls
/// return `EINTR`.
pub fn stop_on_interrupt() -> Result<()> {
    stop_by(raise_stop)
}

fn stop_by(handler: extern "C" fn(libc::c_int)) -> Result<()> {
    requests_to_end().into_iter().try_for_each(|signal| handle(signal, handler))
}

/// Makes the signals of [`requests_to_end`] count as requests to stop, and interrupt blocked calls repeatedly from then
/// on until [`quiet`]: a signal that arrived just before a call blocked would be lost otherwise.
pub fn stop_on_interrupt_repeatedly() -> Result<()> {
    stop_by(raise_stop_again_and_again)?;
    handle(libc::SIGALRM, interrupt_only)
}

/// Makes a SIGTERM of the parent count as a request to stop and interrupt blocked calls, at once and every 10 ms until
/// [`quiet`]; for the spawner, the process that starts the measured programs. A single interruption could come just
/// before a wait begins and be lost.
///
/// Only a SIGTERM of the parent counts: a measured program that ends its whole process group, as `kill 0` in a shell
/// does, sends the signal to the spawner too. The signal of `PR_SET_PDEATHSIG` has the parent as its sender.
pub fn stop_on_terminate_of_parent() -> Result<()> {
    note_parent();
    // SAFETY: as in `handle`; with SA_SIGINFO the handler gets three arguments, which it takes.
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = raise_stop_of_parent as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut())
    };
    check(done, "sigaction")?;
    handle(libc::SIGALRM, interrupt_only)
}

/// Process id of the parent, as of the last [`note_parent`].
static PARENT: AtomicI32 = AtomicI32::new(0);

/// Stores the process id of the parent, the only process whose requests to stop are obeyed.
pub(crate) fn note_parent() {
    PARENT.store(std::os::unix::process::parent_id().cast_signed(), Ordering::Relaxed);
}

pub(crate) fn is_parent(pid: i32) -> bool {
    pid == PARENT.load(Ordering::Relaxed)
}

extern "C" fn raise_stop_of_parent(
    signal: libc::c_int,
    info: *const libc::siginfo_t,
    _context: *const libc::c_void,
) {
    // SAFETY: the kernel passes a valid siginfo_t to a handler with SA_SIGINFO, and kill(2) fills in the sender.
    if is_parent(unsafe { (*info).si_pid() }) {
        raise_stop_again_and_again(signal);
    }
}

/// Signals that a terminal sends to its whole foreground group, that ask one process to end, or that report a stopped
/// parent.
const REQUESTS: [libc::c_int; 6] =
    [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGTSTP, NEWS_OF_PARENT];

/// Runs a closure while SIGTERM and the signals that a terminal sends to its whole foreground group are blocked in the
/// calling thread, and in every process that it starts meanwhile, until that process calls [`ignore_terminal`],
/// [`ignore_requests_to_end`] or [`Signals::pass_on`](crate::inherited::Signals::pass_on). See `sigprocmask(2)`.
///
/// Otherwise a signal that arrives before the new process has set its dispositions would end or stop it.
pub fn while_requests_wait<T>(work: impl FnOnce() -> T) -> T {
    let before = mask_requests(libc::SIG_BLOCK);
    let done = work();
    // SAFETY: `before` is the mask that the call above has filled in, and is only read.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    done
}

/// Blocks or unblocks [`REQUESTS`] in the calling thread, and returns the previous mask.
fn mask_requests(how: libc::c_int) -> libc::sigset_t {
    // SAFETY: zeroed sets are valid and emptied at once; all pointers are to locals. The calls cannot fail, since
    // the signals exist.
    unsafe {
        let (mut requests, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigemptyset(&mut requests);
        for signal in REQUESTS {
            libc::sigaddset(&mut requests, signal);
        }
        libc::pthread_sigmask(how, &requests, &mut before);
        before
    }
}

pub fn quiet() {
    REPEATS.store(false, Ordering::Relaxed);
    let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let off = libc::itimerval { it_interval: never, it_value: never };
    // SAFETY: `off` is valid for the call and only read.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &off, std::ptr::null_mut()) };
}

/// Interrupts blocked calls after `first_ns` and every 10 ms from then on, until [`quiet`].
pub fn interrupt_after(first_ns: u64) {
    let first_us = (first_ns / 1000).max(1);
    let value =
        libc::timeval { tv_sec: (first_us / 1_000_000) as i64, tv_usec: (first_us % 1_000_000) as i64 };
    let timer =
        libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 10_000 }, it_value: value };
    // SAFETY: `timer` is valid for the call and only read.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) };
    // The process has one timer of this kind. Interruptions that began before this setting would be delayed by it, so
    // they are started again.
    if stop_requested() || REPEATS.load(Ordering::Relaxed) {
        repeat();
    }
}

/// Ignores SIGINT, SIGHUP and SIGQUIT: a terminal sends them to the whole foreground group, and only the parent decides
/// when this process ends. Signals blocked by [`while_requests_wait`] are unblocked.
pub fn ignore_terminal() {
    ignore(&[libc::SIGINT, libc::SIGHUP, libc::SIGQUIT]);
    let _held = mask_requests(libc::SIG_UNBLOCK);
}

/// Ignores every signal by which users and service managers ask a process to end. SIGKILL cannot be ignored.
pub fn ignore_requests_to_end() {
    ignore(&[libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2, libc::SIGALRM, libc::SIGPIPE]);
    ignore_terminal();
}

fn ignore(signals: &[libc::c_int]) {
    for &signal in signals {
        // SAFETY: SIG_IGN is a valid disposition.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

pub fn send_to_group(group: i32, signal: i32) {
    if group > 1 {
        // SAFETY: no pointer is passed; the group is positive, so -1 (everybody) is never meant.
        unsafe { libc::kill(-group, signal) };
    }
}

/// Sends a signal to one process, see `kill(2)`. A process that is gone is no error.
pub fn send(pid: i32, signal: i32) {
    if pid > 0 {
        // SAFETY: no pointer is passed; pid is positive, so neither a group nor everybody is meant.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Sends a signal to the process of a descriptor ([`crate::process::end_of`]), never to a process that has reused its
/// id, see `pidfd_send_signal(2)` (Linux 5.1). A process that is gone is no error.
pub fn send_held(process: &impl AsFd, signal: i32) {
    let fd = process.as_fd().as_raw_fd();
    let no_information = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: the descriptor is open for the call, and no information is passed with the signal.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, no_information, 0) };
}

/// Sends a signal like [`send`]; returns whether it was permitted: a process that now belongs to another user cannot be
/// signalled.
pub fn send_if_permitted(pid: i32, signal: i32) -> bool {
    // SAFETY: no pointer is passed; pid is positive, so neither a group nor everybody is meant.
    let refused = pid > 0 && unsafe { libc::kill(pid, signal) } < 0;
    !(refused && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM))
}

/// Sends a signal to every process of a group, see `kill(2)`; returns whether it was permitted for at least one
/// process: a group that now belongs to another user cannot be signalled. A group that is gone is no error.
pub fn send_group(leader: i32, signal: i32) -> bool {
    // SAFETY: no pointer is passed; minus a leader above 1 is one group, and neither our own nor everybody.
    let refused = leader > 1 && unsafe { libc::kill(-leader, signal) } < 0;
    !(refused && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM))
}

/// Returns whether a group has a process, zombies included, see `kill(2)`.
pub fn group_exists(leader: i32) -> bool {
    // SAFETY: no pointer is passed, and signal 0 is not delivered; minus a leader above 1 is one group.
    leader > 1
        && (unsafe { libc::kill(-leader, 0) } == 0
            || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH))
}

/// Asks the kernel to send this process a signal when its parent ends, see `PR_SET_PDEATHSIG` in `prctl(2)`.
pub fn on_parent_death(signal: i32) -> Result<()> {
    // SAFETY: the option takes one integer.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0) }, "prctl(PR_SET_PDEATHSIG)")
        .map(drop)
}

pub use libc::{SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGSTOP, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
