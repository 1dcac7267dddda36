//! Disks that fail: any one call by which a program would change its files, or all of them from one on, is answered with
//! an error that disks and file systems give. The program is traced, so every such call has its turn, whatever library
//! makes it.
#![expect(
    unsafe_code,
    reason = "ptrace(2) has no safe form, and no part of the product asks for its calls by name"
)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fauxplat_sys::process::Exit;
use fauxplat_sys::trace::{self, Call, Event};

use crate::machine::{Fake, expect_same};

/// What disks say: full, broken, read-only.
const ERRORS: [i32; 3] = [libc::ENOSPC, libc::EIO, libc::EROFS];

/// Calls that change what their first argument, a descriptor, stands for.
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

/// Calls that change a folder.
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

/// When a disk fails.
#[derive(Clone, Copy, Debug)]
struct Fault {
    /// At the call of this number, from 0 …
    at: u32,
    /// … and at all later ones.
    for_good: bool,
    errno: i32,
}

/// How the stop at a system call is told from others, see `PTRACE_O_TRACESYSGOOD` in `ptrace(2)`.
const AT_A_CALL: i32 = trace::SIGTRAP | 0x80;

/// Asks for that of a program that has stopped.
fn tell_calls(pid: i32) {
    let options = libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACESYSGOOD;
    // SAFETY: the option takes an integer where a pointer is declared.
    let done = unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options as libc::c_long) };
    assert_eq!(done, 0, "a program of our own that has stopped");
}

/// Runs a program whose files begin with this path on a disk that fails; how many calls would have changed it, and how
/// the program ended.
fn run(command: &mut Command, files: &Path, fault: Option<Fault>) -> (u32, Exit) {
    let pid = command.spawn().expect("a program").id() as i32;
    trace::seize(pid).expect("a process of our own can be traced");
    trace::interrupt(pid).expect("a process of our own can be stopped");
    let (mut calls, mut refused, mut told) = (0, None, false);
    loop {
        match trace::next_event().expect("a program that is traced") {
            (_, Event::Ended(exit)) => return (calls, exit),
            (_, Event::Signal(signal)) if ![trace::SIGTRAP, AT_A_CALL].contains(&signal) => {
                trace::resume_to_call(pid, signal);
            }
            _ => {
                if !std::mem::replace(&mut told, true) {
                    tell_calls(pid);
                }
                match trace::call_begun(pid) {
                    Some(call) if changes(pid, &call, files) => {
                        let hit = |fault: &Fault| calls == fault.at || fault.for_good && calls > fault.at;
                        refused = fault.filter(hit).map(|fault| fault.errno);
                        calls += 1;
                        if refused.is_some() {
                            trace::skip_call(pid).expect("a call that is not made");
                        }
                    }
                    Some(_) => {}
                    None => {
                        if let Some(errno) = refused.take() {
                            trace::answer_call(pid, errno).expect("an answer");
                        }
                    }
                }
                trace::resume_to_call(pid, 0);
            }
        }
    }
}

/// Whether a call would change one of the files.
fn changes(pid: i32, call: &Call, files: &Path) -> bool {
    if call.number == libc::SYS_openat {
        return call.arguments[2] & libc::O_CREAT as u64 != 0;
    }
    if BY_DESCRIPTOR.contains(&call.number) {
        let file = fs::read_link(format!("/proc/{pid}/fd/{}", call.arguments[0]));
        let files = files.as_os_str().as_encoded_bytes();
        return file.is_ok_and(|file| file.as_os_str().as_encoded_bytes().starts_with(files));
    }
    BY_PATH.contains(&call.number)
}

/// Every fault of a program that makes so many calls: one alone, with each error in turn, and a disk that is gone.
fn faults(calls: u32, all: bool) -> impl Iterator<Item = Fault> {
    (0..calls).flat_map(move |at| {
        let errors = ERRORS.into_iter().enumerate();
        errors.flat_map(move |(number, errno)| {
            let wanted =
                move |fault: &Fault| all || (fault.at as usize + usize::from(fault.for_good)) % 3 == number;
            [false, true].into_iter().map(move |for_good| Fault { at, for_good, errno }).filter(wanted)
        })
    })
}

/// A journal on a disk that fails at any call: the machine is as it was, every time.
pub(crate) fn of_the_journal(fake: &Fake, all: bool) -> String {
    if cfg!(not(target_arch = "x86_64")) {
        return "skipped: calls are answered on x86-64 alone".into();
    }
    let (scenario, state) = fake.scenarios().remove(0);
    let before = state();
    let (calls, exit) = run(&mut scenario.tuner(), &scenario.journal, None);
    assert!(exit == Exit::Status(0) && calls > 20, "{exit:?} after {calls} calls");
    expect_same(&scenario, &before, state.as_ref(), "without a fault");
    let mut tried = 0;
    for fault in faults(calls, all) {
        let (_, exit) = run(&mut scenario.tuner(), &scenario.journal, Some(fault));
        assert!(matches!(exit, Exit::Status(0 | 3)), "{fault:?}: {exit:?}");
        // A guardian whose tuner could not put everything back does so; its own disk is whole.
        scenario.wait_until_free();
        expect_same(&scenario, &before, state.as_ref(), &format!("{fault:?}"));
        scenario.restore();
        expect_same(&scenario, &before, state.as_ref(), &format!("{fault:?}, restored"));
        scenario.assert_done();
        tried += 1;
    }
    format!("{tried} faults of {calls} calls")
}

/// What a store holds: runs of its first experiment.
struct Stored {
    folder: tempfile::TempDir,
}

/// Runs of each measurement, and their command: those of less than a millisecond are stored some at a time.
const RUNS: usize = 6;
const LONG: &str = "sleep 0.004";

impl Stored {
    fn path(&self) -> PathBuf {
        self.folder.path().join("store.sqlite")
    }

    fn fauxplat(&self, words: &[&str]) -> Command {
        let mut command = Command::new(super::fauxplat());
        command.args(words).arg("--store").arg(self.path()).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn measuring(&self) -> Command {
        let runs = RUNS.to_string();
        let mut command = self.fauxplat(&["run", LONG, "--runs", &runs, "--warmup", "0", "--format", "json"]);
        command.stdout(File::create(self.folder.path().join("said")).expect("a file for the report"));
        command
    }

    /// Runs of a document: of one experiment, or of what was said.
    fn runs(bytes: &[u8]) -> usize {
        let document: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
        document["commands"][0]["runs"].as_array().map_or(0, Vec::len)
    }

    /// Looks at what is left: it can be read and added to, and has what was said but for one run.
    fn check(&self, fault: Fault, exit: Exit) {
        assert!(matches!(exit, Exit::Status(0 | 3)), "{fault:?}: {exit:?}");
        let said = Self::runs(&fs::read(self.folder.path().join("said")).expect("what it said"));
        let done =
            self.fauxplat(&["run", "true", "--runs", "1"]).stdout(Stdio::null()).status().expect("a run");
        assert!(done.success(), "{fault:?}: nothing can be added");
        let exported = self.fauxplat(&["history", "export", "1"]).output().expect("an export");
        assert!(exported.status.success(), "{fault:?}: nothing can be read");
        let stored = Self::runs(&exported.stdout);
        assert!(stored + 1 >= said, "{fault:?}: {said} runs were reported, and {stored} are stored");
        assert!(exit != Exit::Status(0) || said == RUNS, "{fault:?}: {said}");
    }
}

/// A store on a disk that fails at any call: what was measured before is there, and what comes later can be added.
pub(crate) fn of_the_store(all: bool) -> String {
    if cfg!(not(target_arch = "x86_64")) {
        return "skipped: calls are answered on x86-64 alone".into();
    }
    let fresh = || Stored { folder: tempfile::tempdir().expect("a folder for temporary files") };
    let stored = fresh();
    let (calls, exit) = run(&mut stored.measuring(), &stored.path(), None);
    assert!(exit == Exit::Status(0) && calls > RUNS as u32, "{exit:?} after {calls} calls");
    let mut tried = 0;
    for fault in faults(calls, all) {
        let stored = fresh();
        let (_, exit) = run(&mut stored.measuring(), &stored.path(), Some(fault));
        stored.check(fault, exit);
        tried += 1;
    }
    format!("{tried} faults of {calls} calls")
}
