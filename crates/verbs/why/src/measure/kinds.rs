//! System calls: their names, and why a thread waits in them.

use std::fs;
use std::os::unix::fs::FileTypeExt;

use fauxplat_sys::trace::Call;

use crate::evidence::Wait;

/// Defines `name` for system calls that programs make often, or wait in; each entry is a name and its constant in libc.
macro_rules! names {
    ($($name:ident $number:ident),* $(,)?) => {
        /// Name of the system call with this number; the number itself where the call is none of the frequent ones.
        pub(super) fn name(number: i64) -> String {
            match number {
                $(n if n == libc::$number => stringify!($name).to_owned(),)*
                other => old_name(other).map_or_else(|| format!("call {other}"), str::to_owned),
            }
        }
    };
}

names! {
    read SYS_read, write SYS_write, pread64 SYS_pread64, pwrite64 SYS_pwrite64, readv SYS_readv, writev SYS_writev,
    close SYS_close, openat SYS_openat, newfstatat SYS_newfstatat, fstat SYS_fstat, statx SYS_statx, lseek SYS_lseek,
    mmap SYS_mmap, munmap SYS_munmap, mprotect SYS_mprotect, mremap SYS_mremap, madvise SYS_madvise, brk SYS_brk,
    msync SYS_msync, fsync SYS_fsync, fdatasync SYS_fdatasync, sync SYS_sync, syncfs SYS_syncfs,
    sync_file_range SYS_sync_file_range, futex SYS_futex, nanosleep SYS_nanosleep,
    clock_nanosleep SYS_clock_nanosleep, clock_gettime SYS_clock_gettime, gettimeofday SYS_gettimeofday,
    sched_yield SYS_sched_yield, sched_setaffinity SYS_sched_setaffinity, ppoll SYS_ppoll, pselect6 SYS_pselect6,
    epoll_pwait SYS_epoll_pwait, epoll_pwait2 SYS_epoll_pwait2, epoll_ctl SYS_epoll_ctl, wait4 SYS_wait4, waitid SYS_waitid, clone SYS_clone,
    clone3 SYS_clone3, execve SYS_execve, exit SYS_exit, exit_group SYS_exit_group, pipe2 SYS_pipe2, dup SYS_dup,
    dup3 SYS_dup3, fcntl SYS_fcntl, flock SYS_flock, ioctl SYS_ioctl, socket SYS_socket, connect SYS_connect,
    accept SYS_accept, accept4 SYS_accept4, sendto SYS_sendto, recvfrom SYS_recvfrom, sendmsg SYS_sendmsg,
    recvmsg SYS_recvmsg, getpid SYS_getpid, gettid SYS_gettid, getppid SYS_getppid, kill SYS_kill, tgkill SYS_tgkill,
    rt_sigaction SYS_rt_sigaction, rt_sigprocmask SYS_rt_sigprocmask, rt_sigreturn SYS_rt_sigreturn,
    rt_sigtimedwait SYS_rt_sigtimedwait, getdents64 SYS_getdents64, getrandom SYS_getrandom, unlinkat SYS_unlinkat,
    ftruncate SYS_ftruncate, fallocate SYS_fallocate, sendfile SYS_sendfile, splice SYS_splice,
    faccessat SYS_faccessat, getcwd SYS_getcwd, readlinkat SYS_readlinkat, prctl SYS_prctl, membarrier SYS_membarrier,
    timerfd_settime SYS_timerfd_settime, sysinfo SYS_sysinfo, uname SYS_uname, getrusage SYS_getrusage,
    times SYS_times, sched_getaffinity SYS_sched_getaffinity, restart_syscall SYS_restart_syscall,
    rt_sigsuspend SYS_rt_sigsuspend, sigaltstack SYS_sigaltstack, set_tid_address SYS_set_tid_address,
    set_robust_list SYS_set_robust_list, prlimit64 SYS_prlimit64, socketpair SYS_socketpair, bind SYS_bind,
    listen SYS_listen, shutdown SYS_shutdown, setsockopt SYS_setsockopt, getsockopt SYS_getsockopt,
    eventfd2 SYS_eventfd2, timerfd_create SYS_timerfd_create, epoll_create1 SYS_epoll_create1, mkdirat SYS_mkdirat,
    semget SYS_semget, semctl SYS_semctl, semop SYS_semop, semtimedop SYS_semtimedop, msgsnd SYS_msgsnd, msgrcv SYS_msgrcv, mq_timedsend SYS_mq_timedsend,
    mq_timedreceive SYS_mq_timedreceive, io_getevents SYS_io_getevents, io_submit SYS_io_submit,
    io_uring_setup SYS_io_uring_setup, io_uring_enter SYS_io_uring_enter, io_uring_register SYS_io_uring_register,
    inotify_init1 SYS_inotify_init1, signalfd4 SYS_signalfd4, pidfd_open SYS_pidfd_open, memfd_create SYS_memfd_create, preadv SYS_preadv, pwritev SYS_pwritev, copy_file_range SYS_copy_file_range,
    statfs SYS_statfs, mlock SYS_mlock, getuid SYS_getuid, geteuid SYS_geteuid,
}

/// Name of an older system call that only some architectures have.
#[cfg(target_arch = "x86_64")]
fn old_name(number: i64) -> Option<&'static str> {
    Some(match number {
        libc::SYS_access => "access",
        libc::SYS_open => "open",
        libc::SYS_stat => "stat",
        libc::SYS_lstat => "lstat",
        libc::SYS_poll => "poll",
        libc::SYS_select => "select",
        libc::SYS_epoll_wait => "epoll_wait",
        libc::SYS_pause => "pause",
        libc::SYS_pipe => "pipe",
        libc::SYS_dup2 => "dup2",
        libc::SYS_fork => "fork",
        libc::SYS_vfork => "vfork",
        libc::SYS_unlink => "unlink",
        libc::SYS_rename => "rename",
        libc::SYS_mkdir => "mkdir",
        libc::SYS_rmdir => "rmdir",
        libc::SYS_readlink => "readlink",
        libc::SYS_arch_prctl => "arch_prctl",
        _ => return None,
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn old_name(_number: i64) -> Option<&'static str> {
    None
}

/// Operations of a futex that wait, see futex(2): WAIT, LOCK_PI, WAIT_BITSET.
const FUTEX_WAITS: [u64; 3] = [0, 6, 9];
/// Flags in the operation of a futex call that do not select the operation.
const FUTEX_FLAGS: u64 = 128 | 256;

/// Commands of fcntl that wait for a lock of a file: F_SETLKW and F_OFD_SETLKW.
const LOCK_WAITS: [u64; 2] = [libc::F_SETLKW as u64, libc::F_OFD_SETLKW as u64];

/// Object to which a file descriptor refers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Target {
    /// Path, or a name such as that of a pipe; empty where it cannot be read.
    pub(super) name: String,
    /// Reason for which a thread waits that reads from it or writes to it.
    wait: Option<Wait>,
}

impl Target {
    /// Whether the target is a stream, a timer or the like, for which threads wait without a disk.
    pub(super) fn wait(&self) -> Option<Wait> {
        self.wait
    }

    /// Target of a file descriptor of this process.
    pub(super) fn of(process: i32, fd: u64) -> Self {
        let link = format!("/proc/{process}/fd/{fd}");
        let name = fs::read_link(&link).map_or_else(|_| String::new(), |path| path.display().to_string());
        let is_fifo = || fs::metadata(&link).is_ok_and(|it| it.file_type().is_fifo());
        let wait = wait_for(&name).or_else(|| is_fifo().then_some(Wait::Pipe));
        Target { name, wait }
    }
}

/// Reason for which a thread waits for what has this name among the open files of its process; `None` of a path.
fn wait_for(name: &str) -> Option<Wait> {
    const STREAMS: [&str; 6] =
        ["pipe:", "socket:", "anon_inode:[eventfd]", "anon_inode:inotify", "/dev/pts/", "/dev/tty"];
    match name {
        "anon_inode:[timerfd]" => Some(Wait::Sleep),
        "anon_inode:[signalfd]" => Some(Wait::Signal),
        stream if STREAMS.iter().any(|kind| stream.starts_with(kind)) => Some(Wait::Pipe),
        _ => None,
    }
}

/// Reason of a wait whose call has returned `result`: a call that returned because its time was over did nothing but
/// sleep.
pub(super) fn wait_until(call: &Call, wait: Wait, result: i64) -> Wait {
    let is_over = match call.number {
        libc::SYS_futex | libc::SYS_mq_timedsend | libc::SYS_mq_timedreceive => {
            result == -i64::from(libc::ETIMEDOUT)
        }
        libc::SYS_semtimedop | libc::SYS_rt_sigtimedwait => result == -i64::from(libc::EAGAIN),
        number if polls(number) => result == 0,
        // A socket may have a time after which its calls give up.
        _ => wait == Wait::Pipe && result == -i64::from(libc::EAGAIN),
    };
    if is_over { Wait::Sleep } else { wait }
}

/// Whether a call opens a file. The open of a named pipe waits until another process opens its other end.
pub(super) fn opens(number: i64) -> bool {
    number == libc::SYS_openat || is_old_open(number)
}

#[cfg(target_arch = "x86_64")]
fn is_old_open(number: i64) -> bool {
    number == libc::SYS_open
}

#[cfg(not(target_arch = "x86_64"))]
fn is_old_open(_number: i64) -> bool {
    false
}

/// Whether a call waits until one of several files can be read or written.
fn polls(number: i64) -> bool {
    [
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_epoll_pwait,
        libc::SYS_epoll_pwait2,
        libc::SYS_io_getevents,
    ]
    .contains(&number)
        || is_old_wait(number)
}

/// Reason for which a thread waits in a system call. `of_file` returns the target of a file descriptor, and `is_task`
/// whether a number is that of a thread of the traced run.
pub(super) fn wait_of(
    call: &Call,
    of_file: impl FnOnce(u64) -> Target,
    is_task: impl FnOnce(i32) -> bool,
) -> Wait {
    let arguments = call.arguments;
    match call.number {
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => Wait::Sleep,
        // Waiting for no file at all is a way to sleep.
        libc::SYS_ppoll if arguments[1] == 0 => Wait::Sleep,
        libc::SYS_pselect6 if arguments[0] == 0 => Wait::Sleep,
        number if is_old_wait(number) && arguments[if is_select(number) { 0 } else { 1 }] == 0 => Wait::Sleep,
        libc::SYS_fsync
        | libc::SYS_fdatasync
        | libc::SYS_sync
        | libc::SYS_syncfs
        | libc::SYS_sync_file_range
        | libc::SYS_msync => Wait::Sync,
        libc::SYS_futex if FUTEX_WAITS.contains(&(arguments[1] & !FUTEX_FLAGS)) => {
            // The C library waits for the end of a thread by a futex on a word that contains the id of that thread.
            if is_task(arguments[2] as i32) { Wait::Tasks } else { Wait::Lock }
        }
        libc::SYS_flock | libc::SYS_semop | libc::SYS_semtimedop => Wait::Lock,
        libc::SYS_fcntl if LOCK_WAITS.contains(&arguments[1]) => Wait::Lock,
        libc::SYS_rt_sigtimedwait | libc::SYS_rt_sigsuspend => Wait::Signal,
        number if is_pause(number) => Wait::Signal,
        // A thread that ends waits for nothing but the release of its memory, and a process for its threads.
        libc::SYS_exit | libc::SYS_exit_group => Wait::Tasks,
        // A parent may wait in these calls until its child runs another program or ends.
        libc::SYS_wait4 | libc::SYS_waitid | libc::SYS_clone | libc::SYS_clone3 | libc::SYS_execve => {
            Wait::Tasks
        }
        number if is_vfork(number) => Wait::Tasks,
        libc::SYS_io_getevents => Wait::File,
        number if polls(number) => Wait::Pipe,
        libc::SYS_accept | libc::SYS_accept4 | libc::SYS_connect => Wait::Pipe,
        libc::SYS_sendto | libc::SYS_recvfrom | libc::SYS_sendmsg | libc::SYS_recvmsg => Wait::Pipe,
        libc::SYS_msgsnd | libc::SYS_msgrcv | libc::SYS_mq_timedsend | libc::SYS_mq_timedreceive => {
            Wait::Pipe
        }
        number if moves_data(number) => of_file(arguments[0]).wait().unwrap_or(Wait::File),
        libc::SYS_openat | libc::SYS_close | libc::SYS_sendfile | libc::SYS_splice => Wait::File,
        _ => Wait::Other,
    }
}

/// Whether a call reads from or writes to the file descriptor that is its first argument.
fn moves_data(number: i64) -> bool {
    writes(number)
        || [libc::SYS_read, libc::SYS_pread64, libc::SYS_readv, libc::SYS_getdents64].contains(&number)
}

/// Whether a call writes to the file descriptor that is its first argument.
pub(super) fn writes(number: i64) -> bool {
    [libc::SYS_write, libc::SYS_pwrite64, libc::SYS_writev].contains(&number)
}

/// Whether a call is one of the older ways to wait for files, which some architectures lack.
#[cfg(target_arch = "x86_64")]
fn is_old_wait(number: i64) -> bool {
    [libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait].contains(&number)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_old_wait(_number: i64) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn is_pause(number: i64) -> bool {
    number == libc::SYS_pause
}

#[cfg(not(target_arch = "x86_64"))]
fn is_pause(_number: i64) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn is_vfork(number: i64) -> bool {
    [libc::SYS_vfork, libc::SYS_fork].contains(&number)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_vfork(_number: i64) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn is_select(number: i64) -> bool {
    number == libc::SYS_select
}

#[cfg(not(target_arch = "x86_64"))]
fn is_select(_number: i64) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: i64, arguments: [u64; 6]) -> Call {
        Call { number, arguments }
    }

    fn named(name: &str) -> Target {
        Target { name: name.to_owned(), wait: wait_for(name) }
    }

    #[test]
    fn a_wait_is_told_by_its_call_and_by_what_it_is_for() {
        let of = |call: &Call| wait_of(call, |_| named("pipe:[1]"), |tid| tid == 77);
        assert_eq!(of(&call(libc::SYS_clock_nanosleep, [0; 6])), Wait::Sleep);
        assert_eq!(of(&call(libc::SYS_ppoll, [0, 0, 1, 0, 0, 0])), Wait::Sleep);
        assert_eq!(of(&call(libc::SYS_ppoll, [0, 1, 1, 0, 0, 0])), Wait::Pipe);
        assert_eq!(of(&call(libc::SYS_fdatasync, [3, 0, 0, 0, 0, 0])), Wait::Sync);
        assert_eq!(of(&call(libc::SYS_futex, [0, 128, 2, 0, 0, 0])), Wait::Lock);
        assert_eq!(of(&call(libc::SYS_futex, [0, 9 | 256, 77, 0, 0, 0])), Wait::Tasks);
        assert_eq!(of(&call(libc::SYS_futex, [0, 129, 1, 0, 0, 0])), Wait::Other, "a wake waits for nothing");
        assert_eq!(of(&call(libc::SYS_read, [0; 6])), Wait::Pipe);
        assert_eq!(of(&call(libc::SYS_fcntl, [3, 7, 0, 0, 0, 0])), Wait::Lock);
        assert_eq!(of(&call(libc::SYS_fcntl, [3, 4, 0, 0, 0, 0])), Wait::Other, "flags of a file");
        assert_eq!(of(&call(libc::SYS_rt_sigsuspend, [0; 6])), Wait::Signal);
    }

    #[test]
    fn a_read_waits_for_what_the_file_is() {
        let of = |name: &str| wait_of(&call(libc::SYS_read, [0; 6]), |_| named(name), |_| false);
        assert_eq!(of("/etc/passwd"), Wait::File);
        assert_eq!(of("anon_inode:[timerfd]"), Wait::Sleep);
        assert_eq!(of("anon_inode:[eventfd]"), Wait::Pipe);
        assert_eq!(of("anon_inode:[signalfd]"), Wait::Signal);
        assert_eq!(of("/dev/pts/3"), Wait::Pipe);
        assert_eq!(of("/dev/ttyS0"), Wait::Pipe);
        assert_eq!(of("/home/tty"), Wait::File);
        assert_eq!(of(""), Wait::File);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "mkfifo(1) makes the named pipe of a test")]
    fn a_named_pipe_is_told_from_a_file() {
        let folder = fauxplat_sys::workplace::Workplace::make("why", &std::env::temp_dir()).unwrap();
        let path = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let own = std::process::id() as i32;
        let open = |path: &std::path::Path| {
            let file = fs::OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .unwrap();
            let fd = std::os::fd::AsRawFd::as_raw_fd(&file) as u64;
            (Target::of(own, fd), file)
        };
        assert_eq!(open(&path).0, Target { name: path.display().to_string(), wait: Some(Wait::Pipe) });
        assert_eq!(open(&folder.path().join("file")).0.wait, None);
        assert_eq!(Target::of(own, 1 << 20), Target::default());
    }

    #[test]
    fn a_call_whose_time_was_over_was_a_sleep() {
        let until = |number, wait, result: i64| wait_until(&call(number, [0; 6]), wait, result);
        for number in [libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2] {
            assert_eq!(until(number, Wait::Pipe, 0), Wait::Sleep);
            assert_eq!(until(number, Wait::Pipe, 1), Wait::Pipe);
        }
        let [over, again] = [libc::ETIMEDOUT, libc::EAGAIN].map(|error| -i64::from(error));
        assert_eq!(until(libc::SYS_futex, Wait::Lock, over), Wait::Sleep);
        assert_eq!(until(libc::SYS_futex, Wait::Lock, 0), Wait::Lock);
        assert_eq!(until(libc::SYS_futex, Wait::Lock, again), Wait::Lock, "the lock was free already");
        assert_eq!(until(libc::SYS_rt_sigtimedwait, Wait::Signal, again), Wait::Sleep);
        assert_eq!(until(libc::SYS_semtimedop, Wait::Lock, again), Wait::Sleep);
        assert_eq!(until(libc::SYS_recvfrom, Wait::Pipe, again), Wait::Sleep);
        assert_eq!(until(libc::SYS_recvfrom, Wait::Pipe, 0), Wait::Pipe, "the other end was closed");
        assert_eq!(until(libc::SYS_read, Wait::File, 0), Wait::File);
    }

    #[test]
    fn frequent_calls_have_names() {
        assert_eq!(name(libc::SYS_fsync), "fsync");
        assert_eq!([name(libc::SYS_restart_syscall), name(libc::SYS_bind)], ["restart_syscall", "bind"]);
        assert_eq!(name(9999), "call 9999");
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn older_calls_have_names() {
        assert_eq!([name(libc::SYS_access), name(libc::SYS_poll)], ["access", "poll"]);
    }
}
