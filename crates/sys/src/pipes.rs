//! Named pipes.
#![expect(unsafe_code, reason = "mkfifo(3) is a C call")]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Creates a named pipe that only its owner can open, unless the pipe exists; returns true if it was created. See
/// `mkfifo(3)`.
///
/// # Errors
/// Fails where the pipe cannot be created, or where the path exists and is no pipe.
pub fn make_pipe(path: &Path) -> io::Result<bool> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the name ends with a zero byte and is only read.
    if unsafe { libc::mkfifo(name.as_ptr(), 0o600) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match std::fs::metadata(path) {
        Ok(found) if found.file_type().is_fifo() => Ok(false),
        Ok(_) => Err(io::Error::other("it exists and is not a named pipe (mkfifo(1))")),
        Err(_) => Err(error),
    }
}

/// Opens a named pipe for reading and writing, so that neither the opening nor a later read or write waits for another
/// process: see `fifo(7)`.
///
/// # Errors
/// Fails where the pipe cannot be opened, or where the path is no pipe.
pub fn open_pipe(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    match file.metadata()?.file_type().is_fifo() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a named pipe")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn nobody_waits_at_a_pipe() {
        let folder = std::env::temp_dir().join(format!("fauxplat-pipes-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("pipe");
        assert!(open_pipe(&path).is_err());
        assert!(make_pipe(&path).unwrap() && !make_pipe(&path).unwrap());
        let mut pipe = open_pipe(&path).unwrap();
        assert_eq!(pipe.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        pipe.write_all(b"x").unwrap();
        assert_eq!(pipe.read(&mut [0; 2]).unwrap(), 1);
        std::fs::write(folder.join("file"), "").unwrap();
        assert!(make_pipe(&folder.join("file")).unwrap_err().to_string().contains("not a named pipe"));
        assert!(open_pipe(&folder.join("file")).is_err() && make_pipe(&folder.join("none/pipe")).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
