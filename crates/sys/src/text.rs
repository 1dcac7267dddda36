//! Reads text files of foreign origin, with a size limit, and without waiting past a request to stop.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::files::{open_regular, open_without_waiting};
use crate::process::wait_readable;
use crate::signal::stop_requested;

/// Interval at which a request to stop is looked for while a pipe is silent; a signal ends the wait at once.
const LOOK_MS: i32 = 100;

/// Reads a whole file of at most `bytes_max` bytes, as text.
///
/// # Errors
/// Returns the errors of [`read_bytes`], and an error for a file that is not UTF-8.
pub fn read_text(path: &Path, bytes_max: usize) -> io::Result<String> {
    as_text(read_bytes(path, bytes_max)?)
}

/// Reads a whole file of at most `bytes_max` bytes. A pipe is read to its end; a named pipe without a writer is empty,
/// and a silent writer is waited for until the user stops fauxplat.
///
/// # Errors
/// Returns the errors of `open(2)` and `read(2)`, and an error for a longer file or after a request to stop.
pub fn read_bytes(path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
    read_opened(open_without_waiting(File::options().read(true), path)?, bytes_max)
}

/// Reads a whole regular file of at most `bytes_max` bytes, as text: for files that fauxplat itself writes, where a
/// pipe would be somebody else's.
///
/// # Errors
/// Returns the errors of [`read_text`], and an error if the path is no regular file.
pub fn read_regular_text(path: &Path, bytes_max: usize) -> io::Result<String> {
    as_text(read_regular(path, bytes_max)?)
}

/// Reads a whole regular file of at most `bytes_max` bytes.
///
/// # Errors
/// Returns the errors of [`read_bytes`], and an error if the path is no regular file.
pub fn read_regular(path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
    read_opened(open_regular(path)?, bytes_max)
}

fn as_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

fn read_opened(mut file: File, bytes_max: usize) -> io::Result<Vec<u8>> {
    if file.metadata().is_ok_and(|facts| facts.len() > bytes_max as u64) {
        return Err(io::Error::other(too_long(bytes_max)));
    }
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) if read > bytes_max - bytes.len() => return Err(io::Error::other(too_long(bytes_max))),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wait_readable(file.as_raw_fd(), LOOK_MS).map_err(|error| error.source)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if stop_requested() {
            return Err(io::Error::other("interrupted before it was read"));
        }
    }
    Ok(bytes)
}

fn too_long(bytes_max: usize) -> String {
    format!("it is longer than {} MiB", bytes_max >> 20)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn no_text_is_longer_than_asked_for() {
        assert_eq!(read_text(Path::new("/dev/null"), 1 << 20).unwrap(), "");
        let endless = read_text(Path::new("/dev/zero"), 1 << 20).unwrap_err().to_string();
        assert_eq!(endless, "it is longer than 1 MiB");
        let own = read_text(Path::new("/proc/self/status"), 1 << 20).unwrap();
        assert!(own.starts_with("Name:"));
        assert!(read_text(Path::new("/proc/self/exe"), 1 << 30).unwrap_err().to_string().contains("UTF-8"));
    }

    /// A pipe as created by a shell for `<(command)`.
    #[test]
    fn a_pipe_is_read_to_its_end_however_slow_its_writer() {
        let (reader, mut writer) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let slow = std::thread::spawn(move || {
            for word in ["a", "b", "c"] {
                std::thread::sleep(std::time::Duration::from_millis(30));
                writer.write_all(word.as_bytes()).unwrap();
            }
        });
        assert_eq!(read_text(Path::new(&path), 1 << 20).unwrap(), "abc");
        slow.join().unwrap();
    }
}
