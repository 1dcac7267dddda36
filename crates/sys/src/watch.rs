//! A process that kills a process group once this process has ended, however it ended.
#![expect(unsafe_code, reason = "fork(2) and what a forked child may call are C calls")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::{Result, check, process};

/// A watcher of one process group. Dropping it ends the watcher and does not touch the group.
#[derive(Debug)]
pub struct Watch {
    watcher: i32,
    /// Write end of a pipe that only this process holds: if it is closed without a byte written, this process is gone.
    word: OwnedFd,
}

/// Starts a process that kills the process group of `leader` if this process ends before it drops the [`Watch`].
///
/// # Errors
/// Fails where the kernel creates no pipe or no process.
pub fn watch_group(leader: i32) -> Result<Watch> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is to two integers, which the call fills in.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, "pipe2")?;
    // SAFETY: the descriptors were just created and belong to nobody else.
    let [heard, word] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    // SAFETY: the child makes only calls that signal-safety(7) allows also where other threads held locks.
    let watcher = unsafe { libc::fork() };
    if watcher == 0 {
        watch(heard.as_raw_fd(), leader);
    }
    check(watcher, "fork")?;
    Ok(Watch { watcher, word })
}

/// Main function of the watcher. It has a session of its own, so that no signal of a terminal reaches it, and blocks
/// all signals that can be blocked. All descriptors except the pipe are closed, since locks and other pipes end only
/// with their last holder.
fn watch(heard: RawFd, leader: i32) -> ! {
    // SAFETY: the calls are those of signal-safety(7), with pointers to memory of this function.
    unsafe {
        libc::setsid();
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
        libc::dup2(heard, 0);
        close_from(1);
        let mut word = 0_u8;
        if libc::read(0, std::ptr::from_mut(&mut word).cast(), 1) == 0 && leader > 1 {
            libc::kill(-leader, libc::SIGKILL);
        }
        libc::_exit(0)
    }
}

/// Closes every descriptor from this one on, see `close_range(2)`; on kernels before 5.9 one by one.
///
/// # Safety
/// Nothing that still runs in this process uses one of the descriptors.
unsafe fn close_from(first: libc::c_uint) {
    // SAFETY: no pointer is passed but the one to a structure that the call fills in; the caller answers for the rest.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        for fd in first as RawFd..limit.rlim_cur.min(1 << 16) as RawFd {
            libc::close(fd);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: one readable byte. A watcher that somebody killed needs none (EPIPE).
        unsafe { libc::write(self.word.as_raw_fd(), b"!".as_ptr().cast(), 1) };
        while process::wait(self.watcher, true) == process::Waited::Interrupted {}
    }
}
