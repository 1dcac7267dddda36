//! Files that reports and events go into.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::Duration;

use fauxplat_sys::files::open_at_once;
use fauxplat_sys::signal;

/// Time between two attempts to open a pipe that nobody reads.
const READER: Duration = Duration::from_millis(50);

/// Creates a file, or opens a pipe once somebody reads it: `open(2)` would wait on through a request to stop.
///
/// # Errors
/// Errors of `open(2)`; the user asked to stop before the pipe had a reader.
pub(crate) fn created(path: &Path) -> io::Result<File> {
    if !path.metadata().is_ok_and(|facts| facts.file_type().is_fifo()) {
        return File::create(path);
    }
    loop {
        match open_at_once(path, true) {
            // ENXIO, see fifo(7).
            Err(error) if error.raw_os_error() == Some(NO_READER) && !signal::stop_requested() => {
                std::thread::sleep(READER);
            }
            Err(error) if error.raw_os_error() == Some(NO_READER) => {
                return Err(io::Error::other("interrupted before anybody read from this pipe"));
            }
            opened => return opened,
        }
    }
}

/// The kernel's answer to whoever would write into a pipe that has no reader: `ENXIO`.
const NO_READER: i32 = 6;

/// A file that is begun with the first words that go into it: of a report that there cannot be nothing is left, and what was
/// there before stays.
pub(crate) struct Fresh<'a> {
    path: &'a Path,
    file: Option<File>,
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
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}
