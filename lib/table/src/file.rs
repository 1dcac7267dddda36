//! Creating and opening a table's file.
#![expect(unsafe_code, reason = "statfs has no safe form in the standard library")]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::header::{self, Header};
use crate::layout::{Geometry, Shape};
use crate::map::Mapping;

/// A mapped file with the geometry that its mapping was made for.
pub(crate) struct Opened {
    pub mapping: Mapping,
    pub geometry: Geometry,
    pub header: Header,
}

/// Distinguishes the unfinished files of one process.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);

/// Creates a table that does not exist yet.
///
/// The file is finished under another name and then linked to its own, so that nobody ever opens half a
/// table, and of two creators exactly one succeeds. A creator that dies leaves a dot file and no table.
pub(crate) fn create(path: &Path, shape: Shape, mode: u32, on_disk: bool) -> Result<Opened, Error> {
    let geometry = Geometry::new(shape)?;
    let unfinished = unfinished_name(path)?;
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&unfinished);
    let result = file.map_err(failed("create")).and_then(|file| {
        if !on_disk && !in_memory(&file).map_err(failed("statfs"))? {
            return Err(Error::OnDisk { path: path.to_owned() });
        }
        let opened = fill(file, path, geometry)?;
        fs::hard_link(&unfinished, path).map_err(failed("create"))?;
        Ok(opened)
    });
    // Also after an error; that the name may never have existed is of no interest.
    let _ = fs::remove_file(&unfinished);
    result
}

fn fill(file: File, path: &Path, geometry: Geometry) -> Result<Opened, Error> {
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    let header = Header {
        shape: geometry.shape,
        len: geometry.len() as u64,
        pid: u64::from(std::process::id()),
        started: start_of(u64::from(std::process::id())).unwrap_or(0),
        boot: boot_id().unwrap_or_default(),
    };
    file.set_len(header.len).map_err(failed("ftruncate"))?;
    let mapping = Mapping::new(file.try_clone().map_err(failed("dup"))?, path, geometry.len(), true)?;
    for (offset, bytes) in geometry.first_ranges() {
        mapping.allocate(offset, bytes)?;
    }
    file.write_all_at(&header.encode(), 0).map_err(failed("write"))?;
    Ok(Opened { mapping, geometry, header })
}

/// Opens a table and checks everything about it that could lead an access astray.
pub(crate) fn open(path: &Path, writable: bool) -> Result<Opened, Error> {
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    // NONBLOCK: opening a named pipe must not wait for its other end. NOFOLLOW: the name is what it says.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = OpenOptions::new().read(true).write(writable).custom_flags(flags).open(path);
    let file = file.map_err(|source| match source.raw_os_error() {
        Some(libc::ELOOP) => {
            Error::NotATable { path: path.to_owned(), what: "it is a symbolic link: name the file itself" }
        }
        // Opening a folder for writing fails before it can be looked at.
        Some(libc::EISDIR) => Error::NotATable { path: path.to_owned(), what: "it is not a regular file" },
        _ => failed("open")(source),
    })?;
    let facts = file.metadata().map_err(failed("fstat"))?;
    if !facts.is_file() {
        return Err(Error::NotATable { path: path.to_owned(), what: "it is not a regular file" });
    }
    if facts.len() < header::BYTES as u64 {
        return Err(Error::NotATable { path: path.to_owned(), what: "it is shorter than a header" });
    }
    // A private copy: the file may change while it is being judged.
    let mut bytes = [0; header::BYTES];
    file.read_exact_at(&mut bytes, 0).map_err(failed("read"))?;
    let header = Header::decode(&bytes, path)?;
    let geometry = Geometry::new(header.shape)?;
    if header.len != geometry.len() as u64 {
        return Err(Error::NotATable { path: path.to_owned(), what: "its length contradicts its sizes" });
    }
    if facts.len() != header.len {
        return Err(Error::Length { expected: header.len, found: facts.len() });
    }
    let mapping = Mapping::new(file, path, geometry.len(), writable)?;
    Ok(Opened { mapping, geometry, header })
}

fn unfinished_name(path: &Path) -> Result<PathBuf, Error> {
    let name = path.file_name().ok_or(Error::NotATable { path: path.to_owned(), what: "it has no name" })?;
    let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
    let unique = format!(".{}.{}.{number}", name.to_string_lossy(), std::process::id());
    Ok(path.with_file_name(unique))
}

/// Whether a file lives in memory (tmpfs, ramfs, huge pages). Write-back to a disk can hold a writer of a
/// shared mapping for as long as the disk takes.
fn in_memory(file: &File) -> io::Result<bool> {
    const RAMFS: u64 = 0x8584_58F6;
    const HUGETLBFS: u64 = 0x9584_58F6;
    let mut facts = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: fstatfs(2) fills the record or fails; it is read only after success.
    let facts = unsafe {
        if libc::fstatfs(file.as_raw_fd(), facts.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        facts.assume_init()
    };
    let kind = facts.f_type as u64 & 0xFFFF_FFFF;
    Ok(kind == libc::TMPFS_MAGIC as u64 || kind == RAMFS || kind == HUGETLBFS)
}

/// When a process started, in clock ticks since boot: the 22nd field of proc_pid_stat(5).
pub(crate) fn start_of(pid: u64) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything, so count from its end.
    let rest = &text[text.rfind(')')? + 1..];
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// The identity of the running boot, from random(4).
pub(crate) fn boot_id() -> Option<[u8; 16]> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let digits: String = text.trim().chars().filter(|&digit| digit != '-').collect();
    u128::from_str_radix(&digits, 16).ok().map(u128::to_be_bytes)
}
