//! A pipe by which one process wakes another; its end of file reports that the first process has ended.
#![expect(unsafe_code, reason = "pipe2(2) hands out raw descriptors, and read(2) and write(2) take pointers")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::{Result, SysError, check};

/// Write end of the pipe. If only one process holds it, its closing means the end of that process.
#[derive(Debug)]
pub struct Summoner(OwnedFd);

#[derive(Debug)]
pub struct Summons(OwnedFd);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summoned {
    /// [`Summoner::call`] was called at least once since the last wait.
    Called,
    Interrupted,
    /// No process holds the write end any more.
    Gone,
}

/// Creates the pipe, see `pipe2(2)`. Calling never blocks: a full pipe wakes the reader anyway.
pub fn pair() -> Result<(Summoner, Summons)> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is to two integers, which the call fills in.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, "pipe2")?;
    // SAFETY: the descriptors were just created and belong to nobody else.
    let [called, caller] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    // SAFETY: no pointer is passed. The two ends have flags of their own.
    let unblocked = unsafe { libc::fcntl(caller.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    check(unblocked, "fcntl(F_SETFL)")?;
    Ok((Summoner(caller), Summons(called)))
}

impl Summoner {
    pub fn call(&self) {
        // SAFETY: one readable byte. A full pipe (EAGAIN) and a side that is gone (EPIPE) need no call.
        unsafe { libc::write(self.0.as_raw_fd(), b"!".as_ptr().cast(), 1) };
    }
}

impl Summons {
    /// Returns the number of the descriptor, so that a child process can inherit it.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Sleeps until [`Summoner::call`] is called, a signal arrives, or no process holds the write end any more. Makes
    /// one system call and no allocation, so that a child may wait between vfork and exec.
    ///
    /// # Errors
    /// Fails where the pipe cannot be read.
    pub fn wait(&self) -> Result<Summoned> {
        let mut calls = [0u8; 64];
        // SAFETY: the pointer and length describe the buffer, which is writable.
        match unsafe { libc::read(self.fd(), calls.as_mut_ptr().cast(), calls.len()) } {
            0 => Ok(Summoned::Gone),
            got if got > 0 => Ok(Summoned::Called),
            _ if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {
                Ok(Summoned::Interrupted)
            }
            _ => Err(SysError::last("read from the pipe of summons")),
        }
    }
}

impl From<OwnedFd> for Summons {
    /// Creates a read end from an inherited descriptor.
    fn from(fd: OwnedFd) -> Self {
        Summons(fd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_calls_are_one_and_the_end_of_the_caller_is_seen() {
        let (summoner, summons) = pair().unwrap();
        summoner.call();
        summoner.call();
        assert_eq!(summons.wait().unwrap(), Summoned::Called);
        drop(summoner);
        assert_eq!(summons.wait().unwrap(), Summoned::Gone);
    }

    #[test]
    fn a_full_pipe_does_not_block_whoever_calls() {
        let (summoner, summons) = pair().unwrap();
        (0..200_000).for_each(|_| summoner.call());
        assert_eq!(summons.wait().unwrap(), Summoned::Called);
    }
}
