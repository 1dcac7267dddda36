//! Opens and writes files and pipes for reports and events without blocking for ever.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::Duration;

use fauxplat_sys::files::open_at_once;
use fauxplat_sys::{clock, process, signal};

/// Time between two attempts to open a pipe that has no reader yet.
const READER: Duration = Duration::from_millis(50);

/// Creates a file, or opens a pipe once it has a reader: a blocking `open(2)` would continue to wait after a request to
/// stop.
///
/// # Errors
/// Returns the error of `open(2)`, or an error if the user asked to stop before the pipe had a reader.
pub(crate) fn created(path: &Path) -> io::Result<Awaited> {
    if !path.metadata().is_ok_and(|facts| facts.file_type().is_fifo()) {
        return File::create(path).map(Awaited);
    }
    loop {
        match open_at_once(path, true) {
            Err(error) if error.raw_os_error() == Some(NO_READER) && !signal::stop_requested() => {
                std::thread::sleep(READER);
            }
            Err(error) if error.raw_os_error() == Some(NO_READER) => {
                return Err(io::Error::other("interrupted before anybody read from this pipe"));
            }
            opened => return opened.map(Awaited),
        }
    }
}

/// `ENXIO`, the kernel's answer to a non-blocking open for writing where a pipe has no reader; see fifo(7).
const NO_READER: i32 = 6;

/// A file or pipe whose writes do not block for ever: after a request to stop, the reader of a full pipe gets
/// [`PATIENCE`] for each part, and then writing fails.
pub(crate) struct Awaited(File);

/// Time that the reader of a pipe gets for each part that is written after a request to stop.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes that a writable pipe takes at once, see pipe(7).
const AT_ONCE: usize = 4096;
/// Time between two checks for a request to stop.
const LOOK_MS: i32 = 50;

impl Awaited {
    pub(crate) fn new(file: File) -> Self {
        Awaited(file)
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Awaited)
    }

    /// Waits until up to [`AT_ONCE`] bytes can be written without blocking.
    fn wait(&self) -> io::Result<()> {
        let mut asked_ns: Option<u64> = None;
        while !process::wait_writable(self.0.as_raw_fd(), LOOK_MS).map_err(io::Error::other)? {
            if !signal::stop_requested() {
                continue;
            }
            let since_ns = *asked_ns.get_or_insert_with(clock::monotonic_ns);
            if u128::from(clock::monotonic_ns().saturating_sub(since_ns)) > PATIENCE.as_nanos() {
                return Err(io::Error::other("interrupted, and no program reads from this pipe any more"));
            }
        }
        Ok(())
    }
}

impl Write for Awaited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait()?;
        self.0.write(&bytes[..bytes.len().min(AT_ONCE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A file that is created at the first write: a report that fails before its first byte leaves the earlier contents of
/// the file untouched.
pub(crate) struct Fresh<'a> {
    path: &'a Path,
    file: Option<Awaited>,
}

impl<'a> Fresh<'a> {
    pub(crate) fn of(path: &'a Path) -> Self {
        Fresh { path, file: None }
    }
}

impl Write for Fresh<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.file.is_none() {
            self.file = Some(created(self.path)?);
        }
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}
