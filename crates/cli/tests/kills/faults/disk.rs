//! A disk that fails under a program: a single call that would change its files, or all of them from one call on, fails
//! with an error that disks and file systems report. The program is traced, so that every such call has its turn,
//! whichever library and thread makes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use fauxplat_sys::process::Exit;
use fauxplat_sys::trace::{self, Call, Event};

use crate::round::is_guardian;
use crate::traced;

/// Error numbers that disks and file systems report: full, broken, read-only.
pub(super) const ERRORS: [i32; 3] = [libc::ENOSPC, libc::EIO, libc::EROFS];

/// Numbers of system calls that change a file whose descriptor is their first argument.
const BY_DESCRIPTOR: [i64; 9] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fchmod,
];

/// Numbers of system calls that change a folder.
#[cfg(target_arch = "x86_64")]
const BY_PATH: [i64; 9] = [
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_link,
    libc::SYS_linkat,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
];
#[cfg(not(target_arch = "x86_64"))]
const BY_PATH: [i64; 4] = [libc::SYS_unlinkat, libc::SYS_linkat, libc::SYS_renameat2, libc::SYS_mkdirat];

/// A fault: the calls at which the disk fails, and the error that they return.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    /// Number of the first call that fails, from 0.
    pub(super) at: u32,
    /// Whether all later calls fail as well.
    pub(super) for_good: bool,
    pub(super) errno: i32,
}

/// The processes whose calls fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The program with its threads.
    Program,
    /// The guardian that the program starts.
    Guardian,
}

/// The signal of a stop at a system call, see `PTRACE_O_TRACESYSGOOD` in `ptrace(2)`.
const AT_A_CALL: i32 = trace::SIGTRAP | 0x80;

/// The failing disk, which contains the files whose paths begin with `files`.
struct Disk<'a> {
    files: &'a Path,
    whose: Whose,
    fault: Option<Fault>,
    /// Number of calls so far that would have changed the disk.
    calls: u32,
    /// Tasks that are within a failing call, with the error number that the call will return.
    refused: BTreeMap<i32, i32>,
}

/// Runs a program, with its guardian if that is meant, on a disk that fails; returns the number of calls that would
/// have changed the disk, and the exit status.
pub(super) fn run(command: &mut Command, files: &Path, whose: Whose, fault: Option<Fault>) -> (u32, Exit) {
    let pid = traced::begin(command, whose.options());
    trace::resume_to_call(pid, 0);
    let mut disk = Disk { files, whose, fault, calls: 0, refused: BTreeMap::new() };
    let (mut known, mut ended) = (BTreeSet::from([pid]), None);
    // A guardian outlives its tuner, so the loop ends when no traced process is left.
    while let Ok((task, event)) = trace::next_event() {
        let is_born = known.insert(task);
        match event {
            Event::Ended(exit) if task == pid => ended = Some(exit),
            Event::Ended(_) => {}
            // A signal is delivered to its task, except the one by which a new task stops first: no process sent that.
            Event::Signal(signal) if !is_born && ![trace::SIGTRAP, AT_A_CALL].contains(&signal) => {
                trace::resume_to_call(task, signal);
            }
            _ => {
                disk.meet(task);
                trace::resume_to_call(task, 0);
            }
        }
    }
    (disk.calls, ended.expect("a program that comes to its end"))
}

impl Whose {
    /// Options of ptrace that make all calls of these processes visible.
    fn options(self) -> i32 {
        let births = match self {
            Whose::Program => libc::PTRACE_O_TRACECLONE,
            Whose::Guardian => libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACEVFORK,
        };
        libc::PTRACE_O_TRACESYSGOOD | births
    }

    fn has(self, task: i32) -> bool {
        self == Whose::Program || is_guardian(task)
    }
}

impl Disk<'_> {
    /// Handles a stop of a task, which may be before a system call, after one, or elsewhere: a failing call is skipped,
    /// and then returns the error.
    fn meet(&mut self, task: i32) {
        match trace::call_begun(task) {
            Some(call) if self.is_changed_by(task, &call) && self.whose.has(task) => {
                let hit = |fault: &Fault| self.calls == fault.at || fault.for_good && self.calls > fault.at;
                if let Some(fault) = self.fault.filter(hit) {
                    trace::skip_call(task).expect("a call that is not made");
                    self.refused.insert(task, fault.errno);
                }
                self.calls += 1;
            }
            Some(_) => {}
            None => {
                if let Some(errno) = self.refused.remove(&task) {
                    trace::answer_call(task, errno).expect("an answer");
                }
            }
        }
    }

    fn is_changed_by(&self, task: i32, call: &Call) -> bool {
        match call.number {
            libc::SYS_openat => {
                let flags = call.arguments[2] as i32;
                let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
                flags & libc::O_CREAT != 0 || writes && self.has(&text_at(task, call.arguments[1]))
            }
            number if BY_DESCRIPTOR.contains(&number) => {
                let file = fs::read_link(format!("/proc/{task}/fd/{}", call.arguments[0]));
                file.is_ok_and(|file| self.has(file.as_os_str().as_encoded_bytes()))
            }
            number => BY_PATH.contains(&number),
        }
    }

    /// Whether a path is one of the files on the failing disk, or the folder that contains them.
    fn has(&self, path: &[u8]) -> bool {
        let folder = self.files.parent().map(|folder| folder.as_os_str().as_encoded_bytes());
        path.starts_with(self.files.as_os_str().as_encoded_bytes()) || Some(path) == folder
    }
}

/// Reads a text in the memory of a task that has stopped, up to its terminating zero.
fn text_at(task: i32, address: u64) -> Vec<u8> {
    let mut bytes = vec![0; libc::PATH_MAX as usize];
    let memory = File::open(format!("/proc/{task}/mem"));
    let read = memory.and_then(|memory| memory.read_at(&mut bytes, address)).unwrap_or(0);
    bytes.truncate(read);
    bytes.into_iter().take_while(|byte| *byte != 0).collect()
}
