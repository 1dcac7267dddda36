//! Creates and opens a table's file.
#![expect(unsafe_code, reason = "statfs and linkat have no safe form in the standard library")]

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::describe::{self, Key};
use crate::error::Error;
use crate::header::{self, Header};
use crate::layout::{Geometry, Shape};
use crate::map::Mapping;

/// A mapped file with the geometry for which it was mapped.
pub(crate) struct Opened {
    pub mapping: Mapping,
    pub geometry: Geometry,
    pub header: Header,
    /// The descriptions of keys.
    pub keys: Vec<Key>,
}

/// A table that is to be created.
pub(crate) struct Plan<'a> {
    pub shape: Shape,
    /// The descriptions of keys.
    pub keys: &'a [Key],
    /// Permission bits, before the umask of the process is applied.
    pub mode: u32,
    pub on_disk: bool,
}

/// Number for the name of the next unfinished file of this process.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);

/// Creates a table that does not exist yet.
///
/// The file is completed without a name and then linked to its name, so that no process ever opens an incomplete table,
/// exactly one of two creators succeeds, and a creator that dies leaves nothing behind. If the file system or a missing
/// /proc does not allow that, the file is completed under another name; a creator that dies then leaves a dot file and
/// no table.
pub(crate) fn create(path: &Path, plan: &Plan<'_>) -> Result<Opened, Error> {
    let description = describe::encode(plan.keys, &plan.shape)?;
    let geometry = Geometry::new(Shape { description_bytes: description.len() as u32, ..plan.shape })?;
    let new = New { path, plan, geometry, description };
    // An existing name is checked first, because that usual case of failure then costs no pages. A name that is created
    // later is noticed when the link is made.
    if fs::symlink_metadata(path).is_ok() {
        let source = io::Error::from_raw_os_error(libc::EEXIST);
        return Err(Error::Io { call: "create", path: path.to_owned(), source });
    }
    match create_nameless(&new) {
        Some(result) => result,
        None => create_named(&new),
    }
}

/// A table that is to be created, with its geometry and the encoded description of its keys.
struct New<'a> {
    path: &'a Path,
    plan: &'a Plan<'a>,
    geometry: Geometry,
    description: Vec<u8>,
}

/// Creates the table in a file without a name; `None` if such files cannot be created or linked here.
fn create_nameless(new: &New<'_>) -> Option<Result<Opened, Error>> {
    let path = new.path;
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_TMPFILE).mode(new.plan.mode);
    let file = options.open(folder_of(path)).ok()?;
    let opened = match fill(&file, new) {
        Ok(opened) => opened,
        Err(error) => return Some(Err(error)),
    };
    match link_open_file(file.as_raw_fd(), path) {
        Ok(()) => Some(Ok(opened)),
        Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
            Some(Err(Error::Io { call: "create", path: path.to_owned(), source }))
        }
        Err(_) => None,
    }
}

/// Gives an open file a name, by way of /proc, which needs no privilege, see `open(2)`.
fn link_open_file(number: RawFd, path: &Path) -> io::Result<()> {
    let old = CString::new(format!("/proc/self/fd/{number}"))?;
    let new = CString::new(path.as_os_str().as_bytes())?;
    let here = libc::AT_FDCWD;
    // SAFETY: linkat(2) reads two terminated strings and touches no other memory.
    match unsafe { libc::linkat(here, old.as_ptr(), here, new.as_ptr(), libc::AT_SYMLINK_FOLLOW) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn create_named(new: &New<'_>) -> Result<Opened, Error> {
    let path = new.path;
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    let (file, unfinished) = unfinished_file(path, new.plan.mode)?;
    let result = fill(&file, new)
        .and_then(|opened| fs::hard_link(&unfinished, path).map(|()| opened).map_err(failed("create")));
    // The unfinished file is removed after an error, too.
    let _ = fs::remove_file(&unfinished);
    result
}

/// Turns an empty file into a table.
fn fill(file: &File, new: &New<'_>) -> Result<Opened, Error> {
    let &New { path, geometry, .. } = new;
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    if !new.plan.on_disk && !in_memory(file).map_err(failed("statfs"))? {
        return Err(Error::OnDisk { path: path.to_owned() });
    }
    let header = Header {
        shape: geometry.shape,
        len: geometry.len() as u64,
        pid: u64::from(std::process::id()),
        started: process(u64::from(std::process::id())).map_or(0, |(started, _)| started),
        boot: boot_id().unwrap_or_default(),
        description_sum: header::checksum(&new.description),
        pids: process_numbers().unwrap_or(0),
    };
    file.set_len(header.len).map_err(failed("ftruncate"))?;
    let mapping = Mapping::new(file.try_clone().map_err(failed("dup"))?, path, geometry.len(), true)?;
    for (offset, bytes) in geometry.first_ranges() {
        mapping.allocate(offset, bytes)?;
    }
    file.write_all_at(&header.encode(), 0).map_err(failed("write"))?;
    file.write_all_at(&new.description, geometry.description() as u64).map_err(failed("write"))?;
    Ok(Opened { mapping, geometry, header, keys: new.plan.keys.to_vec() })
}

/// Opens a table and checks every value that could lead to an access out of bounds.
pub(crate) fn open(path: &Path, writable: bool) -> Result<Opened, Error> {
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    // NONBLOCK: opening a named pipe must not wait for its other end. NOFOLLOW: a symbolic link must not redirect the
    // name.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = OpenOptions::new().read(true).write(writable).custom_flags(flags).open(path);
    let file = file.map_err(|source| match source.raw_os_error() {
        Some(libc::ELOOP) => {
            Error::NotATable { path: path.to_owned(), what: "it is a symbolic link: name the file itself" }
        }
        // Opening a directory for writing fails before its type can be checked.
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
    // The header is checked in a private copy, since the file may change meanwhile.
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
    let keys = read_description(&file, path, &geometry, &header)?;
    let mapping = Mapping::new(file, path, geometry.len(), writable)?;
    Ok(Opened { mapping, geometry, header, keys })
}

/// Reads the descriptions of keys. The geometry limits their length, and the caller has compared it with the length of
/// the file.
fn read_description(
    file: &File,
    path: &Path,
    geometry: &Geometry,
    header: &Header,
) -> Result<Vec<Key>, Error> {
    let damaged = |what| Error::NotATable { path: path.to_owned(), what };
    let mut bytes = vec![0; geometry.shape.description_bytes as usize];
    file.read_exact_at(&mut bytes, geometry.description() as u64).map_err(|source| Error::Io {
        call: "read",
        path: path.to_owned(),
        source,
    })?;
    if header::checksum(&bytes) != header.description_sum {
        return Err(damaged("the checksum of the description of its keys is wrong"));
    }
    describe::decode(&bytes, &geometry.shape).map_err(damaged)
}

/// Refuses a table that another user may have put there for this process to write into. The rule is the kernel's rule
/// for created files in directories that are writable for all users (`protected_regular` in `proc_sys_fs(5)`).
pub(crate) fn refuse_strangers(path: &Path, opened: &Opened) -> Result<(), Error> {
    let failed = |call| move |source| Error::Io { call, path: path.to_owned(), source };
    let owner = opened.mapping.owner().map_err(failed("fstat"))?;
    let folder = fs::metadata(folder_of(path)).map_err(failed("stat"))?;
    // SAFETY: geteuid(2) takes nothing and cannot fail.
    let own = unsafe { libc::geteuid() };
    let is_trusted = [own, 0, folder.uid()].contains(&owner);
    match is_trusted || folder.mode() & 0o002 == 0 {
        true => Ok(()),
        false => Err(Error::Stranger { path: path.to_owned(), owner }),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file beside the table's own name. The process id alone is not unique, since a process in another namespace
/// can have the same id.
fn unfinished_file(path: &Path, mode: u32) -> Result<(File, PathBuf), Error> {
    let name = path.file_name().ok_or(Error::NotATable { path: path.to_owned(), what: "it has no name" })?;
    loop {
        let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
        let unique = format!(".{}.{}.{number}", name.to_string_lossy(), std::process::id());
        let unfinished = path.with_file_name(unique);
        let mut options = OpenOptions::new();
        match options.read(true).write(true).create_new(true).mode(mode).open(&unfinished) {
            Ok(file) => return Ok((file, unfinished)),
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(Error::Io { call: "create", path: path.to_owned(), source }),
        }
    }
}

/// Returns whether a file is in memory (tmpfs, ramfs, huge pages). Write-back to a disk can stop a writer of a shared
/// mapping for as long as the disk takes.
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

/// Returns the start time of a process, in clock ticks since boot, and whether it has not ended yet, see
/// `proc_pid_stat(5)`.
fn process(pid: u64) -> Option<(u64, bool)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses that may contain any character, so fields are counted from its end.
    let mut rest = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let state = rest.next()?;
    Some((rest.nth(18)?.parse().ok()?, !matches!(state, "Z" | "X" | "x")))
}

/// Returns whether the creator of a table still runs: the same process, in the same boot. A creator that has ended and
/// was not waited for does not run. `None` if its process id belongs to another namespace (such as a container's) and
/// may mean another process here.
pub(crate) fn creator_runs(header: &Header) -> Option<bool> {
    if boot_id() != Some(header.boot) {
        return Some(false);
    }
    let is_known_here = process_numbers() == Some(header.pids);
    is_known_here.then(|| process(header.pid) == Some((header.started, true)))
}

/// Returns the PID namespace of this process if `/proc` shows that namespace: the kernel's inode number of it, which
/// has 32 bits (`pid_namespaces(7)`).
fn process_numbers() -> Option<u32> {
    let is_shown = fs::read_link("/proc/self").ok()? == Path::new(&std::process::id().to_string());
    is_shown.then(|| fs::metadata("/proc/self/ns/pid").ok()?.ino().try_into().ok())?
}

/// Returns the identity of the running boot, from `random(4)`.
fn boot_id() -> Option<[u8; 16]> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let digits: String = text.trim().chars().filter(|&digit| digit != '-').collect();
    u128::from_str_radix(&digits, 16).ok().map(u128::to_be_bytes)
}
