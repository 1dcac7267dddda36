//! Files: reading many small files below one folder, opening without waiting, safe replacement, and access by other
//! users.
#![expect(unsafe_code, reason = "openat relative to a folder has no safe form in std")]

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Opens a file to read it from its beginning, or to append to it, without waiting for another process: a named pipe
/// without a writer reads as empty, and a named pipe without a reader cannot be written to. See `fifo(7)`.
///
/// # Errors
/// Returns the errors of `open(2)` and `fcntl(2)`.
pub fn open_at_once(path: &Path, append: bool) -> io::Result<File> {
    let mut options = File::options();
    let file =
        options.read(!append).append(append).create(append).custom_flags(libc::O_NONBLOCK).open(path)?;
    // SAFETY: no pointer is passed. The flag is cleared because users of the file expect reads and writes that wait.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    // SAFETY: as above.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(file),
    }
}

/// Opens a regular file for reading. Other kinds of files, such as pipes, are refused without waiting.
///
/// # Errors
/// Returns the errors of `open(2)`, and an error if the path is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_regular_with(File::options().read(true), path)
}

/// Opens a regular file with these options. Other kinds of files are refused without waiting.
///
/// # Errors
/// Returns the errors of `open(2)`, and an error if the path is no regular file.
pub fn open_regular_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // The kind is checked before opening: opening some devices has an effect, and the kernel's error for a pipe without
    // a reader does not name the cause.
    if path.metadata().is_ok_and(|facts| !facts.is_file()) {
        return Err(not_regular());
    }
    // Another file may have been put at the path since its kind was checked.
    let file = open_without_waiting(options, path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    let why = "it is no regular file, but a pipe, a folder, a device or a socket";
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Raises the soft limit of open files to the hard limit, see `getrlimit(2)`. Child processes inherit the limit, so
/// only processes without children should call this function.
pub fn open_as_many_as_allowed() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives for both calls, which fill and read it. A call that fails changes nothing.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

/// A folder that is held open, so that the kernel resolves only the rest of each path.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder, see `open(2)` with `O_PATH`: no permission to list it is needed.
    ///
    /// # Errors
    /// Fails where the folder does not exist, is no folder, or cannot be traversed.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_PATH | libc::O_DIRECTORY);
        Ok(Folder(options.open(path)?.into()))
    }

    /// Reads a file below the folder into `buffer`, and returns the number of bytes, at most the buffer's length.
    ///
    /// Text that ends with a newline and fills less than the buffer counts as the whole file: the kernel writes its
    /// small files at once, and checking for more would cost another call for each file.
    ///
    /// The file is opened with `O_NONBLOCK`: a named pipe in a tree of files must not block the reader. The error is
    /// the kernel's own, without a text, since files that do not exist are common and a text would be an allocation for
    /// each.
    ///
    /// # Errors
    /// Returns the errors of `openat(2)` and `read(2)`.
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

/// Creates a file without a name in a folder, for reading and writing: it is deleted when its last descriptor is
/// closed. See `O_TMPFILE` in `open(2)`; on a file system without that flag, a file with a random name is created and
/// unlinked at once.
///
/// # Errors
/// Returns the errors of `open(2)`.
pub fn unnamed(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

/// A folder on the path of a file in which a user other than root and the present user may replace that file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposed {
    pub folder: PathBuf,
    pub owner: u32,
    pub mode: u32,
}

/// Returns the first folder on the path of a file that belongs neither to root nor to this user, or that other users
/// may write to. In a folder whose files only their owners may rename (`/tmp`, see "sticky" in `inode(7)`) subfolders
/// are safe, but not files: another user may have created a file under the name before.
///
/// # Errors
/// Fails where the folder of the file does not exist or cannot be examined.
pub fn exposed(file: &Path) -> io::Result<Option<Exposed>> {
    const STICKY: u32 = 0o1000;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Symbolic links are resolved here, so the rest of the path has none.
    let folder = folder.canonicalize()?;
    for (distance, folder) in folder.ancestors().enumerate() {
        let facts = folder.symlink_metadata()?;
        let (owner, mode) = (facts.uid(), facts.mode() & 0o7777);
        let is_ours = owner == 0 || owner == crate::process::user_id();
        let is_closed = mode & 0o022 == 0 || (distance > 0 && mode & STICKY != 0);
        if !is_ours || !is_closed {
            return Ok(Some(Exposed { folder: folder.to_owned(), owner, mode }));
        }
    }
    Ok(None)
}

/// Returns the folder if another user owns it; `None` if this user does. For root the whole path is checked with
/// [`exposed`], since root executes programs from the folder with more privileges.
///
/// # Errors
/// Fails where the folder does not exist or cannot be examined.
pub fn open_to_others(folder: &Path) -> io::Result<Option<Exposed>> {
    let facts = folder.metadata()?;
    let (owner, mode) = (facts.uid(), facts.mode() & 0o7777);
    if owner != crate::process::user_id() {
        return Ok(Some(Exposed { folder: folder.to_owned(), owner, mode }));
    }
    if crate::process::is_root() { exposed(&folder.join("any")) } else { Ok(None) }
}

/// Opens a file with these options, but no symbolic link, and without waiting at a named pipe.
///
/// # Errors
/// Returns the errors of `open(2)`; `ELOOP` for a link.
pub fn open_itself(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

/// Opens a file with these options and `O_NONBLOCK`: for a pipe, neither the opening nor a later read or write waits
/// for a process at the other end. See `fifo(7)`.
///
/// # Errors
/// Returns the errors of `open(2)`.
pub fn open_without_waiting(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(libc::O_NONBLOCK).open(path)
}

/// Overwrites a file from its beginning, or appends to a file without positions, such as a pipe. Files of sysfs take
/// the text as their new value.
///
/// # Errors
/// Returns the errors of `pwrite(2)` and `write(2)`.
pub fn write_over(mut file: &File, text: &str) -> io::Result<()> {
    match file.write_at(text.as_bytes(), 0) {
        Ok(written) if written == text.len() => Ok(()),
        Ok(_) => Err(io::ErrorKind::WriteZero.into()),
        Err(error) if error.raw_os_error() == Some(libc::ESPIPE) => file.write_all(text.as_bytes()),
        Err(error) => Err(error),
    }
}

/// Returns whether this user may write to a file or folder, as far as permissions and the read-only state of the file
/// system say so. See `faccessat(2)` with `AT_EACCESS`.
pub fn may_write(path: &Path) -> bool {
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the text ends in NUL and is only read.
    unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::W_OK, libc::AT_EACCESS) == 0 }
}

/// Reads a whole file of at most `bytes_max` bytes, opened with `O_NONBLOCK` so that a named pipe does not block the
/// reader.
///
/// # Errors
/// Returns the errors of `open(2)` and `read(2)`; [`io::ErrorKind::FileTooLarge`] for a longer file.
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    // Room for most files, so that they are read by one call.
    let mut bytes = Vec::with_capacity(4096);
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > bytes_max {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Replaces a file of this user atomically: after any failure, even a power failure, the file has the old contents or
/// the new ones. The contents are first written to a file beside it with the suffix `.part`; a symbolic link of
/// that name is removed and not followed.
///
/// # Errors
/// Returns the errors of `open(2)`, `write(2)`, `fsync(2)` and `rename(2)`, and an error if the `.part` file exists and
/// is no regular file.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = Path::new(&part);
    match std::fs::symlink_metadata(part) {
        Ok(facts) if facts.is_symlink() => std::fs::remove_file(part)?,
        Ok(facts) if !facts.is_file() => return Err(not_regular()),
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create(true).truncate(true).mode(0o600);
    // Another file may have been put at the path since its kind was checked.
    let mut file = open_itself(&mut options, part)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(part, path)?;
    // The folder contains the file's name, and must reach the disk as well.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("note.json");
        for text in ["first", "and second"] {
            replace(&file, text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        let (part, other) = (folder.path().join("note.json.part"), folder.path().join("other"));
        std::fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, &part).unwrap();
        replace(&file, b"third").unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious", "no link is followed");
        std::fs::create_dir(&part).unwrap();
        assert!(replace(&file, b"fourth").is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "third");
        assert!(replace(&folder.path().join("no/file"), b"").is_err());
    }

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
    fn a_place_where_others_may_write_is_named() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let top = std::env::temp_dir().join(format!("fauxplat-exposed-{}", std::process::id()));
        let (inner, file) = (top.join("inner"), top.join("inner/file"));
        std::fs::create_dir_all(&inner).unwrap();
        let mode = |folder: &Path, mode| {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let culprit = |file: &Path| exposed(file).unwrap().map(|found| (found.folder, found.mode));
        mode(&top, 0o755);
        mode(&inner, 0o700);
        assert_eq!(culprit(&file), None);
        mode(&inner, 0o1777);
        assert_eq!(culprit(&file), Some((inner.clone(), 0o1777)), "anybody may make a file there");
        mode(&inner, 0o755);
        mode(&top, 0o1777);
        assert_eq!(culprit(&file), None, "but nobody renames what is ours");
        mode(&top, 0o775);
        assert_eq!(culprit(&file), Some((top.clone(), 0o775)), "whoever may rename the folder");
        let link = std::env::temp_dir().join(format!("fauxplat-exposed-link-{}", std::process::id()));
        symlink(&inner, &link).unwrap();
        assert_eq!(culprit(&link.join("file")), Some((top.clone(), 0o775)), "where the link leads");
        let opened = open_itself(File::options().read(true), &link).unwrap_err();
        assert_eq!(opened.raw_os_error(), Some(libc::ELOOP));
        assert!(may_write(&inner) && !may_write(&top.join("missing")));
        std::fs::remove_file(link).unwrap();
        std::fs::remove_dir_all(top).unwrap();
    }

    #[test]
    fn a_regular_file_is_what_is_opened_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "text").unwrap();
        std::os::unix::fs::symlink(at("plain"), at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert!(crate::pipes::make_pipe(&at("pipe")).unwrap());
        assert!(open_regular(&at("plain")).is_ok() && open_regular(&at("link")).is_ok());
        assert_eq!(open_regular(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        for name in ["pipe", "socket", ".", "/dev/zero"] {
            for options in [File::options().read(true), File::options().append(true).create(true)] {
                let said = open_regular_with(options, &at(name)).unwrap_err().to_string();
                assert!(said.contains("no regular file"), "{name}: {said}");
            }
        }
    }

    #[test]
    fn no_file_is_longer_than_asked_for() {
        assert_eq!(read_bounded(Path::new("/dev/null"), 10).unwrap(), b"");
        let endless = read_bounded(Path::new("/dev/zero"), 1000).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
    }
}
