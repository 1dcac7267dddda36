//! Tracing the birth and death of processes, see `ptrace(2)`. It needs no privilege, and it slows each fork, exec
//! and exit by some microseconds, so it is for runs that are looked at and not for runs that are timed.
#![expect(unsafe_code, reason = "ptrace(2) is a C call")]

use crate::process::{Exit, exit_of};
use crate::{Result, check};

/// Why a traced task stopped or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It created the process or thread with this id.
    Created(i32),
    /// It executed a new program.
    Executed,
    /// It is about to end; `/proc` still shows all of it.
    Ending,
    /// It stopped for this signal, which is to be delivered when it goes on (0: none).
    Signal(i32),
    /// It is gone.
    Ended(Exit),
}

/// Follows every descendant from now on; all of them are killed if the tracer dies.
pub fn follow_descendants(pid: i32) -> Result<()> {
    let options = libc::PTRACE_O_EXITKILL
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACEEXIT;
    // SAFETY: the option takes an integer where a pointer is declared.
    let done = unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options as libc::c_long) };
    check(done as i32, "ptrace(PTRACE_SETOPTIONS)").map(drop)
}

/// Lets a stopped task go on and delivers a signal to it (0: none). A task that is gone is no error.
pub fn resume(pid: i32, signal: i32) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(libc::PTRACE_CONT, pid, 0, signal as libc::c_long) };
}

/// Waits for the next event of any traced task; `None` when no task is left or a signal interrupted the wait.
pub fn next_event() -> Option<(i32, Event)> {
    let mut status = 0;
    // SAFETY: the pointer is valid for writes during the call.
    let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL) };
    if pid <= 0 {
        return None;
    }
    if !libc::WIFSTOPPED(status) {
        return Some((pid, Event::Ended(exit_of(status))));
    }
    let event = match status >> 16 {
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
            Event::Created(message(pid))
        }
        libc::PTRACE_EVENT_EXEC => Event::Executed,
        libc::PTRACE_EVENT_EXIT => Event::Ending,
        _ => Event::Signal(libc::WSTOPSIG(status)),
    };
    Some((pid, event))
}

/// The new task's id of a creation event.
fn message(pid: i32) -> i32 {
    let mut value: libc::c_ulong = 0;
    // SAFETY: PTRACE_GETEVENTMSG writes one unsigned long to the pointer, which is valid.
    unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, pid, 0, &raw mut value) };
    value as i32
}

pub use libc::{SIGSTOP, SIGTRAP};
