//! Waits for processes, and reads their properties from the kernel.
#![expect(unsafe_code, reason = "wait4(2), prctl(2) and poll(2) are C calls")]

use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

use fauxplat_procfs::task::TaskStat;

use crate::{Result, SysError, check};

/// Resource usage by `getrusage(2)`, of a process that was waited for and of the descendants that it waited for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    /// Largest resident set of any one of these processes. Exec does not reset it, so a program starts with the value
    /// that its process had before.
    pub peak_memory_bytes: u64,
    /// Page faults without disk access.
    pub minor_faults: u64,
    /// Page faults with a read from disk.
    pub major_faults: u64,
    pub block_input_bytes: u64,
    pub block_output_bytes: u64,
    /// Context switches because the process waited.
    pub voluntary_switches: u64,
    /// Context switches because the CPU was taken away.
    pub involuntary_switches: u64,
}

impl Usage {
    /// Adds the usage of another process of the same tree; the peak becomes the larger of the two peaks.
    pub fn absorb(&mut self, other: &Usage) {
        self.user_ns += other.user_ns;
        self.system_ns += other.system_ns;
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
        self.minor_faults += other.minor_faults;
        self.major_faults += other.major_faults;
        self.block_input_bytes += other.block_input_bytes;
        self.block_output_bytes += other.block_output_bytes;
        self.voluntary_switches += other.voluntary_switches;
        self.involuntary_switches += other.involuntary_switches;
    }
}

impl From<&libc::rusage> for Usage {
    fn from(raw: &libc::rusage) -> Self {
        let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
        Usage {
            user_ns: ns(raw.ru_utime),
            system_ns: ns(raw.ru_stime),
            peak_memory_bytes: raw.ru_maxrss as u64 * 1024,
            minor_faults: raw.ru_minflt as u64,
            major_faults: raw.ru_majflt as u64,
            // `getrusage(2)` counts in units of 512 bytes.
            block_input_bytes: raw.ru_inblock as u64 * 512,
            block_output_bytes: raw.ru_oublock as u64 * 512,
            voluntary_switches: raw.ru_nvcsw as u64,
            involuntary_switches: raw.ru_nivcsw as u64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Status(u8),
    Signal(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The process ended and is reaped.
    Ended {
        pid: i32,
        exit: Exit,
        usage: Usage,
    },
    /// There are children, and none has ended.
    Running,
    Interrupted,
    NoChild,
    /// The kernel refuses the wait with this error number, usually because of a filter of system calls.
    Refused(i32),
}

/// Decodes a wait status, see `wait(2)`.
pub(crate) fn exit_of(status: libc::c_int) -> Exit {
    if libc::WIFEXITED(status) {
        Exit::Status(libc::WEXITSTATUS(status) as u8)
    } else {
        Exit::Signal(libc::WTERMSIG(status) as u8)
    }
}

/// Reaps a child (-1: any) that has ended; with `block`, waits until one ends or a signal arrives. See `wait4(2)`.
pub fn wait(pid: i32, block: bool) -> Waited {
    let mut status = 0;
    // SAFETY: a zeroed rusage is a valid value of a plain C structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let options = if block { 0 } else { libc::WNOHANG };
    // SAFETY: both pointers are valid for writes during the call.
    let got = unsafe { libc::wait4(pid, &mut status, options, &mut usage) };
    match got {
        0 => Waited::Running,
        pid if pid > 0 && libc::WIFSTOPPED(status) => {
            let_go(pid, libc::WSTOPSIG(status));
            Waited::Interrupted
        }
        pid if pid > 0 => Waited::Ended { pid, exit: exit_of(status), usage: Usage::from(&usage) },
        _ => match errno() {
            libc::EINTR => Waited::Interrupted,
            libc::ECHILD => Waited::NoChild,
            errno => Waited::Refused(errno),
        },
    }
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Detaches a child that asked to be traced by its parent, as programs that resist debugging do, and that has stopped
/// for this signal: fauxplat does not trace it, and nothing else would continue it. See `PTRACE_TRACEME` and
/// `PTRACE_DETACH` in `ptrace(2)`.
fn let_go(pid: i32, signal: i32) {
    let signal = if signal == libc::SIGTRAP { 0 } else { signal };
    // SAFETY: no memory is passed. A process that is not stopped any more, or not traced, is left alone.
    unsafe { libc::ptrace(libc::PTRACE_DETACH, pid, 0, signal as libc::c_long) };
}

/// Reason why [`wait_unreaped`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The child has ended, or does not exist.
    Ended,
    /// The child was stopped by this signal; a stop is reported once.
    Stopped(i32),
    Interrupted,
    /// The kernel refuses `waitid(2)`, usually because of a filter of system calls.
    Refused,
}

/// Waits until a child has ended, without reaping it, so that `/proc/PID` can still be read; or until it is stopped.
/// See `waitid(2)`.
pub fn wait_unreaped(pid: i32) -> Seen {
    // SAFETY: a zeroed siginfo_t is a valid value of a plain C structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT;
    // SAFETY: the pointer is valid for writes during the call.
    let done = unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options) };
    if done == 0 && info.si_code == libc::CLD_TRAPPED {
        // SAFETY: the report is about a child.
        let_go(pid, unsafe { info.si_status() });
        return Seen::Interrupted;
    }
    if done == 0 && info.si_code == libc::CLD_STOPPED {
        // SAFETY: the report is about a child. The stop is consumed here, or the next wait would report it again.
        return Seen::Stopped(unsafe {
            let signal = info.si_status();
            libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, libc::WSTOPPED | libc::WNOHANG);
            signal
        });
    }
    if done == 0 {
        return Seen::Ended;
    }
    match errno() {
        libc::EINTR => Seen::Interrupted,
        libc::ECHILD => Seen::Ended,
        _ => Seen::Refused,
    }
}

/// Returns the signal that has stopped a child since the last call, if any. See `waitid(2)`.
pub fn stopped_by(pid: i32) -> Option<i32> {
    // SAFETY: a zeroed siginfo_t is a valid value of a plain C structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for writes during the call.
    let done =
        unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, libc::WSTOPPED | libc::WNOHANG) };
    // SAFETY: the kernel filled in a child's report, or left the zeroes where none was stopped.
    let stopped = (done == 0 && unsafe { info.si_pid() } == pid).then(|| unsafe { info.si_status() });
    if let Some(signal) = stopped.filter(|_| info.si_code == libc::CLD_TRAPPED) {
        let_go(pid, signal);
        return None;
    }
    stopped
}

/// Returns whether a child has ended; it is not reaped, so that its process id is not reused. See `waitid(2)`.
pub fn has_ended(pid: i32) -> bool {
    // SAFETY: a zeroed siginfo_t is a valid value of a plain C structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
    // SAFETY: the pointer is valid for writes during the call.
    let done = unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options) };
    if done < 0 && errno() != libc::ECHILD {
        return is_dead(pid);
    }
    // SAFETY: the kernel filled in a child's report, or left the zeroes where none has ended.
    done == 0 && unsafe { info.si_pid() } == pid
}

/// Returns whether `/proc` shows that a child has ended, for processes to which `waitid(2)` is refused.
fn is_dead(pid: i32) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    TaskStat::parse(&line).is_some_and(|task| !task.process_lives())
}

/// Makes orphaned descendants children of this process instead of init's, see `PR_SET_CHILD_SUBREAPER` in `prctl(2)`.
pub fn become_subreaper() -> Result<()> {
    // SAFETY: the option takes one integer.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }, "prctl(PR_SET_CHILD_SUBREAPER)")
        .map(drop)
}

/// Returns the start time of a process in clock ticks since boot (field 22 of `/proc/PID/stat`, see
/// `proc_pid_stat(5)`), which together with the process id identifies a process uniquely until the next boot. `None`
/// for a process that is gone, or a zombie.
pub fn start_ticks(pid: u32) -> Option<u64> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    TaskStat::parse(&line).filter(|task| !task.is_dead())?.start_ticks()
}

/// Returns whether `/proc` shows the process ids of this process's namespace. False where `/proc` is missing, or was
/// mounted in another PID namespace.
pub fn proc_shows_our_numbers() -> bool {
    let shown = std::fs::read_link("/proc/self").ok();
    shown.is_some_and(|shown| shown.as_os_str() == std::process::id().to_string().as_str())
}

/// Returns the inode number of the PID namespace whose process ids `/proc` shows here (`pid_namespaces(7)`,
/// `namespaces(7)`); `None` where [`proc_shows_our_numbers`] is false.
pub fn pid_namespace() -> Option<u64> {
    proc_shows_our_numbers().then(|| std::fs::metadata("/proc/self/ns/pid").ok().map(|facts| facts.ino()))?
}

/// Disables or enables transparent huge pages for this process and for the programs that it executes or creates from
/// now on; see `PR_SET_THP_DISABLE` in `prctl(2)`.
pub fn disable_huge_pages(disable: bool) -> Result<()> {
    let value = libc::c_ulong::from(disable);
    // SAFETY: the option takes one integer, and the others must be zero.
    check(unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, value, 0, 0, 0) }, "prctl(PR_SET_THP_DISABLE)")
        .map(drop)
}

/// Returns whether transparent huge pages are disabled for this process, see `PR_GET_THP_DISABLE` in `prctl(2)`.
pub fn huge_pages_are_disabled() -> bool {
    // SAFETY: the option takes no argument, and the others must be zero.
    unsafe { libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1 }
}

/// Puts the calling process into a process group of its own, see `setpgid(2)`.
pub fn own_process_group() {
    // SAFETY: no pointer is passed. The call cannot fail for a process that leads no session.
    unsafe { libc::setpgid(0, 0) };
}

/// Puts the calling process into a process group of its session, or with 0 into its own. See `setpgid(2)`.
///
/// # Errors
/// Fails where the session has no such group.
pub fn join_process_group(group: i32) -> Result<()> {
    // SAFETY: no pointer is passed.
    check(unsafe { libc::setpgid(0, group) }, "setpgid").map(drop)
}

/// Creates a process group in this session whose only member is a child that ends at once; the caller has to reap it.
/// Returns the id of the child and its group.
///
/// # Errors
/// Fails where the kernel creates no process.
pub fn empty_process_group() -> Result<i32> {
    // SAFETY: the child makes two calls, which signal-safety(7) allows also where other threads held locks.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: as above; the second ends the process without any of its handlers.
        unsafe {
            libc::setpgid(0, 0);
            libc::_exit(0)
        }
    }
    check(pid, "fork")?;
    // SAFETY: no pointer is passed. Whoever of the two comes first makes the group.
    unsafe { libc::setpgid(pid, pid) };
    Ok(pid)
}

/// Makes the calling process the leader of a session of its own, which its terminal and signals to the old process
/// group do not reach; see `setsid(2)`. The call fails only for the leader of a process group, which keeps its session.
pub fn own_session() {
    // SAFETY: no pointer is passed.
    unsafe { libc::setsid() };
}

/// Waits until the descriptor is readable or the timeout has passed; returns true if readable. See `poll(2)`.
/// Interruption by a signal counts as a timeout, so that the caller checks its flags.
///
/// # Errors
/// Fails where the descriptor is not open: it would never become readable, and a caller that reads it would loop for
/// ever.
pub fn wait_readable(fd: i32, timeout_ms: i32) -> Result<bool> {
    wait_ready(fd, libc::POLLIN, timeout_ms)
}

/// Waits until a write of up to a page does not block or the timeout has passed, as [`wait_readable`] does for reading.
/// A descriptor whose write would fail at once counts as ready, too.
///
/// # Errors
/// Returns the errors of [`wait_readable`].
pub fn wait_writable(fd: i32, timeout_ms: i32) -> Result<bool> {
    wait_ready(fd, libc::POLLOUT, timeout_ms)
}

/// The error of a wait for a descriptor that is not open.
fn not_open() -> SysError {
    SysError { call: "poll".to_owned(), source: std::io::Error::from_raw_os_error(libc::EBADF) }
}

fn wait_ready(fd: i32, events: libc::c_short, timeout_ms: i32) -> Result<bool> {
    if fd < 0 {
        // `poll(2)` ignores a negative descriptor, and would wait for nothing.
        return Err(not_open());
    }
    let mut one = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: the pointer describes exactly one pollfd.
    let got = unsafe { libc::poll(&mut one, 1, timeout_ms) };
    match got {
        -1 if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => Ok(false),
        -1 => Err(SysError::last("poll")),
        _ if one.revents & libc::POLLNVAL != 0 => Err(not_open()),
        ready => Ok(ready > 0),
    }
}

/// Waits until one of two descriptors is readable or the timeout has passed; returns for each whether it is readable,
/// closed or failed. See `poll(2)`. Interruption by a signal counts as a timeout, so that the caller checks its flags.
///
/// # Errors
/// Returns the errors of `poll(2)`, or `EBADF` for a descriptor that is not open.
pub fn wait_either(fds: [i32; 2], timeout_ms: i32) -> Result<[bool; 2]> {
    let mut both = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    // SAFETY: the pointer describes exactly two pollfds.
    let got = unsafe { libc::poll(both.as_mut_ptr(), 2, timeout_ms) };
    match got {
        -1 if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => Ok([false; 2]),
        -1 => Err(SysError::last("poll")),
        _ if both.iter().any(|one| one.revents & libc::POLLNVAL != 0) => Err(not_open()),
        _ => Ok(both.map(|one| one.revents & (libc::POLLIN | libc::POLLHUP | libc::POLLERR) != 0)),
    }
}

/// Returns a descriptor that becomes readable when a child has ended, see `pidfd_open(2)` (Linux 5.3).
///
/// # Errors
/// Returns the errors of `pidfd_open(2)`.
pub fn end_of(pid: i32) -> Result<OwnedFd> {
    // SAFETY: no pointer is passed.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
    check(fd as i32, "pidfd_open")?;
    // SAFETY: the descriptor was just created and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Returns how often the scheduler took the CPU from the calling thread, see `getrusage(2)`.
pub fn involuntary_switches_of_thread() -> u64 {
    // SAFETY: the structure is plain numbers, for which all bits zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable for the call.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
    usage.ru_nivcsw as u64
}

/// Returns the CPU time of children that ended and were waited for, see `RUSAGE_CHILDREN` in `getrusage(2)`.
pub fn children_cpu_ns() -> u64 {
    // SAFETY: the structure is plain numbers, for which all bits zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable for the call.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let usage = Usage::from(&usage);
    usage.user_ns + usage.system_ns
}

/// Creates a process that exits at once, and waits for its end. See `fork(2)`.
///
/// # Errors
/// Fails where the kernel creates no process: a limit is reached, or memory is exhausted.
pub fn fork_and_reap() -> Result<()> {
    // SAFETY: the child makes one call, which signal-safety(7) allows also where other threads held locks.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: ends the calling process without any of its handlers.
        unsafe { libc::_exit(0) };
    }
    check(pid, "fork")?;
    while wait(pid, true) == Waited::Interrupted {}
    Ok(())
}

/// Checks that `getrandom(2)` works, or fails by an error number after which a program can read a device instead
/// (`ENOSYS`, `EPERM`) or try again (`EINTR`, `EAGAIN`).
///
/// # Errors
/// Fails where the call returns another error number, usually because of a filter of system calls.
pub fn random_bytes_are_there() -> Result<()> {
    let mut byte = 0_u8;
    // SAFETY: the pointer is valid for one byte.
    let got = unsafe { libc::getrandom((&raw mut byte).cast(), 1, libc::GRND_NONBLOCK) };
    match got < 0 && !matches!(errno(), libc::ENOSYS | libc::EPERM | libc::EINTR | libc::EAGAIN) {
        true => Err(SysError::last("getrandom")),
        false => Ok(()),
    }
}

/// Returns how far the stack of this process may grow; `None` if it is not limited. See `RLIMIT_STACK` in
/// `getrlimit(2)`.
pub fn stack_limit_bytes() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is to a live struct of the type that the call takes.
    unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Returns the effective user id, see `geteuid(2)`.
pub fn user_id() -> u32 {
    // SAFETY: no pointer is passed, and the call cannot fail.
    unsafe { libc::geteuid() }
}

pub fn is_root() -> bool {
    user_id() == 0
}

/// Returns the largest resident set of the calling process so far, see `getrusage(2)`.
pub fn own_peak_memory_bytes() -> u64 {
    // SAFETY: a zeroed rusage is a valid value of a plain C structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for writes during the call.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage.ru_maxrss as u64 * 1024
}

/// Makes descriptor `place` a duplicate of `fd`, see `dup2(2)`; the duplicate stays open over exec.
pub fn redirect(fd: i32, place: i32) -> Result<()> {
    // SAFETY: no pointer is passed.
    check(unsafe { libc::dup2(fd, place) }, "dup2").map(drop)
}

/// Keeps a descriptor open over exec, or marks it to be closed there, see `FD_CLOEXEC` in `fcntl(2)`.
pub fn keep_over_exec(fd: i32, keep: bool) -> Result<()> {
    let flags = if keep { 0 } else { libc::FD_CLOEXEC };
    // SAFETY: F_SETFD takes an integer.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, flags) }, "fcntl(F_SETFD)").map(drop)
}
