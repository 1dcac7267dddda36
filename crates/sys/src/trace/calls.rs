//! Follows a process tree from system call to system call, see `ptrace(2)`. The processes need not be children of the
//! caller, and keep their parents, which do not notice the tracing. Each call stops its thread twice, some microseconds
//! each time, so tracing is for runs that are inspected, not for runs that are timed.
#![expect(unsafe_code, reason = "ptrace(2) is a C call")]

use super::{Call, CallInfo, NoEvent, PTRACE_GET_SYSCALL_INFO, PTRACE_SYSCALL_INFO_ENTRY};
use crate::process::{Exit, exit_of};
use crate::{Result, check};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The task created the process or thread with this id.
    Created(i32),
    Executed,
    /// The task is about to end; `/proc` still shows all of it.
    Ending,
    /// The task is about to make a system call.
    Entry(Call),
    /// The task returns from a system call with this result; a negative result is an error number.
    Return(i64),
    /// The task stopped for this signal, which is to be delivered when the task continues.
    Signal(i32),
    /// The task is new, or stopped with all of its process.
    Halted {
        /// Whether the whole process is stopped, and waits for SIGCONT.
        is_group: bool,
    },
    Ended(Exit),
}

/// Options of a followed tree: descendants are followed too, and calls are distinguished from signals. The tree
/// continues when the tracer ends.
const OPTIONS: libc::c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT;

/// Signal that the kernel reports for a stop at a system call, see `PTRACE_O_TRACESYSGOOD`.
const CALL_STOP: i32 = libc::SIGTRAP | 0x80;

/// Follows a process and all of its descendants, on behalf of the calling thread, the only thread that may wait for
/// their stops.
///
/// # Errors
/// Fails where the process may not be traced, or is gone.
pub fn follow(pid: i32) -> Result<()> {
    // SAFETY: the options are an integer where a pointer is declared.
    let done = unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, 0, libc::c_long::from(OPTIONS)) };
    check(done as i32, "ptrace(PTRACE_SEIZE)").map(drop)
}

/// Waits for the next stop of a task that the calling thread follows; other children of the process are not reaped.
///
/// # Errors
/// Returns the reason why there was no stop.
pub fn next_stop() -> std::result::Result<(i32, Stop), NoEvent> {
    let mut status = 0;
    // SAFETY: the pointer is valid for writes during the call.
    let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::__WNOTHREAD) };
    if pid < 0 {
        let is_interrupted = std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
        return Err(if is_interrupted { NoEvent::Interrupted } else { NoEvent::NoneLeft });
    }
    if !libc::WIFSTOPPED(status) {
        return Ok((pid, Stop::Ended(exit_of(status))));
    }
    let signal = libc::WSTOPSIG(status);
    let stop = match status >> 16 {
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
            Stop::Created(super::message(pid))
        }
        libc::PTRACE_EVENT_EXEC => Stop::Executed,
        libc::PTRACE_EVENT_EXIT => Stop::Ending,
        libc::PTRACE_EVENT_STOP => Stop::Halted { is_group: signal != libc::SIGTRAP },
        _ if signal == CALL_STOP => call_info(pid),
        _ => Stop::Signal(signal),
    };
    Ok((pid, stop))
}

/// Returns the call at which a task has stopped, or the result with which it returns from a call. The kernel stores the
/// result in the place of the call's number.
fn call_info(pid: i32) -> Stop {
    let mut info = CallInfo::default();
    // SAFETY: the kernel writes at most as many bytes as it is told, to a structure of plain numbers.
    unsafe { libc::ptrace(PTRACE_GET_SYSCALL_INFO.into(), pid, size_of::<CallInfo>(), &raw mut info) };
    match info.operation {
        PTRACE_SYSCALL_INFO_ENTRY => {
            Stop::Entry(Call { number: info.number.cast_signed(), arguments: info.arguments })
        }
        _ => Stop::Return(info.number.cast_signed()),
    }
}

/// Continues a stopped task until it enters or leaves its next system call, and delivers a signal to it (0: none). A
/// task that is gone is no error.
pub fn go_on(pid: i32, signal: i32) {
    super::resume_to_call(pid, signal);
}

/// Leaves a task stopped with its process until a SIGCONT comes.
pub fn stay_stopped(pid: i32) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(libc::PTRACE_LISTEN, pid, 0, 0) };
}

/// Stops following a stopped task, which continues with this signal (0: none).
pub fn leave(pid: i32, signal: i32) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(libc::PTRACE_DETACH, pid, 0, libc::c_long::from(signal)) };
}

/// Stops a followed task, so that [`leave`] is possible.
pub fn interrupt(pid: i32) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, pid, 0, 0) };
}
