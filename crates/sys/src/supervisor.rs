//! A process between this one and a command, which is the command's parent.
//!
//! A command that stops or kills its parent reaches the supervisor alone, processes that leave the command's process
//! group are children of the supervisor once their own parents have ended, and the supervisor ends the command when
//! this process has ended, however it ended.
#![expect(unsafe_code, reason = "fork(2) and what a forked child may call are C calls")]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use crate::process::{self, Exit};
use crate::{check, clock, signal};

/// Processes that the supervisor ends. By default the supervisor ends none, and only waits for the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether the command and its process group are killed when this process has ended.
    pub ends_with_us: bool,
    /// Whether every process that the command has left behind is killed when the command ends.
    pub ends_leftovers: bool,
}

/// Processes that a command left behind when it ended, where [`Terms::ends_leftovers`] is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Number of processes that the supervisor killed.
    pub ended: u32,
    /// Whether some could not be found or killed, such as those of another user.
    pub some_live: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A signal stopped the command.
    Stopped(i32),
    Ended(Exit),
    /// The supervisor was killed, so the end of the command is unknown. The command's process group was then killed.
    Lost,
}

/// A command whose parent is a supervisor. Dropping the value before the end of the command has the same effect as the
/// end of this process.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
    pid: i32,
    /// Write end of a pipe that only this process holds. The supervisor reads the end of this process from it.
    alive: Option<OwnedFd>,
    /// `None` once the end of the command or of the supervisor has been read.
    reports: Option<File>,
    leftovers: Leftovers,
}

/// Starts a command in a process group of its own, below a supervisor.
///
/// # Errors
/// Fails where the kernel creates no pipe or no process, or the program cannot be executed.
pub fn start(command: &mut Command, terms: Terms) -> io::Result<Supervised> {
    let ([heard, alive], [reports, told]) = (pipe()?, pipe()?);
    let fds = [heard.as_raw_fd(), told.as_raw_fd()];
    // SAFETY: the function makes only calls that signal-safety(7) allows also where other threads held locks.
    unsafe { command.pre_exec(move || stand_between(fds, terms)) };
    let supervisor = command.spawn()?;
    let mut reports = File::from(reports);
    drop((heard, told));
    let pid = next_number(&mut reports)?.unwrap_or_default();
    let leftovers = Leftovers::default();
    Ok(Supervised { supervisor, pid, alive: Some(alive), reports: Some(reports), leftovers })
}

/// Returns the read end and the write end of a new pipe.
fn pipe() -> io::Result<[OwnedFd; 2]> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is to two integers, which the call fills in.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, "pipe2")
        .map_err(|error| error.source)?;
    // SAFETY: the descriptors were just created and belong to nobody else.
    Ok(ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// Waits for the next number from the supervisor; `None` if the supervisor has ended. The numbers are shorter than what
/// a pipe writes at once, so none is read in part.
fn next_number(reports: &mut File) -> io::Result<Option<i32>> {
    let mut bytes = [0; size_of::<i32>()];
    match reports.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(i32::from_ne_bytes(bytes))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

impl Supervised {
    /// Process id of the command, which is also the id of its process group.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Processes that the command left behind; none before its end was read.
    pub fn leftovers(&self) -> Leftovers {
        self.leftovers
    }

    /// Returns what has happened to the command since the last call, without waiting. A supervisor that was stopped is
    /// continued.
    ///
    /// # Errors
    /// Fails where the kernel refuses to read the supervisor's reports.
    pub fn look(&mut self) -> io::Result<Option<Report>> {
        self.keep_going();
        let Some(reports) = &mut self.reports else { return Ok(None) };
        if !process::wait_readable(reports.as_raw_fd(), 0).map_err(|error| error.source)? {
            return Ok(None);
        }
        let report = match next_number(reports)? {
            None => Report::Lost,
            Some(status) if libc::WIFSTOPPED(status) => {
                return Ok(Some(Report::Stopped(libc::WSTOPSIG(status))));
            }
            Some(status) if libc::WIFSIGNALED(status) => {
                Report::Ended(Exit::Signal(libc::WTERMSIG(status) as u8))
            }
            Some(status) => Report::Ended(Exit::Status(libc::WEXITSTATUS(status) as u8)),
        };
        if let Report::Ended(_) = report {
            // The supervisor writes these numbers together with the status.
            let ended = next_number(reports)?.unwrap_or_default().max(0).cast_unsigned();
            let some_live = next_number(reports)?.is_some_and(|some| some != 0);
            self.leftovers = Leftovers { ended, some_live };
        }
        self.reports = None;
        if report == Report::Lost {
            signal::send_group(self.pid, signal::SIGKILL);
        }
        Ok(Some(report))
    }

    /// Asks the command and its process group to end, by SIGTERM. Processes of the group that are left when the command
    /// ends have two seconds to tidy up.
    pub fn ask_to_end(&mut self) {
        if let Some(alive) = &self.alive {
            // SAFETY: one readable byte. A supervisor that somebody killed needs none (EPIPE).
            unsafe { libc::write(alive.as_raw_fd(), b"!".as_ptr().cast(), 1) };
        }
        signal::send_group(self.pid, signal::SIGTERM);
    }

    fn keep_going(&self) {
        let supervisor = self.supervisor.id() as i32;
        if process::stopped_by(supervisor).is_some() {
            signal::send(supervisor, signal::SIGCONT);
        }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        /// Longest wait for the end of the supervisor, which first kills the processes left behind, see
        /// [`end_leftovers`].
        const PATIENCE_NS: u64 = 2 * LEFTOVER_ROUNDS as u64 * NAP_NS as u64;
        self.alive = None;
        let until_ns = clock::monotonic_ns() + PATIENCE_NS;
        while matches!(self.supervisor.try_wait(), Ok(None)) {
            self.keep_going();
            if clock::monotonic_ns() > until_ns {
                // A child that is not reaped yet keeps its process id, so no other process is killed.
                let _ended_meanwhile = self.supervisor.kill();
                let _reaped = self.supervisor.wait();
                return;
            }
            std::thread::sleep(Duration::from_nanos(NAP_NS as u64));
        }
    }
}

/// Maximum number of rounds, [`NAP_NS`] apart, in which the supervisor kills processes that the command left behind.
const LEFTOVER_ROUNDS: u32 = 500;

/// Number of rounds, [`NAP_NS`] apart, in which the process group of a command that was asked to end may end by itself
/// before it is killed.
const GRACE_ROUNDS: u32 = 2_000;

const NAP_NS: libc::c_long = 1_000_000;

/// Called in the child that [`Command::spawn`] has created, just before the program is executed: creates a further
/// child, which returns from this function and executes the program, and becomes the supervisor. The program begins
/// only after the supervisor has reported its process id: if the program stopped the supervisor earlier, [`start`]
/// would wait for the report without end.
fn stand_between(fds: [RawFd; 2], terms: Terms) -> io::Result<()> {
    // SAFETY: the calls are those of signal-safety(7), with pointers to memory of this function.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &all, &mut before);
        let mut gate = [0; 2];
        if libc::pipe2(gate.as_mut_ptr(), libc::O_CLOEXEC) < 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::fork() {
            0 => {
                libc::setpgid(0, 0);
                libc::close(gate[1]);
                let mut word = 0_u8;
                // The end of the pipe is read when the supervisor closes its descriptors. No signal interrupts this call.
                libc::read(gate[0], std::ptr::from_mut(&mut word).cast(), 1);
                libc::sigprocmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
                Ok(())
            }
            command if command > 0 => supervise(command, fds, terms),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Main function of the supervisor, which blocks all signals that can be blocked. The supervisor stays in the session
/// of the process that started it: a process group whose parents are all in other sessions gets the error `EIO` from
/// its terminal instead of a signal. Descriptors other than the two pipes are closed, since locks and other pipes end
/// only with their last holder.
///
/// # Safety
/// The caller is a child that was just forked, with one child `command`, and all signals are blocked.
unsafe fn supervise(command: libc::pid_t, fds: [RawFd; 2], terms: Terms) -> ! {
    const HEARD: RawFd = 0;
    const TOLD: RawFd = 1;
    // SAFETY: the calls are those of signal-safety(7), with pointers to memory of this function.
    unsafe {
        // The command makes the same call, and either may be first.
        libc::setpgid(command, command);
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::dup2(fds[0], HEARD);
        libc::dup2(fds[1], TOLD);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_child as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGCHLD, &action, std::ptr::null_mut());
        let mut awaited: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut awaited);
        libc::sigdelset(&mut awaited, libc::SIGCHLD);
        tell(TOLD, [command]);
        close_from(2);
        let mut is_asked = false;
        loop {
            let mut status = 0;
            let seen = libc::waitpid(-1, &mut status, libc::WNOHANG | libc::WUNTRACED);
            if seen > 0 {
                if seen == command && libc::WIFSTOPPED(status) {
                    tell(TOLD, [status]);
                } else if seen == command {
                    let is_strict = terms.ends_leftovers;
                    let [ended, live] = if is_strict { end_leftovers(command, is_asked) } else { [0; 2] };
                    tell(TOLD, [status, ended, live]);
                    libc::_exit(0);
                }
                continue;
            }
            let mut poll = libc::pollfd { fd: HEARD, events: libc::POLLIN, revents: 0 };
            // SIGCHLD is delivered only during this call, so no end of a child is missed.
            if libc::ppoll(&mut poll, 1, std::ptr::null(), &awaited) <= 0 {
                continue;
            }
            let mut word = 0_u8;
            if libc::read(HEARD, std::ptr::from_mut(&mut word).cast(), 1) == 1 {
                is_asked = true;
                continue;
            }
            if terms.ends_with_us {
                libc::kill(-command, libc::SIGKILL);
            }
            if terms.ends_with_us && terms.ends_leftovers {
                end_leftovers(command, false);
            }
            libc::_exit(0);
        }
    }
}

/// Handler of SIGCHLD that does nothing: without a handler, the signal would not interrupt `ppoll`.
extern "C" fn on_child(_signal: libc::c_int) {}

/// Writes a few numbers to a pipe, at once, so that a reader of the first need not wait for the others.
///
/// # Safety
/// The descriptor is that of a pipe.
unsafe fn tell<const N: usize>(pipe: RawFd, numbers: [i32; N]) {
    // SAFETY: the pointer and the length are those of the array. The only reader may be gone.
    unsafe { libc::write(pipe, numbers.as_ptr().cast(), size_of_val(&numbers)) };
}

/// Kills the process group of the command and every child of this process, until none is left: when a child has ended,
/// its own children become children of this process. Where the command was asked to end, its process group has
/// [`GRACE_ROUNDS`] before that. Gives up after [`LEFTOVER_ROUNDS`], since some processes belong to another user, or
/// cannot end. Returns the number of killed processes, and 1 if some live, else 0.
///
/// # Safety
/// The calling process is a subreaper without other threads.
unsafe fn end_leftovers(command: libc::pid_t, is_asked: bool) -> [i32; 2] {
    let mut rounds_of_grace = if is_asked { GRACE_ROUNDS } else { 0 };
    let (mut rounds, mut ended) = (0, 0);
    // SAFETY: the calls are those of signal-safety(7), with pointers to memory of this function.
    unsafe {
        while rounds < LEFTOVER_ROUNDS {
            if rounds_of_grace > 0 && libc::kill(-command, 0) == 0 {
                rounds_of_grace -= 1;
            } else {
                rounds += 1;
                libc::kill(-command, libc::SIGKILL);
                kill_children();
            }
            loop {
                let mut status = 0;
                match libc::waitpid(-1, &mut status, libc::WNOHANG) {
                    0 => break,
                    reaped if reaped > 0 => {
                        let is_killed = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
                        ended += i32::from(is_killed);
                    }
                    _none_is_left => return [ended, 0],
                }
            }
            libc::nanosleep(&libc::timespec { tv_sec: 0, tv_nsec: NAP_NS }, std::ptr::null_mut());
        }
    }
    [ended, 1]
}

/// Kills the children of this process, as many as the kernel lists in 4 KiB; needs `CONFIG_PROC_CHILDREN`.
///
/// # Safety
/// The process has no other threads.
unsafe fn kill_children() {
    let mut list = [0_u8; 4096];
    // SAFETY: the calls are those of signal-safety(7), with pointers to memory of this function.
    let read = unsafe {
        let fd = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let read = libc::read(fd, list.as_mut_ptr().cast(), list.len());
        libc::close(fd);
        read
    };
    let mut pid: libc::pid_t = 0;
    for &byte in &list[..usize::try_from(read).unwrap_or(0)] {
        if byte.is_ascii_digit() {
            pid = pid.wrapping_mul(10).wrapping_add(libc::pid_t::from(byte - b'0'));
            continue;
        }
        // Every number of the list is followed by a blank, unless the end of the array cuts it off.
        if pid > 1 {
            // SAFETY: no memory is passed.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        pid = 0;
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the command under test is a child of the supervisor")]
mod tests {
    use super::*;

    const PLAIN: Terms = Terms { ends_with_us: true, ends_leftovers: false };
    const STRICT: Terms = Terms { ends_leftovers: true, ..PLAIN };

    fn shell(line: &str, terms: Terms) -> Supervised {
        start(Command::new("/bin/sh").args(["-c", line]), terms).unwrap()
    }

    fn end_of(supervised: &mut Supervised) -> Report {
        loop {
            match supervised.look().unwrap() {
                Some(Report::Stopped(_)) | None => std::thread::sleep(Duration::from_millis(1)),
                Some(report) => return report,
            }
        }
    }

    /// Whether a process is gone, or a zombie. The first process of a container, which adopts orphans, may reap none.
    fn has_ended(pid: i32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
    }

    fn eventually(mut holds: impl FnMut() -> bool) {
        assert!((0..60_000).any(|_| holds() || (std::thread::sleep(Duration::from_millis(1)), false).1));
    }

    #[test]
    fn the_end_of_the_command_is_reported() {
        for (line, end) in
            [("exit 3", Exit::Status(3)), ("kill -9 $$", Exit::Signal(9)), (":", Exit::Status(0))]
        {
            assert_eq!(end_of(&mut shell(line, PLAIN)), Report::Ended(end), "{line}");
        }
        let missing = start(&mut Command::new("/no/such"), PLAIN).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_stopped_or_killed_parent_is_the_supervisor() {
        let stopper = "for i in 1 2 3 4 5; do kill -STOP $PPID; done; exit 3";
        assert_eq!(end_of(&mut shell(stopper, PLAIN)), Report::Ended(Exit::Status(3)));
        let mut killer = shell("kill -9 $PPID; sleep 1000", PLAIN);
        assert_eq!(end_of(&mut killer), Report::Lost);
        eventually(|| has_ended(killer.pid()));
    }

    #[test]
    fn the_process_that_leaves_the_group_is_ended_with_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let line = format!(
            "setsid sh -c 'trap \"\" TERM; echo $$ > {0}; sleep 1000' & until [ -s {0} ]; do :; done",
            file.display()
        );
        for (terms, is_ended) in [(STRICT, true), (PLAIN, false)] {
            let _of_the_first = std::fs::remove_file(&file);
            let mut command = shell(&line, terms);
            assert_eq!(end_of(&mut command), Report::Ended(Exit::Status(0)));
            let Leftovers { ended, some_live } = command.leftovers();
            assert_eq!((ended > 0, some_live), (is_ended, false));
            let pid: u32 = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
            assert_eq!(process::start_ticks(pid).is_none(), is_ended);
            signal::send_group(pid as i32, signal::SIGKILL);
        }
    }

    #[test]
    fn the_command_ends_with_the_value() {
        let supervised = shell("sleep 1000 & sleep 1000", PLAIN);
        let pid = supervised.pid();
        drop(supervised);
        eventually(|| has_ended(pid));
    }
}
