//! Waits for several conditions at once: files that become ready, a time, a signal.
#![expect(unsafe_code, reason = "epoll(7), timerfd_create(2) and signalfd(2) have no safe form in std")]

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::{Result, SysError, check};

/// Condition for which a file is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    Readable,
    /// The file has an exceptional condition, by which files of sysfs report that their value changed.
    Urgent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Token under which the file was added.
    pub token: u64,
    /// Whether the watched condition holds.
    pub is_due: bool,
    /// Whether no further data will arrive: the other end or the device is gone.
    pub is_over: bool,
}

/// A set of files that are waited for together, see `epoll(7)`.
#[derive(Debug)]
pub struct Poller(OwnedFd);

/// Maximum number of files returned by one call; the next call returns others.
const READY_MAX: usize = 16;

impl Poller {
    pub fn new() -> Result<Self> {
        // SAFETY: no pointer is passed.
        let fd = check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) }, "epoll_create1")?;
        // SAFETY: the descriptor was just created and belongs to nobody else.
        Ok(Poller(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Adds a file under a token. A file leaves the set when its last descriptor is closed.
    ///
    /// # Errors
    /// Fails where the file is in the set already, or is of a kind that cannot be waited for.
    pub fn add(&self, fd: BorrowedFd<'_>, token: u64, interest: Interest) -> Result<()> {
        let events = match interest {
            Interest::Readable => libc::EPOLLIN,
            Interest::Urgent => libc::EPOLLPRI,
        };
        let mut event = libc::epoll_event { events: events as u32, u64: token };
        let (set, fd) = (self.0.as_raw_fd(), fd.as_raw_fd());
        // SAFETY: both descriptors are open, and `event` is valid for the call, which only reads it.
        check(unsafe { libc::epoll_ctl(set, libc::EPOLL_CTL_ADD, fd, &mut event) }, "epoll_ctl").map(drop)
    }

    /// # Errors
    /// Fails where the file is not in the set.
    pub fn remove(&self, fd: BorrowedFd<'_>) -> Result<()> {
        let (set, fd) = (self.0.as_raw_fd(), fd.as_raw_fd());
        // SAFETY: both descriptors are open; the event may be null for this operation.
        let done = unsafe { libc::epoll_ctl(set, libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
        check(done, "epoll_ctl").map(drop)
    }

    /// Waits until some files are ready, forever without a limit, and stores them in `ready`, which is empty after a
    /// timeout or a signal.
    pub fn wait(&self, ready: &mut Vec<Ready>, limit_ms: Option<i32>) -> Result<()> {
        ready.clear();
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; READY_MAX];
        let limit_ms = limit_ms.unwrap_or(-1);
        // SAFETY: `events` has room for as many as the call is told.
        let count = unsafe {
            libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), READY_MAX as libc::c_int, limit_ms)
        };
        match check(count, "epoll_wait") {
            Ok(count) => ready.extend(events.iter().take(count as usize).map(told)),
            Err(error) if error.source.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Converts an event. Files of sysfs report an error with every change, so for them an error together with the watched
/// condition has no meaning.
fn told(event: &libc::epoll_event) -> Ready {
    let has = |flags: i32| event.events & flags as u32 != 0;
    let is_due = has(libc::EPOLLIN | libc::EPOLLPRI);
    Ready { token: event.u64, is_due, is_over: has(libc::EPOLLHUP) || (has(libc::EPOLLERR) && !is_due) }
}

/// A timer that can be waited for together with files, see `timerfd_create(2)`.
#[derive(Debug)]
pub struct TimerFile(OwnedFd);

impl TimerFile {
    /// Creates a timer of `CLOCK_MONOTONIC` that is not set.
    pub fn new() -> Result<Self> {
        let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
        // SAFETY: no pointer is passed.
        let fd = check(unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) }, "timerfd_create")?;
        // SAFETY: the descriptor was just created and belongs to nobody else.
        Ok(TimerFile(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Sets the timer to expire once at a moment of `CLOCK_MONOTONIC`. A moment in the past expires at once.
    pub fn set_ns(&self, moment_ns: u64) -> Result<()> {
        // Zero would disarm the timer, and a moment beyond the kernel's range is clamped to its end.
        let moment_ns = moment_ns.clamp(1, i64::MAX as u64);
        let at = libc::timespec {
            tv_sec: (moment_ns / 1_000_000_000) as _,
            tv_nsec: (moment_ns % 1_000_000_000) as libc::c_long,
        };
        let setting =
            libc::itimerspec { it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 }, it_value: at };
        let (fd, before) = (self.0.as_raw_fd(), std::ptr::null_mut());
        // SAFETY: `setting` is valid for the call and only read; the old setting is not requested.
        check(
            unsafe { libc::timerfd_settime(fd, libc::TFD_TIMER_ABSTIME, &setting, before) },
            "timerfd_settime",
        )
        .map(drop)
    }

    /// Returns whether the timer has expired since the last call.
    pub fn take(&self) -> bool {
        let mut count = [0_u8; 8];
        // SAFETY: eight writable bytes, as timerfd wants.
        unsafe { libc::read(self.0.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) == 8 }
    }
}

impl AsFd for TimerFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Signals that can be waited for together with files, see `signalfd(2)`.
#[derive(Debug)]
pub struct SignalFile(OwnedFd);

impl SignalFile {
    /// Blocks these signals in the calling thread, and in threads that it creates later, so that the signals are
    /// reported only here.
    ///
    /// An ignored signal is reported as well: the kernel keeps a blocked signal even if it is ignored. A program that
    /// respects `nohup(1)` omits it, as [`requests_to_end`](crate::signal::requests_to_end) does.
    pub fn new(signals: &[i32]) -> Result<Self> {
        // SAFETY: a zeroed set is valid and emptied at once; the pointers are to locals.
        let set = unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for &signal in signals {
                libc::sigaddset(&mut set, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
            set
        };
        // SAFETY: `set` is initialised and only read.
        let fd = unsafe { libc::signalfd(-1, &set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) };
        let fd = check(fd, "signalfd")?;
        // SAFETY: the descriptor was just created and belongs to nobody else.
        Ok(SignalFile(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Returns the number of a signal that arrived; `None` if there is none.
    pub fn take(&self) -> Result<Option<i32>> {
        let mut told = [0_u8; size_of::<libc::signalfd_siginfo>()];
        // SAFETY: as many writable bytes as one signalfd_siginfo takes.
        let read = unsafe { libc::read(self.0.as_raw_fd(), told.as_mut_ptr().cast(), told.len()) };
        match read {
            // The signal number is the first word.
            read if read == told.len() as isize => {
                Ok(Some(i32::from_ne_bytes([told[0], told[1], told[2], told[3]])))
            }
            read if read < 0 => match SysError::last("read of a signalfd") {
                error if error.source.kind() == std::io::ErrorKind::WouldBlock => Ok(None),
                error => Err(error),
            },
            _ => Ok(None),
        }
    }
}

impl AsFd for SignalFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::{clock, wake};

    fn waited(poller: &Poller, limit_ms: Option<i32>) -> Vec<Ready> {
        let mut ready = Vec::new();
        poller.wait(&mut ready, limit_ms).unwrap();
        ready
    }

    #[test]
    fn a_moment_a_file_and_its_end_are_told_apart() {
        let (poller, timer) = (Poller::new().unwrap(), TimerFile::new().unwrap());
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        poller.add(timer.as_fd(), 7, Interest::Readable).unwrap();
        poller.add(ours.as_fd(), 8, Interest::Readable).unwrap();
        assert!(poller.add(ours.as_fd(), 9, Interest::Readable).is_err(), "it is there already");
        assert!(waited(&poller, Some(0)).is_empty() && !timer.take());

        let moment_ns = clock::monotonic_ns() + 2_000_000;
        timer.set_ns(moment_ns).unwrap();
        assert_eq!(waited(&poller, None), [Ready { token: 7, is_due: true, is_over: false }]);
        assert!(clock::monotonic_ns() >= moment_ns && timer.take() && !timer.take());
        for past in [0, 1, moment_ns] {
            timer.set_ns(past).unwrap();
            assert_eq!(waited(&poller, None).len(), 1, "{past} has come");
            assert!(timer.take());
        }
        timer.set_ns(u64::MAX).unwrap();

        theirs.write_all(b"x").unwrap();
        assert_eq!(waited(&poller, None), [Ready { token: 8, is_due: true, is_over: false }]);
        (&ours).read_exact(&mut [0]).unwrap();
        drop(theirs);
        assert_eq!(waited(&poller, None), [Ready { token: 8, is_due: true, is_over: true }]);
        poller.remove(ours.as_fd()).unwrap();
        assert!(poller.remove(ours.as_fd()).is_err() && waited(&poller, Some(0)).is_empty());
    }

    #[test]
    fn a_file_that_cannot_be_waited_for_is_refused() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let refused = Poller::new().unwrap().add(file.as_fd(), 1, Interest::Readable).unwrap_err();
        assert!(refused.is_permission() || refused.to_string().contains("epoll_ctl"), "{refused}");
    }

    #[test]
    fn a_signal_is_told_and_does_nothing_else() {
        // The signal mask belongs to a thread, so the signal is sent only to this thread.
        std::thread::spawn(|| {
            let signals = SignalFile::new(&[libc::SIGUSR2]).unwrap();
            assert_eq!(signals.take().unwrap(), None);
            wake::signal_thread(wake::thread_id(), libc::SIGUSR2).unwrap();
            let poller = Poller::new().unwrap();
            poller.add(signals.as_fd(), 1, Interest::Readable).unwrap();
            assert!(waited(&poller, None)[0].is_due);
            assert_eq!((signals.take().unwrap(), signals.take().unwrap()), (Some(libc::SIGUSR2), None));
        })
        .join()
        .unwrap();
    }
}
