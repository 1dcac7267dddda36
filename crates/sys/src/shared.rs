//! Words of memory that two processes share, as atomics, and a doorbell to wake the other side.
#![expect(unsafe_code, reason = "mmap(2) hands out raw memory")]

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::{Result, SysError, check};

/// Creates an anonymous file of `words` 64-bit words in memory, to be shared by descriptor; see `memfd_create(2)`. The
/// length is sealed: a process that shortened the file would end the others by SIGBUS. With a length of 0 the file
/// grows when written to.
pub fn memory_file(words: usize) -> Result<File> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a null-terminated literal.
    let fd = check(unsafe { libc::memfd_create(c"fauxplat".as_ptr(), flags) }, "memfd_create")?;
    // SAFETY: the descriptor was just created and belongs to nobody else.
    let file = unsafe { File::from_raw_fd(fd) };
    let sized = file.set_len(words as u64 * 8);
    sized.map_err(|source| SysError { call: "ftruncate of the shared memory".into(), source })?;
    if words == 0 {
        return Ok(file);
    }
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: F_ADD_SEALS takes an integer.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }, "fcntl(F_ADD_SEALS)")?;
    Ok(file)
}

/// A file mapped as an array of 64-bit atomics. Every access is atomic, so another process may write at any time.
#[derive(Debug)]
pub struct SharedWords {
    start: *mut AtomicU64,
    words: usize,
}

// SAFETY: the memory is only reached through `&[AtomicU64]`, which any thread may use.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

impl SharedWords {
    /// Maps the first `words` words of a file for reading and writing. The file must be that long.
    pub fn map(file: &File, words: usize) -> Result<Self> {
        let bytes = words * 8;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses cannot overlap live memory.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(SysError::last("mmap of the shared memory"));
        }
        Ok(SharedWords { start: start.cast(), words })
    }

    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is page-aligned, `words * 8` bytes long, lives as long as `self`, and AtomicU64 has
        // the size and alignment of u64 and no invalid bit patterns.
        unsafe { std::slice::from_raw_parts(self.start, self.words) }
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map` with this length, and no reference outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.words * 8) };
    }
}

/// An event counter by which one process wakes another that sleeps, see `eventfd(2)`.
#[derive(Debug)]
pub struct Doorbell(OwnedFd);

impl Doorbell {
    pub fn new() -> Result<Self> {
        // SAFETY: no pointer is passed.
        let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }, "eventfd")?;
        // SAFETY: the descriptor was just created and belongs to nobody else.
        Ok(Doorbell(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Returns the number of the descriptor, so that a child process can inherit it.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    pub fn ring(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight readable bytes, as eventfd wants. A full counter (EAGAIN) means that it rings already.
        unsafe { libc::write(self.fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Sleeps until the bell rings, the timeout has passed (-1: none) or a signal arrives; returns true if it rang.
    pub fn wait(&self, timeout_ms: i32) -> Result<bool> {
        let rang = crate::process::wait_readable(self.fd(), timeout_ms)?;
        if rang {
            let mut count = [0u8; 8];
            // SAFETY: eight writable bytes, as eventfd wants.
            unsafe { libc::read(self.fd(), count.as_mut_ptr().cast(), count.len()) };
        }
        Ok(rang)
    }
}

impl From<OwnedFd> for Doorbell {
    /// Creates a doorbell from an inherited descriptor.
    fn from(fd: OwnedFd) -> Self {
        Doorbell(fd)
    }
}

/// Whether [`adopt`] has taken over descriptors.
static ADOPTED: AtomicBool = AtomicBool::new(false);

/// Takes over the descriptors that the parent left open under these numbers, marks them to be closed in this process's
/// own children, and closes every other inherited descriptor above standard error. Works once in the life of a process,
/// and only for distinct numbers above standard error.
///
/// # Errors
/// Fails at a second call, and for a number that occurs twice or is not open.
pub fn adopt<const N: usize>(fds: [RawFd; N]) -> Result<[OwnedFd; N]> {
    let refuse = |why: &str| SysError {
        call: format!("inherited descriptors {fds:?}"),
        source: std::io::Error::other(why.to_owned()),
    };
    let distinct = (0..N).all(|i| fds[i] > 2 && !fds[..i].contains(&fds[i]));
    if !distinct || ADOPTED.swap(true, Ordering::Relaxed) {
        return Err(refuse("they are not what a parent leaves open"));
    }
    for fd in fds {
        crate::process::keep_over_exec(fd, false)?;
    }
    close_strangers();
    // SAFETY: the numbers are open (fcntl succeeded), differ, and are handed out once. They came over exec, and
    // what this process opened itself is marked to be closed there, so no other owner in it can hold them.
    Ok(fds.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// Closes inherited descriptors that were not adopted. Every open descriptor costs time at the creation of each child,
/// and a high number more than a low number: the kernel copies the table of descriptors. Without `/proc` they stay
/// open.
fn close_strangers() {
    let listed = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse::<RawFd>().ok());
    for fd in numbers.filter(|&fd| fd > 2).collect::<Vec<_>>() {
        // SAFETY: F_GETFD takes no argument; a number that is not open any more, as that of the listed folder, gives
        // -1.
        let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
        if flags >= 0 && flags & libc::FD_CLOEXEC == 0 {
            // SAFETY: a descriptor without the mark was inherited over exec, since this process marks every one that it
            // opens; so no other owner in this process can hold the number.
            unsafe { libc::close(fd) };
        }
    }
}

/// Returns a duplicate of a descriptor that a parent left open under this number. Duplication is safe whatever the
/// number is: the new descriptor has no other owner. See `F_DUPFD_CLOEXEC` in `fcntl(2)`.
pub fn duplicate(fd: RawFd) -> Result<OwnedFd> {
    // SAFETY: no pointer is passed; a number that is not open gives EBADF.
    let own = check(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) }, "fcntl(F_DUPFD_CLOEXEC)")?;
    // SAFETY: the descriptor was just created and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(own) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_see_one_memory() {
        let file = memory_file(512).unwrap();
        let (a, b) = (SharedWords::map(&file, 512).unwrap(), SharedWords::map(&file, 512).unwrap());
        a.words()[511].store(7, Ordering::Release);
        assert_eq!(b.words()[511].load(Ordering::Acquire), 7);
    }

    #[test]
    fn nobody_takes_shared_memory_away() {
        let file = memory_file(512).unwrap();
        let memory = SharedWords::map(&file, 512).unwrap();
        for bytes in [0, 8, 1 << 20] {
            assert!(file.set_len(bytes).is_err(), "{bytes}");
        }
        memory.words()[511].store(7, Ordering::Release);
    }

    #[test]
    fn the_bell_rings_once_for_many_strokes() {
        let bell = Doorbell::new().unwrap();
        assert!(!bell.wait(0).unwrap());
        bell.ring();
        bell.ring();
        assert!(bell.wait(0).unwrap());
        assert!(!bell.wait(0).unwrap());
    }
}
