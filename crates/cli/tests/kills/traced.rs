//! A program that is traced from its first instruction on: if the tracer attached later, the program would be at a
//! different point each time.
#![expect(
    unsafe_code,
    reason = "ptrace(2) has no safe form, and no part of the product is traced for its system calls"
)]

use std::os::unix::process::CommandExt;
use std::process::Command;

use fauxplat_sys::trace;

/// Starts a program that stops before its first instruction, with these options of `PTRACE_SETOPTIONS` in `ptrace(2)`.
/// The program is killed if the tracer dies.
pub(crate) fn begin(command: &mut Command, options: i32) -> i32 {
    let ask = || {
        // SAFETY: no memory is passed.
        match unsafe { libc::ptrace(libc::PTRACE_TRACEME) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure makes one system call and touches no memory of others.
    let pid = unsafe { command.pre_exec(ask) }.spawn().expect("a program").id() as i32;
    trace::wait_for_exec(pid).expect("a child of our own that asked to be traced");
    let options = (options | libc::PTRACE_O_EXITKILL) as libc::c_long;
    // SAFETY: the option takes an integer where a pointer is declared.
    let done = unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options) };
    assert_eq!(done, 0, "a program of our own that has stopped");
    pid
}
