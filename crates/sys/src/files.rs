//! Many small files below one folder, read without an allocation per file.
#![expect(unsafe_code, reason = "openat relative to a folder has no safe form in std")]

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file to read it from its beginning, or to append to it, without waiting for anybody: a named pipe that nobody
/// writes to reads as empty, and one that nobody reads cannot be written to. See `fifo(7)`.
///
/// # Errors
/// Those of `open(2)`.
pub fn open_at_once(path: &Path, append: bool) -> io::Result<File> {
    let mut options = File::options();
    let file =
        options.read(!append).append(append).create(append).custom_flags(libc::O_NONBLOCK).open(path)?;
    // SAFETY: no pointer is passed. Who inherits the file expects reads and writes that wait.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    // SAFETY: as above.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(file),
    }
}

/// A folder that is held open, so that the kernel walks only the rest of each path.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder, see `open(2)` with `O_PATH`: no permission to list it is needed.
    ///
    /// # Errors
    /// It does not exist, is no folder, or may not be passed through.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_PATH | libc::O_DIRECTORY);
        Ok(Folder(options.open(path)?.into()))
    }

    /// Reads a file below the folder into `buffer`, and says how many bytes there were, at most the buffer's length.
    ///
    /// A text that ends with a line and fills less than the buffer is the whole file: the kernel writes its small files at
    /// once, and to ask whether more follows would be a call for each.
    ///
    /// It is opened with `O_NONBLOCK`: a named pipe in a tree of files must not hold anybody up. The error is the
    /// kernel's own, without a text, since files that do not exist are usual and a text would be an allocation each.
    ///
    /// # Errors
    /// Those of `openat(2)` and `read(2)`.
    pub fn read(&self, path: &CStr, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: `path` ends in NUL and is only read; the descriptor is open as long as `self` lives.
        let opened = unsafe {
            libc::openat(
                self.0.as_raw_fd(),
                path.as_ptr(),
                libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK,
            )
        };
        if opened < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just opened here and belongs to nobody else.
        let mut file = unsafe { File::from_raw_fd(opened) };
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(bytes) => {
                    filled += bytes;
                    if buffer[..filled].ends_with(b"\n") {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// A file without a name in a folder, for reading and writing: it is gone with the last descriptor of it. See
/// `O_TMPFILE` in `open(2)`; a file system that does not know it gets a file that is removed at once.
///
/// # Errors
/// Those of `open(2)`.
pub fn unnamed(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR)) => {
            let path = folder.join(format!(".fauxplat-{}", std::process::id()));
            let file = options.create_new(true).open(&path)?;
            std::fs::remove_file(&path)?;
            Ok(file)
        }
        done => done,
    }
}

/// A whole file of at most so many bytes, opened with `O_NONBLOCK` for the same reason.
///
/// # Errors
/// Those of `open(2)` and `read(2)`; a longer file is [`io::ErrorKind::FileTooLarge`].
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    // Room for most of them, so that they come by one call.
    let mut bytes = Vec::with_capacity(4096);
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > bytes_max {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_buffer() {
        let folder = Folder::open(Path::new("/proc/self")).unwrap();
        let mut buffer = [0; 8];
        assert_eq!(folder.read(c"status", &mut buffer).unwrap(), 8);
        assert_eq!(&buffer[..5], b"Name:");
        let missing = folder.read(c"no/such/file", &mut buffer).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let folder_itself = folder.read(c"task", &mut buffer).unwrap_err();
        assert_eq!(folder_itself.raw_os_error(), Some(libc::EISDIR));
        assert!(Folder::open(Path::new("/proc/self/status")).is_err());
    }

    #[test]
    fn no_file_is_longer_than_asked_for() {
        assert_eq!(read_bounded(Path::new("/dev/null"), 10).unwrap(), b"");
        let endless = read_bounded(Path::new("/dev/zero"), 1000).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
    }
}
