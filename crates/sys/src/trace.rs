//! Traces the creation and the end of processes, see `ptrace(2)`. Tracing needs no privilege, but slows each fork, exec
//! and exit by some microseconds, so it is for runs that are inspected, not for runs that are timed.
#![expect(unsafe_code, reason = "ptrace(2) is a C call")]

pub mod calls;

use crate::process::{Exit, exit_of};
use crate::{Result, check};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The task created the process or thread with this id.
    Created(i32),
    Executed,
    /// The task is about to end; `/proc` still shows all of it.
    Ending,
    /// The task stopped for this signal, which is to be delivered when it is resumed (0: none).
    Signal(i32),
    Ended(Exit),
}

/// Makes the kernel trace every process and thread that a stopped task, or a descendant of it, creates from now on, and
/// report their execs and ends. All of them are killed if the tracer dies.
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

/// Waits until a child that asked to be traced has stopped before its first instruction.
///
/// # Errors
/// Fails where there is no such child, or where a signal interrupted the wait.
pub fn wait_for_exec(pid: i32) -> Result<()> {
    let mut status = 0;
    // SAFETY: the pointer is valid for writes during the call.
    let seen = unsafe { libc::waitpid(pid, &mut status, libc::__WALL) };
    check(seen, "waitpid of the stopped program").map(drop)
}

/// Detaches a stopped task, which continues without the signal that it stopped for.
///
/// # Errors
/// Fails where the task is not stopped, or is gone.
pub fn release(pid: i32) -> Result<()> {
    // SAFETY: no memory is passed.
    let released = unsafe { libc::ptrace(libc::PTRACE_DETACH, pid, 0, 0) };
    check(released as i32, "ptrace(PTRACE_DETACH)").map(drop)
}

/// Moves the end of the data segment of a program that is stopped before its first instruction, so that its heap begins
/// `bytes` later. See `brk(2)` and `PTRACE_SINGLESTEP` in `ptrace(2)`.
///
/// Every allocator that grows by `brk` starts from the end that it finds, so no library has to be preloaded. Two system
/// calls are made in the name of the program, at its first instruction, which is restored afterwards.
///
/// # Errors
/// Fails on every architecture other than x86-64.
#[cfg(not(target_arch = "x86_64"))]
pub fn shift_heap(_pid: i32, _bytes: u16) -> Result<()> {
    let source = std::io::Error::from(std::io::ErrorKind::Unsupported);
    Err(crate::SysError { call: "heap displacement on this architecture".into(), source })
}

/// Moves the end of the data segment of a program that is stopped before its first instruction, so that its heap begins
/// `bytes` later. See `brk(2)` and `PTRACE_SINGLESTEP` in `ptrace(2)`.
///
/// Every allocator that grows by `brk` starts from the end that it finds, so no library has to be preloaded. Two system
/// calls are made in the name of the program, at its first instruction, which is restored afterwards.
///
/// # Errors
/// Fails where the kernel refuses.
#[cfg(target_arch = "x86_64")]
pub fn shift_heap(pid: i32, bytes: u16) -> Result<()> {
    /// The bytes of the instruction `syscall`.
    const SYSCALL: i64 = 0x050f;
    // SAFETY: a zeroed user_regs_struct is a valid value of a plain C structure.
    let mut before: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    // SAFETY: PTRACE_GETREGS writes one such structure to the pointer, which is valid; the others pass integers only.
    let first = unsafe {
        check(libc::ptrace(libc::PTRACE_GETREGS, pid, 0, &raw mut before) as i32, "ptrace(PTRACE_GETREGS)")?;
        let first = libc::ptrace(libc::PTRACE_PEEKTEXT, pid, before.rip, 0);
        check(
            libc::ptrace(libc::PTRACE_POKETEXT, pid, before.rip, first & !0xffff | SYSCALL) as i32,
            "ptrace(PTRACE_POKETEXT)",
        )?;
        first
    };
    let moved = brk_in(pid, &before, 0).and_then(|end| brk_in(pid, &before, end + u64::from(bytes)));
    // SAFETY: the word and the registers are those that were read above.
    unsafe {
        libc::ptrace(libc::PTRACE_POKETEXT, pid, before.rip, first);
        libc::ptrace(libc::PTRACE_SETREGS, pid, 0, &raw const before);
    }
    moved.map(drop)
}

/// Makes one `brk` call in the name of a program that is stopped before a `syscall` instruction; returns the end of its
/// data segment.
#[cfg(target_arch = "x86_64")]
fn brk_in(pid: i32, before: &libc::user_regs_struct, end: u64) -> Result<u64> {
    let mut status = 0;
    // `orig_rax` of -1 says that no interrupted system call is to be restarted.
    let mut registers =
        libc::user_regs_struct { rax: libc::SYS_brk as u64, rdi: end, orig_rax: u64::MAX, ..*before };
    // SAFETY: the structure and the status outlive their calls; the others pass integers only.
    unsafe {
        check(
            libc::ptrace(libc::PTRACE_SETREGS, pid, 0, &raw const registers) as i32,
            "ptrace(PTRACE_SETREGS)",
        )?;
        check(libc::ptrace(libc::PTRACE_SINGLESTEP, pid, 0, 0) as i32, "ptrace(PTRACE_SINGLESTEP)")?;
        check(libc::waitpid(pid, &mut status, libc::__WALL), "waitpid of the stepped program")?;
        check(
            libc::ptrace(libc::PTRACE_GETREGS, pid, 0, &raw mut registers) as i32,
            "ptrace(PTRACE_GETREGS)",
        )?;
    }
    Ok(registers.rax)
}

/// Resumes a stopped task and delivers a signal to it (0: none). A task that is gone is no error.
pub fn resume(pid: i32, signal: i32) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(libc::PTRACE_CONT, pid, 0, signal as libc::c_long) };
}

/// Resumes a stopped task until it enters or leaves its next system call, where it stops with [`SIGTRAP`]; see
/// `PTRACE_SYSCALL` in `ptrace(2)`. A task that is gone is no error.
pub fn resume_to_call(pid: i32, signal: i32) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(libc::PTRACE_SYSCALL, pid, 0, signal as libc::c_long) };
}

/// A system call at which a task has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number of the call on this architecture.
    pub number: i64,
    pub arguments: [u64; 6],
}

/// Result of `PTRACE_GET_SYSCALL_INFO`, see `ptrace(2)`. At the entry of a call, its number and arguments follow the
/// stack pointer.
#[repr(C)]
#[derive(Default)]
struct CallInfo {
    operation: u8,
    _padding: [u8; 3],
    _architecture: u32,
    _instruction: u64,
    _stack: u64,
    number: u64,
    arguments: [u64; 6],
    _more: u64,
}

/// Number of the request, whose type differs between C libraries.
const PTRACE_GET_SYSCALL_INFO: u16 = 0x420e;
const PTRACE_SYSCALL_INFO_ENTRY: u8 = 1;

/// Returns the call that a task, stopped by [`resume_to_call`], is about to make; `None` if it stopped for another
/// reason, such as the return from a call.
pub fn call_begun(pid: i32) -> Option<Call> {
    let mut info = CallInfo::default();
    // SAFETY: the kernel writes at most as many bytes as it is told, to a structure of plain numbers.
    let got =
        unsafe { libc::ptrace(PTRACE_GET_SYSCALL_INFO.into(), pid, size_of::<CallInfo>(), &raw mut info) };
    (got > 0 && info.operation == PTRACE_SYSCALL_INFO_ENTRY)
        .then(|| Call { number: info.number.cast_signed(), arguments: info.arguments })
}

/// Makes a task that is stopped before a system call skip it. The result is set by [`answer_call`] when the task has
/// stopped at the end of the skipped call.
///
/// # Errors
/// Fails where the architecture is not x86-64, or where the task is gone.
pub fn skip_call(pid: i32) -> Result<()> {
    change_registers(pid, |registers| registers.orig_rax = u64::MAX)
}

/// Makes the system call at whose end a task has stopped return this error number.
///
/// # Errors
/// Returns the errors of [`skip_call`].
pub fn answer_call(pid: i32, errno: i32) -> Result<()> {
    change_registers(pid, |registers| registers.rax = i64::from(-errno).cast_unsigned())
}

#[cfg(target_arch = "x86_64")]
fn change_registers(pid: i32, change: impl FnOnce(&mut libc::user_regs_struct)) -> Result<()> {
    // SAFETY: a zeroed user_regs_struct is a valid value of a plain C structure.
    let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    // SAFETY: PTRACE_GETREGS writes one such structure to the pointer, and PTRACE_SETREGS reads one; it outlives both.
    unsafe {
        let read = libc::ptrace(libc::PTRACE_GETREGS, pid, 0, &raw mut registers);
        check(read as i32, "ptrace(PTRACE_GETREGS)")?;
        change(&mut registers);
        let written = libc::ptrace(libc::PTRACE_SETREGS, pid, 0, &raw const registers);
        check(written as i32, "ptrace(PTRACE_SETREGS)").map(drop)
    }
}

/// Stand-in for the registers on other architectures, where they are never changed.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Default)]
struct Registers {
    orig_rax: u64,
    rax: u64,
}

#[cfg(not(target_arch = "x86_64"))]
fn change_registers(_pid: i32, change: impl FnOnce(&mut Registers)) -> Result<()> {
    change(&mut Registers::default());
    let source = std::io::Error::from(std::io::ErrorKind::Unsupported);
    Err(crate::SysError { call: "change of a system call on this architecture".into(), source })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEvent {
    Interrupted,
    /// No task is left that an event could concern.
    NoneLeft,
}

/// Waits for the next event of any traced task.
///
/// # Errors
/// Returns the reason why there was no event.
pub fn next_event() -> std::result::Result<(i32, Event), NoEvent> {
    event_of(-1, 0)
}

/// Returns the event that this task has reported. The call does not wait: if the task was killed since its event was
/// seen, and is the first thread of its process, it reports nothing before its other threads are reaped, which only the
/// caller can do. See `waitpid(2)`, `WNOHANG`.
fn event_had_by(tid: i32) -> std::result::Result<(i32, Event), NoEvent> {
    event_of(tid, libc::WNOHANG)
}

/// Returns the next event of this task, or of any task (-1), with these options of `waitpid(2)`.
fn event_of(whose: i32, options: i32) -> std::result::Result<(i32, Event), NoEvent> {
    let mut status = 0;
    // SAFETY: the pointer is valid for writes during the call.
    let pid = unsafe { libc::waitpid(whose, &mut status, libc::__WALL | options) };
    match pid {
        // Without an event, `waitpid` returns 0 and sets no error number.
        0 => return Err(NoEvent::Interrupted),
        ..0 => return Err(no_event()),
        _ => {}
    }
    if !libc::WIFSTOPPED(status) {
        return Ok((pid, Event::Ended(exit_of(status))));
    }
    let event = match status >> 16 {
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
            Event::Created(message(pid))
        }
        libc::PTRACE_EVENT_EXEC => Event::Executed,
        libc::PTRACE_EVENT_EXIT => Event::Ending,
        _ => Event::Signal(libc::WSTOPSIG(status)),
    };
    Ok((pid, event))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traced {
    /// A task stopped or ended; a task that ended is reaped.
    Event(i32, Event),
    /// The process that the caller named as leader has ended with all of its threads, and is not reaped.
    LeaderEnded,
}

/// Waits for the next event of a traced task; untraced children are ignored. The end of the process `leader` is
/// reported without reaping it.
///
/// # Errors
/// Returns the reason why there was no event.
pub fn next_of_traced(leader: i32) -> std::result::Result<Traced, NoEvent> {
    // SAFETY: a zeroed siginfo_t is a valid value of a plain C structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // `__WCLONE` excludes untraced children that end with SIGCHLD: they outlived their parent, and are reaped when the
    // run is over.
    let options = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WCLONE;
    // SAFETY: the pointer is valid for writes during the call.
    if unsafe { libc::waitid(libc::P_ALL, 0, &mut info, options) } < 0 {
        return Err(no_event());
    }
    // SAFETY: the kernel filled in the report of a child.
    let (pid, code) = (unsafe { info.si_pid() }, info.si_code);
    match pid == leader && code != libc::CLD_TRAPPED && code != libc::CLD_STOPPED {
        true => Ok(Traced::LeaderEnded),
        // A task that has disappeared since then took another id by exec, or was killed: a further event follows.
        false => {
            event_had_by(pid).map(|(pid, event)| Traced::Event(pid, event)).map_err(|_| NoEvent::Interrupted)
        }
    }
}

/// Returns whether a task that reported a stop for a signal has stopped with all of its process, after the signal was
/// delivered: `PTRACE_GETSIGINFO` fails then, see "Group-stop" in `ptrace(2)`.
pub fn is_group_stop(pid: i32) -> bool {
    // SAFETY: a zeroed siginfo_t is a valid value of a plain C structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: PTRACE_GETSIGINFO writes one such structure to the pointer, which is valid.
    let told = unsafe { libc::ptrace(libc::PTRACE_GETSIGINFO, pid, 0, &raw mut info) };
    told < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL)
}

pub fn is_thread_of(process: i32, tid: i32) -> bool {
    signal_thread(process, tid, 0).is_ok()
}

/// Sends a signal to one thread of a process, see `tgkill(2)`.
///
/// # Errors
/// Fails where the process has no such thread.
pub fn signal_thread(process: i32, tid: i32, signal: i32) -> Result<()> {
    // SAFETY: no pointer is passed.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, process, tid, signal) };
    check(sent as i32, "tgkill").map(drop)
}

/// Makes the kernel trace the threads that a stopped task creates from now on, and report the programs that they
/// execute. All of them are killed if the tracer dies.
///
/// # Errors
/// Fails where the task is not stopped, or is gone.
pub fn follow_threads(pid: i32) -> Result<()> {
    let options = libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACEEXEC;
    // SAFETY: the option takes an integer where a pointer is declared.
    let done = unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options as libc::c_long) };
    check(done as i32, "ptrace(PTRACE_SETOPTIONS)").map(drop)
}

fn no_event() -> NoEvent {
    let interrupted = std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
    if interrupted { NoEvent::Interrupted } else { NoEvent::NoneLeft }
}

/// Returns the id of the new task in a creation event.
fn message(pid: i32) -> i32 {
    let mut value: libc::c_ulong = 0;
    // SAFETY: PTRACE_GETEVENTMSG writes one unsigned long to the pointer, which is valid.
    unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, pid, 0, &raw mut value) };
    value as i32
}

pub use libc::{SIGSTOP, SIGTRAP};

#[cfg(test)]
mod tests {
    use super::*;

    /// The sleeping process stands for a killed first thread whose other threads are not reaped: neither has an event
    /// to report, and a wait for one would not return. The sleep is limited, so that the test would fail instead of
    /// hanging.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "nothing is measured by a test")]
    fn who_has_nothing_to_tell_is_not_waited_for() {
        #[expect(clippy::zombie_processes, reason = "the wait for its event reaps it")]
        let mut sleeper = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        let pid = sleeper.id() as i32;
        assert_eq!(event_had_by(pid), Err(NoEvent::Interrupted));
        sleeper.kill().unwrap();
        assert_eq!(event_of(pid, 0), Ok((pid, Event::Ended(Exit::Signal(libc::SIGKILL as u8)))));
        assert_eq!(event_had_by(pid), Err(NoEvent::NoneLeft));
    }
}
